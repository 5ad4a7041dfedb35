package create

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"craze/shared/proto"
	"craze/shared/registry"
	"craze/shared/spawn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// service is one whose hosts cannot be started; it counts the tries.
func service(t *testing.T, gate <-chan struct{}) (*Service, *atomic.Int32) {
	t.Helper()
	home := t.TempDir()
	reg, err := registry.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reg.Close() })
	craze := filepath.Join(home, "craze")
	if err := os.MkdirAll(craze, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(craze, "config.toml"), []byte(`provider = "demo"`), 0o600); err != nil {
		t.Fatal(err)
	}
	tries := &atomic.Int32{}
	s := New(Config{
		Registry: reg, CrazeDir: craze, Log: func(error) {}, Binary: func() (string, error) { return "/bin/craze-host", nil },
		Spawn: func(_ context.Context, o spawn.HostOptions) (spawn.Ready, *spawn.Process, error) {
			tries.Add(1)
			if o.Provider != "demo" || o.PermissionMode != proto.PermBypass || o.Workspace != home {
				t.Errorf("options %+v", o)
			}
			if gate != nil {
				<-gate
			}
			return spawn.Ready{}, nil, errors.New("no room")
		},
	})
	t.Cleanup(func() { s.Close(context.Background()) })
	return s, tries
}

func reason(t *testing.T, err error) proto.Reason {
	t.Helper()
	e, ok := errors.AsType[*proto.Error](err)
	if !ok {
		t.Fatalf("%v is no refusal", err)
	}
	return e.Data.Reason
}

func TestWhatACreateRefuses(t *testing.T) {
	s, tries := service(t, nil)
	for name, p := range map[string]proto.CreateParams{
		"a relative directory":  {Cwd: "work"},
		"none":                  {},
		"a directory not there": {Cwd: "/nowhere/at/all"},
		"a file":                {Cwd: "/etc/passwd"},
		"an unknown provider":   {Cwd: "/", Provider: "nope"},
		"a bad request id":      {Cwd: "/", RequestID: "a b"},
		"a bad permission mode": {Cwd: "/", PermissionMode: "yes"},
	} {
		if _, err := s.Create(t.Context(), p); reason(t, err) != proto.ReasonBadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	if tries.Load() != 0 {
		t.Errorf("%d hosts were tried", tries.Load())
	}
}

func TestARepeatIsAnsweredTheSameAndStartsNothing(t *testing.T) {
	gate := make(chan struct{})
	s, tries := service(t, gate)
	p := proto.CreateParams{Cwd: filepath.Dir(s.cfg.CrazeDir), RequestID: "r-1"}
	answers := make(chan error, 3)
	for range 3 {
		go func() {
			_, err := s.Create(context.Background(), p)
			answers <- err
		}()
	}
	close(gate)
	for range 3 {
		if err := <-answers; reason(t, err) != proto.ReasonSpawnFailed {
			t.Errorf("%v", err)
		}
	}
	if _, err := s.Create(t.Context(), p); reason(t, err) != proto.ReasonSpawnFailed || tries.Load() != 1 {
		t.Errorf("%v, %d tries", err, tries.Load())
	}
	p.Prompt = "other"
	if _, err := s.Create(t.Context(), p); reason(t, err) != proto.ReasonRequestConflict {
		t.Errorf("other params: %v", err)
	}
}

func TestAWaiterThatGoesEndsNoCreate(t *testing.T) {
	gate := make(chan struct{})
	s, tries := service(t, gate)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := proto.CreateParams{Cwd: filepath.Dir(s.cfg.CrazeDir), RequestID: "r-1"}
	if _, err := s.Create(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(gate)
	if _, err := s.Create(t.Context(), p); reason(t, err) != proto.ReasonSpawnFailed || tries.Load() != 1 {
		t.Errorf("%v, %d tries", err, tries.Load())
	}
}

func TestCreatesAreBoundedAndACloseRefuses(t *testing.T) {
	gate := make(chan struct{})
	s, _ := service(t, gate)
	p := proto.CreateParams{Cwd: filepath.Dir(s.cfg.CrazeDir)}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range maxCreates {
		if _, err := s.Create(ctx, p); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if _, err := s.Create(t.Context(), p); reason(t, err) != proto.ReasonBusy || s.Busy() != maxCreates {
		t.Errorf("%v, %d run", err, s.Busy())
	}
	close(gate)
	s.Close(t.Context())
	if _, err := s.Create(t.Context(), p); reason(t, err) != proto.ReasonClosing {
		t.Errorf("%v", err)
	}
}
