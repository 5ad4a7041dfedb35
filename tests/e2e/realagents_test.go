//go:build agents

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// command makes the model call the agent's shell tool on something that both
// agents ask about.
func command(id string) string {
	return fmt.Sprintf(`TOOL:%s:{"command":"rm -rf ./gone && echo made > made-here","description":"make a file"}`, shells[id])
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
		t.Run(a.ID, func(t *testing.T) { onAgent(t, a) })
	}
}

func onAgent(t *testing.T, a agents.Agent) {
	model, err := fakemodel.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	r := newRig(t)
	home := filepath.Join(r.root, "agent")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	p, err := a.Setup(home, model.URL())
	if err != nil {
		t.Fatal(err)
	}
	r.config(p.TOML())
	step := stopwatch(t)

	res := r.must(0, "new", "--provider", p.ID, "--wait", "hello there")
	if !strings.Contains(res.out, "echo: hello there") {
		t.Errorf("answer %q", res.out)
	}
	step("new --wait")

	id := r.new(p.ID, "--no-force")
	if res := r.must(5, "send", id, "--wait", command(p.ID)); !strings.Contains(res.out, "--allow") {
		t.Errorf("%q", res.out)
	}
	r.must(0, "asks", id)
	r.must(0, "answer", id, "head", "--allow") // a second client: a process of its own
	if res := r.must(0, "wait", id); !strings.Contains(res.out, "tool said:") {
		t.Errorf("%q", res.out)
	}
	if b, err := os.ReadFile(filepath.Join(r.work, "made-here")); err != nil || string(b) != "made\n" {
		t.Errorf("the tool left %q, %v", b, err)
	}
	step("a tool call, allowed")

	r.must(0, "send", id, "SLOW:100 LONG:200 please")
	r.eventually("words to stream", func() bool { return strings.Contains(r.must(0, "log", id).out, "word3") })
	r.must(0, "cancel", id)
	r.must(4, "wait", id)
	step("a cancel in mid-stream")

	if res := r.must(0, "send", id, "--wait", "and again"); !strings.Contains(res.out, "echo: and again") {
		t.Errorf("%q", res.out)
	}
	r.must(0, "wait", id)
	r.must(0, "stop", id)
	step("another turn, and stop")
}

// stopwatch logs how long each step took.
func stopwatch(t *testing.T) func(string) {
	began := time.Now()
	return func(what string) {
		t.Logf("%-24s %v", what, time.Since(began).Round(time.Millisecond))
		began = time.Now()
	}
}
