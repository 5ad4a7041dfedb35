package spawn

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAStartedHostIsReadyAndReaped(t *testing.T) {
	o := options(t, "ok")
	fast := false
	o.Provider, o.Model, o.Fast, o.Log = "demo", "--odd", &fast, "/l"
	r, p, err := StartHost(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	want := "--ready-fd 3 --host-id " + id + " --workspace " + o.Workspace + " --provider=demo --model=--odd --log=/l --fast=false"
	if diff := cmp.Diff(want, r.Version); diff != "" {
		t.Error(diff)
	}
	select {
	case <-p.Done():
		t.Error("it has ended")
	default:
	}
	p.Terminate(t.Context())
	if err := p.Wait(); err != nil {
		t.Errorf("it ended: %v", err)
	}
	p.Terminate(t.Context()) // gone: nothing to do
	noChildren(t)
}

func TestAHostRunsAloneInItsWorkspace(t *testing.T) {
	o := options(t, "where")
	r, p, err := StartHost(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Terminate(t.Context())
	dir, err := filepath.EvalSymlinks(o.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := filepath.EvalSymlinks(r.Socket); err != nil || got != dir {
		t.Errorf("it runs in %q, not %q (%v)", r.Socket, dir, err)
	}
	if r.Version != "<nil>" {
		t.Error(r.Version)
	}
}

func TestAReadyLineOfALaterVersionIsTaken(t *testing.T) {
	_, p, err := StartHost(t.Context(), options(t, "later"))
	if err != nil {
		t.Fatal(err)
	}
	p.Terminate(t.Context())
}

func TestAStartThatFailsLeavesNothing(t *testing.T) {
	for act, want := range map[string]func(error) bool{
		"refused": func(err error) bool { return errors.Is(err, ErrRefused) && err.Error() == "refused: no such session" },
		"held": func(err error) bool {
			h, ok := errors.AsType[*HeldError](err)
			return ok && h.PID == 7 && h.HostID == "aaaaaaaaaaaa"
		},
		"failed":  func(err error) bool { return err.Error() == "no room" },
		"lingers": func(err error) bool { return err.Error() == "no room" },
		"mute":    func(err error) bool { return strings.Contains(err.Error(), "did not say why") },
		"garbage": func(err error) bool { return strings.Contains(err.Error(), "malformed") },
		"endless": func(err error) bool { return strings.Contains(err.Error(), "malformed") },
		"cut":     func(err error) bool { return strings.Contains(err.Error(), "ended without saying") },
		"crash":   func(err error) bool { return strings.Contains(err.Error(), "ended without saying") },
		"another": func(err error) bool { return strings.Contains(err.Error(), "another id") },
	} {
		t.Run(act, func(t *testing.T) {
			if _, p, err := StartHost(t.Context(), options(t, act)); err == nil || p != nil || !want(err) {
				t.Errorf("%v %v", p, err)
			}
			noChildren(t)
		})
	}
}

func TestAStartThatNeedsMoreThanItWasGivenStartsNothing(t *testing.T) {
	for name, spoil := range map[string]func(*HostOptions){
		"no binary":              func(o *HostOptions) { o.Binary = "" },
		"a binary not there":     func(o *HostOptions) { o.Binary = "/nowhere/craze-host" },
		"no id":                  func(o *HostOptions) { o.HostID = "" },
		"a relative workspace":   func(o *HostOptions) { o.Workspace = "." },
		"a workspace not there":  func(o *HostOptions) { o.Workspace = "/nowhere/at/all" },
		"an argument with a NUL": func(o *HostOptions) { o.Model = "a\x00b" },
	} {
		o := options(t, "ok")
		spoil(&o)
		if _, p, err := StartHost(t.Context(), o); err == nil || p != nil {
			t.Errorf("%s: %v %v", name, p, err)
		}
	}
	noChildren(t)
}

// up makes the pipe of upEnv and gives a wait for the process to be up.
func up(t *testing.T, o *HostOptions) (wait func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "up")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	o.Env = append(o.Env, upEnv+"="+path)
	return func() {
		f, err := os.Open(path) // opens once the other side has
		if err != nil {
			t.Error(err)
			return
		}
		f.Close()
	}
}

func TestAHostThatSaysNothingIsEnded(t *testing.T) {
	enough := errors.New("enough")
	for _, act := range []string{"silent", "stubborn"} {
		t.Run(act, func(t *testing.T) {
			o := options(t, act)
			wait := up(t, &o)
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() { // ends once the process is up
				wait()
				cancel(enough)
			}()
			if _, p, err := StartHost(ctx, o); p != nil || !errors.Is(err, enough) {
				t.Errorf("%v %v", p, err)
			}
			noChildren(t)
		})
	}
}

func TestAHubIsStartedOrAnotherServes(t *testing.T) {
	hub := func(act string) HubOptions {
		o := options(t, act)
		return HubOptions{Binary: o.Binary, Env: o.Env, Log: "/l"}
	}
	r, p, err := StartHub(t.Context(), hub("ok"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Ready{OK: true, HostID: id, Socket: "/s", Version: "--spawned --ready-fd 3 --log /l"}, r); diff != "" {
		t.Error(diff)
	}
	p.Terminate(t.Context())
	if _, _, err := StartHub(t.Context(), hub("held")); err == nil {
		t.Error("a hub that is held started")
	} else if _, held := errors.AsType[*HeldError](err); !held {
		t.Errorf("%v", err)
	}
	noChildren(t)
}

func TestASiblingIsFoundOrItsLackSaysWhatToDo(t *testing.T) {
	if _, err := Sibling("craze-nothing-of-the-kind"); err == nil || !strings.Contains(err.Error(), "make") {
		t.Errorf("%v", err)
	}
	if path, err := Sibling("sh"); err != nil || !filepath.IsAbs(path) {
		t.Errorf("%q %v", path, err)
	}
}

func TestASiblingStandsBesideWhereALinkLeads(t *testing.T) {
	real, links := t.TempDir(), t.TempDir()
	for name, mode := range map[string]os.FileMode{"craze": 0o700, "craze-host": 0o700, "craze-hub": 0o600} {
		if err := os.WriteFile(filepath.Join(real, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	self := filepath.Join(links, "craze")
	if err := os.Symlink(filepath.Join(real, "craze"), self); err != nil {
		t.Fatal(err)
	}
	want, err := filepath.EvalSymlinks(filepath.Join(real, "craze-host"))
	if err != nil {
		t.Fatal(err)
	}
	if path, ok := beside(self, "craze-host"); !ok || path != want {
		t.Errorf("%q %v", path, ok)
	}
	if path, ok := beside(self, "craze-hub"); ok {
		t.Errorf("%q cannot be run", path)
	}
}
