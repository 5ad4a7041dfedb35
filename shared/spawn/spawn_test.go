package spawn

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// actEnv makes this test binary act as a started process.
const actEnv = "CRAZE_SPAWN_ACT"

func TestMain(m *testing.M) {
	if act := os.Getenv(actEnv); act != "" {
		os.Exit(play(act))
	}
	goleak.VerifyTestMain(m)
}

// play is what a started process does, by the part it was given.
func play(act string) int {
	ready := os.NewFile(3, "ready")
	term := wait() // before anyone is told that this process is ready
	switch act {
	case "ok":
		if WriteReady(ready, Ready{OK: true, HostID: "0123456789ab", Socket: "/s", Version: strings.Join(os.Args[1:], " ")}) != nil {
			return 1
		}
		ready.Close()
		<-term
	case "refused":
		_ = WriteReady(ready, Ready{Error: "no such session", Refused: true})
		return 1
	case "held":
		_ = WriteReady(ready, Ready{Held: &Held{HostID: "aaaaaaaaaaaa", PID: 7}})
		return 1
	case "garbage":
		fmt.Fprintln(ready, "not json")
		<-term
	case "crash":
		return 3
	}
	return 0
}

func wait() <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	return c
}

func options(t *testing.T, act string) HostOptions {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return HostOptions{Binary: self, Env: append(os.Environ(), actEnv+"="+act), HostID: "0123456789ab", Workspace: t.TempDir()}
}

func children(t *testing.T) int {
	t.Helper()
	out, err := exec.Command("ps", "-o", "pid=", "--ppid", fmt.Sprint(os.Getpid())).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(out), "\n") - 1 // ps itself is one
}

func TestAStartedHostIsReadyAndReaped(t *testing.T) {
	o := options(t, "ok")
	o.Provider, o.Model = "demo", "--odd"
	r, p, err := StartHost(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	want := "--ready-fd 3 --host-id 0123456789ab --workspace " + o.Workspace + " --provider=demo --model=--odd"
	if diff := cmp.Diff(want, r.Version); diff != "" {
		t.Error(diff)
	}
	if pgid, err := syscall.Getpgid(p.PID); err != nil || pgid != p.PID {
		t.Errorf("process group %d of %d, %v", pgid, p.PID, err)
	}
	p.Terminate(t.Context())
	if err := p.Wait(); err != nil {
		t.Errorf("it ended: %v", err)
	}
}

func TestAStartThatFailsLeavesNothing(t *testing.T) {
	before := children(t)
	for act, want := range map[string]func(error) bool{
		"refused": func(err error) bool {
			return errors.Is(err, ErrRefused) && strings.Contains(err.Error(), "no such session")
		},
		"held": func(err error) bool {
			h, ok := errors.AsType[*HeldError](err)
			return ok && h.PID == 7
		},
		"garbage": func(err error) bool { return strings.Contains(err.Error(), "malformed") },
		"crash":   func(err error) bool { return strings.Contains(err.Error(), "ended without saying") },
	} {
		t.Run(act, func(t *testing.T) {
			if _, _, err := StartHost(t.Context(), options(t, act)); err == nil || !want(err) {
				t.Errorf("%v", err)
			}
		})
	}
	if _, _, err := StartHost(t.Context(), HostOptions{Binary: "/nowhere/craze-host", Workspace: "/"}); err == nil {
		t.Error("a binary that is not there started")
	}
	if n := children(t); n != before {
		t.Errorf("%d children, %d before", n, before)
	}
}

func TestAGroupIsKilledOnlyWhileItsLeaderIsTheSame(t *testing.T) {
	o := options(t, "ok")
	_, p, err := StartHost(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	line, err := GroupLine(p.PID)
	if err != nil {
		t.Fatal(err)
	}
	KillGroups([]byte("garbage\n1 1\n" + strings.Replace(line, " ", " 1", 1)))
	select {
	case <-p.Done():
		t.Fatal("another's group was killed")
	default:
	}
	KillGroups([]byte(line))
	if err := p.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("it ended: %v", err)
	}
	KillGroups([]byte(line)) // gone: nothing to do
}

func TestASiblingIsFoundOrItsLackSaysWhatToDo(t *testing.T) {
	if _, err := Sibling("craze-nothing-of-the-kind"); err == nil || !strings.Contains(err.Error(), "make") {
		t.Errorf("%v", err)
	}
	if path, err := Sibling("sh"); err != nil || !strings.HasPrefix(path, "/") {
		t.Errorf("%q %v", path, err)
	}
}
