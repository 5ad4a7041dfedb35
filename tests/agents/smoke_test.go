//go:build agents

// The smoke test runs the real agents on the fake model, with no network:
//
//	CRAZE_AGENTS=<folder of install.sh> go test -tags agents ./agents
package agents_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"craze/tests/agents"
	"craze/tests/fakemodel"
)

func TestMain(m *testing.M) {
	code, err := agents.Offline(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func TestOnlyLoopbackIsThere(t *testing.T) {
	interfaces, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagUp != 0 && i.Flags&net.FlagLoopback == 0 {
			t.Errorf("%s is up", i.Name)
		}
	}
}

// stage is an agent at a session, and the model it has.
type stage struct {
	*peer
	model *fakemodel.Server
	home  string
	shell string // what the agent calls its tool for commands
}

var shells = map[string]string{"opencode": "bash", "grok-lab": "run_terminal_command"}

// each runs a test on every agent.
func each(t *testing.T, test func(t *testing.T, s stage)) {
	t.Helper()
	dir := os.Getenv("CRAZE_AGENTS")
	if dir == "" {
		dir = filepath.Join("..", "..", ".agents")
	}
	found, err := agents.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, agent := range found.All() {
		t.Run(agent.ID, func(t *testing.T) { test(t, set(t, agent)) })
	}
}

func set(t *testing.T, agent agents.Agent) stage {
	t.Helper()
	model, err := fakemodel.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	home := t.TempDir()
	p, err := agent.Setup(home, model.URL())
	if err != nil {
		t.Fatal(err)
	}
	s := stage{peer: launch(t, p), model: model, home: home, shell: shells[agent.ID]}
	s.up(p.AuthMethod)
	return s
}

// command is the text that makes the model run a command, which every agent asks
// about: grok does for what may destroy something.
func (s stage) command(script string) string {
	arguments, _ := json.Marshal(object{"command": "rm -rf ./gone; " + script, "description": "try it"})
	return fmt.Sprintf("TOOL:%s:%s", s.shell, arguments)
}

func TestATextIsEchoedAndTheAgentLeavesWithItsInput(t *testing.T) {
	each(t, func(t *testing.T, s stage) {
		if stop := s.prompt("hello there"); stop != "end_turn" || s.text != "echo: hello there" {
			t.Errorf("said %q, stopped by %q", s.text, stop)
		}
		if err := s.leave(); err != nil {
			t.Errorf("left with %v", err)
		}
	})
}

func TestAToolRunsOnlyWhenAllowed(t *testing.T) {
	each(t, func(t *testing.T, s stage) {
		for i, kind := range []string{"reject_once", "allow_once"} {
			s.allow = kind
			s.prompt(s.command("echo made | tee made-" + kind))
			if len(s.asked) != i+1 {
				t.Fatalf("with %s asked for %+v", kind, s.asked)
			}
		}
		if _, err := os.Stat(filepath.Join(s.cmd.Dir, "made-reject_once")); err == nil {
			t.Error("what was rejected was run")
		}
		if _, err := os.Stat(filepath.Join(s.cmd.Dir, "made-allow_once")); err != nil {
			t.Error(err)
		}
		if !strings.HasPrefix(s.text, "tool said: ") || !strings.Contains(s.text, "made") {
			t.Errorf("said %q", s.text)
		}
	})
}

func TestACancelBreaksOffTheStream(t *testing.T) {
	each(t, func(t *testing.T, s stage) {
		first := true
		s.onChunk = func() {
			if first {
				s.cancel()
			}
			first = false
		}
		if stop := s.prompt("SLOW:100 LONG:600 please"); stop != "cancelled" {
			t.Errorf("stopped by %q", stop)
		}
		err := s.model.Await(t.Context(), func(requests []fakemodel.Request) bool {
			return slices.ContainsFunc(requests, func(r fakemodel.Request) bool { return r.Outcome == fakemodel.Abandoned })
		})
		if err != nil {
			t.Fatal(err)
		}
		if stop := s.prompt("and on"); stop != "end_turn" || !strings.HasSuffix(s.text, "echo: and on") {
			t.Errorf("after the cancel said %q, stopped by %q", s.text, stop)
		}
	})
}

// A command runs in a session of its own, where no signal to the agent's group
// comes: that the agent ends it is all there is.
func TestACancelEndsARunningCommand(t *testing.T) {
	each(t, func(t *testing.T, s stage) {
		s.allow = "allow_once"
		s.cue = started(t, s.model)
		var running []int
		s.onCue = func() {
			var err error
			if running, err = agents.Processes(s.home); err != nil {
				t.Fatal(err)
			}
			s.cancel()
		}
		if stop := s.prompt(s.command(tell(t, s.model) + "; sleep 3600")); stop != "cancelled" {
			t.Errorf("stopped by %q", stop)
		}
		if len(running) < 2 {
			t.Errorf("no command ran, only %v", running)
		}
		for _, pid := range running {
			if pid == s.cmd.Process.Pid {
				continue
			}
			if err := agents.Ended(pid); err != nil {
				t.Error(err)
			}
		}
	})
}

// startPath is what a command asks the model server for, to say that it runs.
const startPath = "/command/started"

// tell is a shell's command that asks for startPath.
func tell(t *testing.T, s *fakemodel.Server) string {
	t.Helper()
	u, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`exec 9<>/dev/tcp/%s/%s; printf 'GET %s HTTP/1.0\r\n\r\n' >&9; cat <&9 >/dev/null`, u.Hostname(), u.Port(), startPath)
}

// started is closed when a command has asked for startPath.
func started(t *testing.T, s *fakemodel.Server) <-chan struct{} {
	t.Helper()
	cue := make(chan struct{})
	go func() { // ends with the test, at the latest
		asked := func(r fakemodel.Request) bool { return r.Path == startPath }
		if s.Await(t.Context(), func(all []fakemodel.Request) bool { return slices.ContainsFunc(all, asked) }) == nil {
			close(cue)
		}
	}()
	return cue
}
