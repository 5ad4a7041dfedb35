//go:build agents

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"craze/tests/agents"
	"craze/tests/fakemodel"
)

// confined runs the tests with no network but loopback, so that a real agent
// reaches the scripted model and nothing else.
func confined(run func() int) int {
	code, err := agents.Offline(run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// shells are the agents' tools that run a command, by the agent's id.
var shells = map[string]string{"opencode": "bash", "grok-lab": "run_terminal_command"}

// actor is a real agent in a rig of its own, which its model never leaves.
type actor struct {
	*rig
	id    string // its provider's
	home  string // the agent's, not the rig's
	lap   func(what string)
	first string // the session of the first turn
}

func TestTheMainJobOnRealAgents(t *testing.T) {
	dir := os.Getenv("CRAZE_AGENTS")
	if dir == "" {
		dir = "../../.agents"
	}
	found, err := agents.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range found.All() {
		t.Run(a.ID, func(t *testing.T) {
			s := cast(t, a)
			s.answers()
			id := s.asks()
			s.cancels(id)
			s.stops(id)
		})
	}
}

func cast(t *testing.T, a agents.Agent) *actor {
	t.Helper()
	model, err := fakemodel.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	s := &actor{rig: newRig(t), lap: stopwatch(t)}
	s.home = filepath.Join(s.root, "agent")
	// Whatever a failed test leaves of the agent, whose environment has this home.
	t.Cleanup(func() { _ = agents.Kill(s.home) })
	p, err := a.Setup(s.home, model.URL())
	if err != nil {
		t.Fatal(err)
	}
	s.id = p.ID
	s.config(p.TOML())
	return s
}

// command makes the model call the agent's shell tool on something that both
// agents ask about, and then on a script.
func (s *actor) command(script string) string {
	args, _ := json.Marshal(map[string]string{"command": "rm -rf ./gone; " + script, "description": "try it"})
	return fmt.Sprintf("TOOL:%s:%s", shells[s.id], args)
}

func (s *actor) answers() {
	s.t.Helper()
	if res := s.must(0, "new", "--provider", s.id, "--wait", "hello there"); res.out != "echo: hello there\n" {
		s.t.Errorf("answer %q", res.out)
	}
	s.lap("new --wait")
	entries := s.entries("hosts")
	if len(entries) != 1 {
		s.t.Fatalf("registered are %+v", entries)
	}
	s.first = entries[0].Session
}

// asks has a tool call allowed by another client than the one that waits, and
// gives the session.
func (s *actor) asks() string {
	s.t.Helper()
	id := s.new(s.id, "--no-force")
	s.lap("new --no-force")
	if res := s.must(5, "send", id, "--wait", s.command("echo made > made-here")); !strings.Contains(res.out, "made-here") {
		s.t.Errorf("asked %q", res.out)
	}
	s.lap("send until it asks")
	if res := s.must(0, "asks", id); !strings.Contains(res.out, "made-here") {
		s.t.Errorf("asks %q", res.out)
	}
	if _, err := os.Stat(filepath.Join(s.work, "made-here")); err == nil {
		s.t.Error("the tool ran before it was allowed to")
	}
	s.must(0, "answer", id, "head", "--allow")
	if res := s.must(0, "wait", id); !strings.HasPrefix(res.out, "tool said: ") {
		s.t.Errorf("answer %q", res.out)
	}
	if b, err := os.ReadFile(filepath.Join(s.work, "made-here")); err != nil || string(b) != "made\n" {
		s.t.Errorf("the tool left %q, %v", b, err)
	}
	s.lap("answer and wait")
	return id
}

func (s *actor) cancels(id string) {
	s.t.Helper()
	s.must(0, "send", id, "SLOW:100 LONG:80 please")
	s.eventually("words to stream", func() bool { return strings.Contains(s.must(0, "log", id).out, "word3") })
	s.lap("send until it streams")
	s.must(0, "cancel", id)
	s.must(4, "wait", id)
	s.lap("cancel and wait")
	if log := s.must(0, "log", id).out; strings.Contains(log, "word79") {
		s.t.Errorf("the message was not broken off: %q", log)
	}
	if res := s.must(0, "send", id, "--wait", "and again"); res.out != "echo: and again\n" {
		s.t.Errorf("answer %q", res.out)
	}
	s.lap("another turn")
}

// stops ends an idle session, and one whose agent runs a command: that is in a
// session of the kernel's of its own, which no signal to the agent's group reaches.
func (s *actor) stops(id string) {
	s.t.Helper()
	s.must(5, "send", id, "--wait", s.command("touch running; sleep 3600"))
	s.must(0, "answer", id, "head", "--allow")
	s.eventually("the command to run", func() bool {
		_, err := os.Stat(filepath.Join(s.work, "running"))
		return err == nil
	})
	s.lap("a command runs")
	if running := s.agents(); len(running) < 3 { // an agent a session, and the command
		s.t.Fatalf("of the agents only %v run", running)
	}
	s.must(0, "stop", s.first)
	s.lap("stop, idle")
	s.must(0, "stop", id)
	s.lap("stop, running")
	s.gone()
	s.lap("nothing is left")
}

// gone waits until the sessions that were stopped have left nothing, and then
// ends the hub as its entry says.
func (s *actor) gone() {
	s.t.Helper()
	s.eventually("the agents' processes to go", func() bool { return len(s.agents()) == 0 })
	if left := s.agents(); len(left) > 0 {
		s.t.Errorf("agents left: %v of %v", left, s.processes())
	}
	s.eventually("the hosts' entries to go", func() bool { return len(s.entries("hosts")) == 0 })
	s.eventually("the hosts to be reaped", func() bool { return len(s.zombies()) == 0 })
	hubs := s.entries("hubs")
	if len(hubs) != 1 {
		s.t.Fatalf("hubs registered are %+v", hubs)
	}
	hub := s.the("craze-hub")
	if hubs[0].PID != hub.pid {
		s.t.Fatalf("the hub is %d, registered is %d", hub.pid, hubs[0].PID)
	}
	s.kill(hub, syscall.SIGTERM)
	s.eventually("the hub to go", func() bool { return len(s.processes()) == 0 && len(s.entries("hubs")) == 0 })
}

func (s *actor) agents() []int {
	s.t.Helper()
	pids, err := agents.Processes(s.home)
	if err != nil {
		s.t.Fatal(err)
	}
	return pids
}

// entry is what a host or a hub registers of itself.
type entry struct {
	PID     int    `json:"pid"`
	Session string `json:"crazeSessionId"` // "" for a hub
}

// entries are those of hosts or hubs.
func (s *actor) entries(kind string) []entry {
	s.t.Helper()
	paths, err := filepath.Glob(filepath.Join(s.root, "home/.cache/craze", kind, "*.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	var found []entry
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			continue // its process ended meanwhile
		}
		var e entry
		if err == nil {
			err = json.Unmarshal(b, &e)
		}
		if err != nil {
			s.t.Fatalf("%s: %v", path, err)
		}
		found = append(found, e)
	}
	return found
}

// stopwatch logs how long each step took.
func stopwatch(t *testing.T) func(string) {
	began := time.Now()
	return func(what string) {
		t.Logf("%-24s %v", what, time.Since(began).Round(time.Millisecond))
		began = time.Now()
	}
}
