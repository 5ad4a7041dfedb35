package e2e

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

func TestTheHubIsKilledInMidTurn(t *testing.T) {
	r := newRig(t)
	id := r.new("slow", "go on")
	waiting := r.start("craze-cli", "wait", id)
	r.streaming(id)
	r.kill(r.the("craze-hub"), syscall.SIGKILL)
	if res := waiting.wait(); res.code != 0 || res.out == "" {
		t.Errorf("%+v", res)
	}
	if s := r.state(id); s != "idle" {
		t.Errorf("state %q", s)
	}
	r.must(0, "send", id, "--wait", "again")
}

func TestAClientIsKilledInMidTurn(t *testing.T) {
	r := newRig(t)
	id := r.new("slow")
	j := r.start("craze-cli", "send", id, "--wait", "go on")
	r.streaming(id)
	if err := syscall.Kill(j.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	j.wait()
	if res := r.must(0, "wait", id); res.out == "" {
		t.Error("no answer")
	}
}

func TestTheAgentIsKilledInMidTurn(t *testing.T) {
	r := newRig(t)
	id := r.new("slow", "go on")
	waiting := r.start("craze-cli", "wait", id)
	r.streaming(id)
	r.kill(r.the("craze-fake-agent"), syscall.SIGKILL)
	if res := waiting.wait(); res.code != 3 || !strings.Contains(res.err, "killed") {
		t.Errorf("%+v", res)
	}
	if s := r.state(id); s != "failed" {
		t.Errorf("state %q", s)
	}
	if z := r.zombies(); len(z) > 0 {
		t.Errorf("zombies %v", z)
	}
	if res := r.must(1, "send", id, "more"); !strings.Contains(res.err, "agent has exited") {
		t.Errorf("%q", res.err)
	}
	if res := r.must(0, "log", id); !strings.Contains(res.out, "> go on") {
		t.Errorf("%q", res.out)
	}
	r.must(0, "stop", id)
}

func TestAHostIsKilledInMidTurn(t *testing.T) {
	for _, script := range []string{"slow", "stubborn"} {
		t.Run(script, func(t *testing.T) {
			r := newRig(t)
			id := r.new(script)
			sending := r.start("craze-cli", "send", id, "--wait", "go on")
			if script == "slow" {
				r.streaming(id) // it attached before it sent
				r.kill(r.the("craze-host"), syscall.SIGKILL)
				if res := sending.wait(); res.code != 6 {
					t.Errorf("%+v", res)
				}
			} else {
				sending.wait()
				r.kill(r.the("craze-host"), syscall.SIGKILL)
			}
			r.eventually("the list to drop it", func() bool { return r.state(id) == "" })
			r.eventually("its agent to go", func() bool {
				for _, p := range r.processes() {
					if p.is("craze-fake-agent") {
						return false
					}
				}
				return true
			})
			if z := r.zombies(); len(z) > 0 {
				t.Errorf("zombies %v", z)
			}
			r.must(0, "new", "--provider", "echo", "--wait", "next")
		})
	}
}

func TestWhatAnAgentDoesWrongIsTold(t *testing.T) {
	r := newRig(t)
	for _, tt := range []struct {
		script string
		code   int
		says   string
	}{
		{"missing", 3, "agent binary not found"},
		{"crash-start", 3, "exit status"},
		{"crash", 3, "exit status 3"},
		{"error", 3, ""},
		{"garbage", 0, ""},
	} {
		t.Run(tt.script, func(t *testing.T) {
			res := r.must(tt.code, "new", "--provider", tt.script, "--wait", "hi")
			if !strings.Contains(res.err, tt.says) || strings.Count(strings.TrimSpace(res.err), "\n") > 1 {
				t.Errorf("stderr %q", res.err)
			}
		})
	}
	if n := strings.Count(r.must(0, "ps").out, "\n"); n != 4 { // the header, and the three that started
		t.Errorf("%s", r.must(0, "ps").out)
	}
}

func TestABadConfigIsToldWithItsPlace(t *testing.T) {
	r := newRig(t)
	r.config("provider = \"echo\"\nx = = 1\n")
	if res := r.must(1, "new", "hi"); !strings.Contains(res.err, "no provider was named") && !strings.Contains(res.err, "line 2") {
		t.Errorf("%q", res.err)
	}
	r.config("[providers.nocommand]\nlabel = \"x\"\n")
	if res := r.must(1, "new", "--provider", "nocommand", "hi"); !strings.Contains(res.err, "command") {
		t.Errorf("%q", res.err)
	}
	if res := r.must(1, "new", "--provider", "nosuch", "hi"); !strings.Contains(res.err, "unknown provider") {
		t.Errorf("%q", res.err)
	}
}

func TestHubsStartedAtOnceLeaveOne(t *testing.T) {
	r := newRig(t)
	var jobs []*job
	for range 8 {
		jobs = append(jobs, r.start("craze-cli", "ps"))
	}
	for _, j := range jobs {
		if res := j.wait(); res.code != 0 || strings.Contains(res.err, "no hub") {
			t.Errorf("%+v", res)
		}
	}
	r.eventually("one hub", func() bool {
		n := 0
		for _, p := range r.processes() {
			if p.is("craze-hub") {
				n++
			}
		}
		return n == 1
	})
}

func TestAnAgentThatForksLeavesNothingBehind(t *testing.T) {
	r := newRig(t)
	id := r.new("forks", "go on")
	r.must(0, "wait", id)
	if log := r.must(0, "log", id).out; !strings.Contains(log, "forked") {
		t.Fatalf("%q", log)
	}
	r.must(0, "stop", id)
	for _, p := range r.processes() {
		if p.is("craze-fake-agent") {
			t.Errorf("left running: %v", p)
		}
	}
}

func TestACreateRepeatedToAnotherHubStartsNoSecondSession(t *testing.T) {
	r := newRig(t)
	r.must(0, "ps") // starts the hub
	create := fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session.create","params":{"cwd":%q,"provider":"echo","requestId":"r-1"}}`, r.work)
	ask := func() string {
		return r.raw(`{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocols":[1],"client":{"kind":"t"}}}`, create)
	}
	first := ask()
	r.kill(r.the("craze-hub"), syscall.SIGKILL)
	r.eventually("the hub to go", func() bool {
		for _, p := range r.processes() {
			if p.is("craze-hub") {
				return false
			}
		}
		return true
	})
	second := ask()
	id := regexp.MustCompile(`"sessionId":"([^"]*)"`)
	if a, b := id.FindString(first), id.FindString(second); a == "" || a != b || !strings.Contains(second, `"prompt":"unknown"`) {
		t.Errorf("%s\n%s", first, second)
	}
}

func TestAHostThatIsSuspendedIsListedUnreachable(t *testing.T) {
	r := newRig(t)
	id := r.new("echo")
	r.kill(r.the("craze-host"), syscall.SIGSTOP)
	if s := r.state(id); s != "unreachable" {
		t.Errorf("state %q", s)
	}
	r.kill(r.the("craze-host"), syscall.SIGCONT)
	r.eventually("it to be back", func() bool { return r.state(id) == "idle" })
}

func TestAnAgentThatAnswersNothingCanBeWaitedForAndStopped(t *testing.T) {
	for _, script := range []string{"hang", "deaf"} {
		t.Run(script, func(t *testing.T) {
			r := newRig(t)
			id := r.new(script, "go on")
			r.must(124, "wait", id, "--timeout", "200ms")
			r.must(0, "cancel", id)
			r.must(0, "stop", id)
		})
	}
}

// TestWhatAnAgentRunsInASessionOfItsOwnEndsWithIt uses an agent that starts a
// command out of reach of its process group, and a session of craze's.
func TestWhatAnAgentRunsInASessionOfItsOwnEndsWithIt(t *testing.T) {
	for _, end := range []string{"stop", "kill -9"} {
		t.Run(end, func(t *testing.T) {
			r := newRig(t)
			script := "#!/bin/sh\nsetsid sleep 300 </dev/null >/dev/null 2>&1 &\n" +
				r.bin("craze-cli") + " new --provider echo inner >/dev/null 2>&1\nexec " + r.bin("craze-fake-agent") + " -script echo\n"
			if err := os.WriteFile(r.root+"/agent.sh", []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			r.config(fmt.Sprintf("[providers.wild]\ncommand = [%q]\n[providers.echo]\ncommand = [%q, \"-script\", \"echo\"]\n",
				r.root+"/agent.sh", r.bin("craze-fake-agent")))
			id := r.new("wild", "hi")
			r.must(0, "wait", id)
			count := func(name string) (n int) {
				for _, p := range r.processes() {
					if p.is(name) {
						n++
					}
				}
				return n
			}
			if count("sleep") != 1 || count("craze-host") != 2 {
				t.Fatalf("%v", r.processes())
			}
			if end == "stop" {
				r.must(0, "stop", id)
			} else {
				for _, p := range r.processes() {
					if p.is("craze-host") && strings.Contains(strings.Join(p.args, " "), "--provider=wild") {
						r.kill(p, syscall.SIGKILL)
					}
				}
			}
			r.eventually("the command to go", func() bool { return count("sleep") == 0 })
			if count("craze-host") != 1 || r.only() == "" {
				t.Errorf("the inner session is gone: %v", r.processes())
			}
		})
	}
}
