package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"craze/craze-fake-agent/internal/acptest"
	"craze/craze-fake-agent/internal/script"
)

// asAgent in the environment makes the test binary the agent, and so too the
// child that the agent forks.
const asAgent = "CRAZE_FAKE_AGENT_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asAgent) != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}

// process is the agent in a process and a process group of its own.
type process struct {
	*acptest.Client
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr *bytes.Buffer // to be read after wait
	waited bool
}

func start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: exec.Command(self, args...), stderr: &bytes.Buffer{}}
	p.cmd.Env = append([]string{asAgent + "=1", "GORACE=atexit_sleep_ms=0"}, env...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// stderr through a file, so that no goroutine of Wait's is held up by a
	// child of the agent's that keeps it open.
	words, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stderr = words
	inR, inW, outR, outW := pipes(t)
	p.cmd.Stdin, p.cmd.Stdout, p.stdin = inR, outW, inW
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = inR.Close(), outW.Close()
	p.Client = acptest.New(t, inW, outR)
	t.Cleanup(func() {
		_ = inW.Close()
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // whatever is left of the group
		p.wait()
		_ = words.Close()
	})
	return p
}

func pipes(t *testing.T) (inR, inW, outR, outW *os.File) {
	t.Helper()
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err = os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = outR.Close() })
	return inR, inW, outR, outW
}

// wait waits for the agent's end; later calls do nothing.
func (p *process) wait() {
	p.t.Helper()
	if p.waited {
		return
	}
	p.waited = true
	var exit *exec.ExitError
	if err := p.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	words, err := os.ReadFile(p.cmd.Stderr.(*os.File).Name())
	if err != nil {
		p.t.Fatal(err)
	}
	p.stderr.Write(words)
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

func TestAgentEndsWithItsInput(t *testing.T) {
	for _, name := range []string{"echo", "hang", "hang-start", "slow", "late", "garbage"} {
		t.Run(name, func(t *testing.T) {
			p := start(t, []string{"CRAZE_FAKE_SCRIPT=" + name}, "agent", "--no-leader", "stdio")
			if name == "hang-start" {
				p.Initialize()
			} else {
				p.Handshake("/a")
				p.Prompt("go")
				p.Next() // the turn has begun
			}
			_ = p.stdin.Close()
			p.Rest()
			p.wait()
			if code := p.cmd.ProcessState.ExitCode(); code != 0 || p.stderr.Len() > 0 {
				t.Errorf("exit %d, said %q", code, p.stderr)
			}
		})
	}
}

func TestAgentDiesOfSIGTERM(t *testing.T) {
	for _, name := range []string{"echo", "hang", "hang-start", "deaf", "asleep"} {
		t.Run(name, func(t *testing.T) {
			p := start(t, nil, "-script", name, "acp")
			if name != "asleep" {
				id := p.Initialize()
				if name != "hang-start" {
					p.Await(id)
				}
			}
			p.signal(syscall.SIGTERM)
			p.Rest()
			p.wait()
			if s := p.cmd.ProcessState.Sys().(syscall.WaitStatus); s.Signal() != syscall.SIGTERM {
				t.Errorf("ended by %v", p.cmd.ProcessState)
			}
		})
	}
}

func TestEnvironmentNamesScriptAndSession(t *testing.T) {
	p := start(t, []string{"CRAZE_FAKE_SCRIPT=burst 2", "CRAZE_FAKE_SESSION_ID=in-{dir}"}, "--force", "acp")
	p.Handshake("/some/where")
	if p.Session != "in-where" {
		t.Errorf("session %q", p.Session)
	}
	if _, lines := p.Turn("go"); acptest.Text(lines) != "chunk-0 chunk-1 " {
		t.Errorf("said %q", acptest.Text(lines))
	}
}

func TestExitAndWordsOfTheEnd(t *testing.T) {
	for _, c := range []struct {
		script string
		code   int
		words  string
	}{
		{"crash", 3, "craze-fake-agent: fatal: the script ends the agent in the middle of a turn\n"},
		{"crash-start", 1, "craze-fake-agent: fatal: the script ends the agent at its start\n"},
		{"crash-start:early", 1, "craze-fake-agent: fatal: the script ends the agent at its start\n"},
		{"burst:many", 2, "craze-fake-agent: script burst [N[,PER]]: \"many\" is no whole number from 1 to 1000000000\n"},
		{"nope", 2, "craze-fake-agent: unknown script \"nope\"; the scripts are demo, echo, "},
	} {
		t.Run(c.script, func(t *testing.T) {
			p := start(t, nil, "-script", c.script)
			switch c.script {
			case "crash":
				p.Handshake("/a")
				p.Prompt("go")
			case "crash-start":
				p.Initialize()
			}
			p.Rest()
			p.wait()
			if code := p.cmd.ProcessState.ExitCode(); code != c.code {
				t.Errorf("exit %d, want %d", code, c.code)
			}
			if got := p.stderr.String(); !strings.HasPrefix(got, c.words) || strings.Count(got, "\n") != 1 {
				t.Errorf("said %q", got)
			}
		})
	}
}

func TestListNamesEveryScript(t *testing.T) {
	p := start(t, nil, "-list")
	var listed []string
	for _, m := range p.Rest() {
		listed = append(listed, strings.Fields(string(m.Line))[0])
	}
	var want []string
	for _, s := range script.All() {
		want = append(want, s.Name)
	}
	if got := strings.Join(listed, " "); got != strings.Join(want, " ") {
		t.Errorf("listed %s", got)
	}
}

func TestStubbornEndsOnlyBySIGKILL(t *testing.T) {
	p := start(t, nil, "-script", "stubborn")
	p.Handshake("/a")
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		p.signal(s)
	}
	if _, lines := p.Turn("still there"); acptest.Text(lines) != "echo: still there" {
		t.Errorf("said %q", acptest.Text(lines))
	}
	_ = p.stdin.Close()
	p.signal(syscall.SIGTERM)
	p.signal(syscall.SIGKILL)
	p.wait()
	if s := p.cmd.ProcessState.Sys().(syscall.WaitStatus); s.Signal() != syscall.SIGKILL {
		t.Errorf("ended by %v", p.cmd.ProcessState)
	}
}

// deafBytes is over what the pipe and the agent's read buffer hold together.
const deafBytes = 4 << 20

func TestDeafStopsReadingAndGoesOnStreaming(t *testing.T) {
	p := start(t, nil, "-script", "deaf")
	p.Handshake("/a")
	p.Prompt("go")
	p.Next()
	in := p.stdin.(*os.File)
	if err := in.SetWriteDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(bytes.Repeat([]byte("x\n"), deafBytes/2)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("writing to it: %v", err)
	}
	p.Until(func(m acptest.Message) bool { u, _ := m.Update(); return u.Text == "tick-5 " })
}

func TestForkedChildHoldsStdoutUntilItsGroupDies(t *testing.T) {
	for _, name := range []string{"forks", "forks:stubborn"} {
		t.Run(name, func(t *testing.T) {
			p := start(t, nil, "-script", name)
			p.Handshake("/a")
			_, lines := p.Turn("go")
			pid, err := strconv.Atoi(strings.TrimPrefix(acptest.Text(lines), "forked "))
			if err != nil {
				t.Fatal(err)
			}
			_ = p.stdin.Close()
			p.wait() // the agent ends and its child does not
			if group, err := syscall.Getpgid(pid); err != nil || group != p.cmd.Process.Pid {
				t.Fatalf("the child's group is %d (%v), want %d", group, err, p.cmd.Process.Pid)
			}
			if err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			p.Rest() // ends when nobody holds stdout
		})
	}
}
