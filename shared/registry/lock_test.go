package registry

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"craze/shared/testkit"
)

// childHome makes a test binary a host of that home, in place of its tests.
const childHome = "CRAZE_TEST_CHILD_HOME"

func TestMain(m *testing.M) {
	if home := os.Getenv(childHome); home != "" {
		if err := child(home); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	testkit.CheckLeaks(m)
}

// child lives as a host until its stdin ends.
func child(home string) error {
	r, err := Open(home)
	if err != nil {
		return err
	}
	l, err := r.Lock(hostB)
	if err != nil {
		return err
	}
	c, err := r.Claim(session, hostB)
	if err != nil {
		return err
	}
	if err := l.Write(entry(hostB)); err != nil {
		return err
	}
	fmt.Println("ready")
	_, _ = os.Stdin.Read(make([]byte, 1))
	return errors.Join(l.Unlink(), c.Release(), l.Release(), r.Close())
}

// host starts a child and waits until it is listed.
func host(t *testing.T, home string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childHome+"="+home)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("child: %q, %v", line, err)
	}
	return cmd
}

func TestAKilledHostIsSweptAndItsSessionIsFree(t *testing.T) {
	home := testkit.SocketDir(t)
	r := open(t, home)
	cmd := host(t, home)
	write0(t, filepath.Join(r.HostsDir(), hostB+".json.tmp-0011"), "half")
	write0(t, filepath.Join(r.HostsDir(), "notes"), "a person's")

	hosts, err := r.Hosts()
	if err != nil || len(hosts) != 1 || hosts[0].ID != hostB || hosts[0].Err != nil {
		t.Errorf("alive: %v, %v", hosts, err)
	}
	if _, err := r.Lock(hostB); !errors.Is(err, ErrLocked) {
		t.Errorf("its lock: %v", err)
	}
	var heldBy *HeldError
	if _, err := r.Claim(session, hostA); !errors.As(err, &heldBy) || heldBy.HostID != hostB || heldBy.PID != cmd.Process.Pid {
		t.Errorf("its claim: %v", err)
	}

	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if hosts, err = r.Hosts(); err != nil || len(hosts) != 0 {
		t.Errorf("dead: %v, %v", hosts, err)
	}
	if diff := cmp.Diff([]string{"notes"}, files(t, home, "hosts")); diff != "" {
		t.Error(diff)
	}
	c, err := r.Claim(session, hostA)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Release(); err != nil {
		t.Fatal(err)
	}
}

func TestAHostIsSweptByOneLookAtIt(t *testing.T) {
	home := testkit.SocketDir(t)
	r := open(t, home)
	write0(t, filepath.Join(r.HostsDir(), hostA+".json"), `{"hostId":"0190ab12cd34"}`) // and no lock file
	if _, ok, err := r.Host(hostA); ok || err != nil {
		t.Errorf("Host = %v, %v", ok, err)
	}
	if left := files(t, home, "hosts"); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestTheLockNamesItsHolderAndIsRemovedLast(t *testing.T) {
	home := testkit.SocketDir(t)
	r := open(t, home)
	write0(t, filepath.Join(home, ".cache", "craze", "locks", session+".lock"), "4194304 0a0a0a0a0a0a and more of a crashed one")
	l := mustLock(t, r, hostA)
	c, err := r.Claim(session, hostA)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%d %s", os.Getpid(), hostA)
	for _, path := range []string{"hosts/" + hostA + ".lock", "locks/" + session + ".lock"} {
		b, err := os.ReadFile(filepath.Join(home, ".cache", "craze", path))
		if err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", path, b, err)
		}
	}
	if err := errors.Join(c.Release(), l.Release()); err != nil {
		t.Fatal(err)
	}
	for _, leaf := range []string{"hosts", "locks"} {
		if left := files(t, home, leaf); len(left) != 0 {
			t.Errorf("%s: left %v", leaf, left)
		}
	}
}

func TestAReplacedLockFileIsNotRemovedByItsFormerHolder(t *testing.T) {
	home := testkit.SocketDir(t)
	r := open(t, home)
	first := mustLock(t, r, hostA)
	path := filepath.Join(r.HostsDir(), hostA+".lock")
	if err := os.Rename(path, path+"-aside"); err != nil { // by hand
		t.Fatal(err)
	}
	second := mustLock(t, r, hostA)
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	if live, err := r.Live(hostA); err != nil || !live {
		t.Errorf("the second holder's lock: %v, %v", live, err)
	}
	if err := second.Release(); err != nil {
		t.Fatal(err)
	}
}

