package e2e

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
)

// terminal is the real binary on a terminal of its own.
type terminal struct {
	r    *rig
	cmd  *exec.Cmd
	tty  *os.File
	out  output
	read sync.WaitGroup
}

// open runs craze on a terminal of 24 rows and 80 columns.
func (r *rig) open(args ...string) *terminal {
	r.t.Helper()
	c := &terminal{r: r, cmd: exec.Command(r.bin("craze"), args...)}
	c.cmd.Env, c.cmd.Dir = append(r.environ(), "TERM=xterm-256color", "NO_COLOR=1"), r.work
	tty, err := pty.StartWithSize(c.cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		r.t.Fatal(err)
	}
	c.tty = tty
	c.read.Go(func() { // ends as the program closes its side
		buf := make([]byte, 1<<16)
		for {
			n, err := tty.Read(buf)
			c.out.Write(buf[:n])
			if err != nil {
				return
			}
			c.reply(string(buf[:n]))
		}
	})
	return c
}

// reply answers what a program asks its terminal at the start.
func (c *terminal) reply(said string) {
	if strings.Contains(said, "\x1b]11;?") {
		c.keys("\x1b]11;rgb:0000/0000/0000\x1b\\")
	}
	if strings.Contains(said, "\x1b[6n") {
		c.keys("\x1b[1;1R")
	}
}

func (c *terminal) keys(s string) {
	if _, err := c.tty.WriteString(s); err != nil {
		c.r.t.Error(err)
	}
}

// sees waits until a text has been drawn.
func (c *terminal) sees(text string) {
	c.r.t.Helper()
	c.r.eventually("the screen to show "+text, func() bool { return strings.Contains(ansi.Strip(c.out.String()), text) })
}

// end waits for the program and gives its exit code.
func (c *terminal) end() int {
	err := c.cmd.Wait()
	c.tty.Close()
	c.read.Wait()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return e.ExitCode()
	}
	if err != nil {
		c.r.t.Error(err)
	}
	return 0
}

// only is the one session that is listed.
func (r *rig) only() string {
	r.t.Helper()
	lines := strings.Split(strings.TrimSpace(r.must(0, "ps").out), "\n")
	if len(lines) != 2 {
		return ""
	}
	return lines[1][:8]
}

func TestTheViewSendsShowsAndQuits(t *testing.T) {
	r := newRig(t)
	c := r.open("--provider", "echo")
	c.sees("idle")
	c.keys("hello there\r")
	c.sees("echo: hello there")
	c.keys("\x04") // ctrl+d ends the session
	if code := c.end(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if id := r.only(); id != "" {
		t.Errorf("session %s is still listed", id)
	}
	if out := c.out.String(); !strings.Contains(out, "\x1b[?1049h") || strings.LastIndex(out, "\x1b[?1049l") < strings.LastIndex(out, "\x1b[?1049h") {
		t.Error("the screen was not restored")
	}
}

func TestTheViewAnswersACardAndAnotherJoins(t *testing.T) {
	r := newRig(t)
	c := r.open("--provider", "ask", "--no-force")
	c.sees("idle")
	c.keys("please\r")
	c.sees("allow this?")
	id := r.only()
	d := r.open("attach", "--session", id)
	d.sees("allow this?")
	r.must(0, "answer", id, "head", "--allow")
	c.sees("answered: allow-once")
	d.sees("answered: allow-once")
	d.keys("\x04")
	if code := d.end(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if code := c.end(); code != 0 { // the session ended under it
		t.Errorf("exit %d", code)
	}
}

func TestAHangupClosesOnlyTheView(t *testing.T) {
	r := newRig(t)
	c := r.open("--provider", "slow")
	c.sees("idle")
	c.keys("go on\r")
	c.sees("working")
	if err := c.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	c.end()
	if res := r.must(0, "wait", r.only()); res.out == "" {
		t.Error("no answer")
	}
}

func TestTheFrontDoorRunsEveryCommand(t *testing.T) {
	r := newRig(t)
	if res := r.start("craze", "version").wait(); res.code != 0 || !strings.HasPrefix(res.out, "craze ") {
		t.Errorf("%+v", res)
	}
	if res := r.start("craze").wait(); res.code != 2 || strings.Count(res.err, "\n") != 1 {
		t.Errorf("%+v", res)
	}
}