func TestThereIsNeverASecondHolder(t *testing.T) {
	home := testkit.SocketDir(t)
	r := open(t, home)
	const lockers, rounds = 4, 200
	var (
		wg      sync.WaitGroup
		holders atomic.Int32
		taken   atomic.Int32
	)
	for range lockers {
		wg.Go(func() {
			for range rounds {
				l, err := take(r.locks, "x.lock", os.O_CREATE)
				if errors.Is(err, errHeld) || errors.Is(err, errStale) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				taken.Add(1)
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d holders", n)
				}
				holders.Add(-1)
				if err := l.release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if taken.Load() == 0 {
		t.Error("nobody ever held it")
	}
}

func TestLookersDoNotKeepAHostFromStartingNorTakeEachOtherForIt(t *testing.T) {
	home := testkit.SocketDir(t)
	r := open(t, home)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				hosts, err := r.Hosts()
				if err != nil {
					t.Error(err)
					return
				}
				for _, h := range hosts {
					if h.Err != nil {
						t.Errorf("unnamed: %v", h.Err)
						return
					}
				}
			}
		})
	}
	for range 100 {
		l, err := r.Lock(hostA)
		if err != nil {
			t.Error(err)
			break
		}
		for range 3 {
			if err := l.Write(entry(hostA)); err != nil {
				t.Error(err)
			}
		}
		if l.Vanished() {
			t.Error("a live host was swept")
		}
		if err := errors.Join(l.Unlink(), l.Release()); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
}

func TestAnEntryIsReadWholeWhileItIsReplaced(t *testing.T) {
	home := testkit.SocketDir(t)
	r := open(t, home)
	l := mustLock(t, r, hostA)
	small, large := entry(hostA), entry(hostA)
	large.Workspace = string(make([]byte, 4000))
	if err := l.Write(small); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 200 {
			e := small
			if i%2 == 0 {
				e = large
			}
			if err := l.Write(e); err != nil {
				t.Error(err)
			}
		}
	})
	for range 500 {
		h, ok, err := r.Host(hostA)
		if err != nil || !ok || h.Err != nil || (h.Entry != small && h.Entry != large) {
			t.Fatalf("got %v, %v, %v", h, ok, err)
		}
	}
	wg.Wait()
	if err := errors.Join(l.Unlink(), l.Release()); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyOneHubRunsInANamespace(t *testing.T) {
	home := testkit.SocketDir(t)
	r := open(t, home)
	const ns = "0123abcd"
	if _, ok, err := r.Hub(ns); ok || err != nil {
		t.Errorf("before: %v, %v", ok, err)
	}
	l, err := r.HubLock(ns)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := r.Hub(ns); ok || err != nil {
		t.Errorf("before its record: %v, %v", ok, err)
	}
	rec := HubRecord{Protocol: 1, HubID: hostA, PID: os.Getpid(), StartedAt: entry(hostA).StartedAt, Socket: "/s/hub.sock"}
	if err := l.Write(rec); err != nil {
		t.Fatal(err)
	}
	if got, ok, err := r.Hub(ns); err != nil || !ok || got != rec {
		t.Errorf("got %v, %v, %v", got, ok, err)
	}
	if _, err := r.HubLock(ns); !errors.Is(err, ErrHubRunning) {
		t.Errorf("a second: %v", err)
	}
	other, err := r.HubLock("89abcdef")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Release(), other.Release()); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := r.Hub(ns); ok || err != nil {
		t.Errorf("after: %v, %v", ok, err)
	}
	if left := files(t, home, "hubs"); len(left) != 0 {
		t.Errorf("left %v", left)
	}
	write0(t, filepath.Join(home, ".cache", "craze", "hubs", ns+".json"), "{}") // of one that was killed
	write0(t, filepath.Join(home, ".cache", "craze", "hubs", ns+".lock"), "1")
	if _, ok, err := r.Hub(ns); ok || err != nil {
		t.Errorf("a dead one's record: %v, %v", ok, err)
	}
}

func TestIdsThatAreNoneAreRefused(t *testing.T) {
	r := open(t, testkit.SocketDir(t))
	for name, err := range map[string]error{
		"host":              errOf(r.Lock("../../etc/pas")),
		"upper case host":   errOf(r.Lock("0190AB12CD34")),
		"session":           errOf(r.Claim("..", hostA)),
		"session with /":    errOf(r.Claim("a/b", hostA)),
		"claim of no host":  errOf(r.Claim(session, "me")),
		"hub":               errOf(r.HubLock("0123abc/")),
		"log":               errOf(r.OpenLog("../x.log")),
		"hidden log":        errOf(r.OpenLog(".x")),
		"rename":            r.RenameLog("x.log", "../x"),
		"result":            errOf(r.WriteResult("a/b.md", nil)),
		"groups":            r.WritePgids("x", nil),
		"groups to remove":  r.RemovePgids("../x"),
		"groups to read":    errOf(r.ReadPgids("")),
		"too long a log":    errOf(r.OpenLog(string(make([]byte, 300)))),
		"missing log":       r.RenameLog("x.log", "y.log"),
		"record of nothing": errOf2(r.Hub("x")),
	} {
		if err == nil || errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func errOf[T any](_ T, err error) error          { return err }
func errOf2[T, U any](_ T, _ U, err error) error { return err }
