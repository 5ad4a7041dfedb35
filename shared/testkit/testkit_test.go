package testkit

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestMain(m *testing.M) { CheckLeaks(m) }

// recorder is a testing.TB that notes a failure in place of ending the test.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Fatalf(string, ...any) { r.failed = true; panic(r) }

// failed runs f and reports whether it failed its test.
func failed(t *testing.T, f func(testing.TB)) bool {
	r := &recorder{TB: t}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(r) {
				panic(p)
			}
		}()
		f(r)
	}()
	return r.failed
}

func TestASocketDirIsShortPrivateAndRemovedAtTheEnd(t *testing.T) {
	var dir string
	t.Run("inner", func(t *testing.T) {
		dir = SocketDir(t)
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o700 || len(dir) > 40 {
			t.Errorf("got %v with %d bytes", info.Mode(), len(dir))
		}
	})
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
}

func TestEventuallyWaitsAndGivesUp(t *testing.T) {
	looks := 0
	Eventually(t, time.Minute, func() bool { looks++; return looks == 3 })
	if looks != 3 {
		t.Errorf("looked %d times", looks)
	}
	never := func(tb testing.TB) { Eventually(tb, time.Nanosecond, func() bool { return false }) }
	if !failed(t, never) {
		t.Error("a condition that never holds passed")
	}
}

func TestGoldenComparesAndUpdates(t *testing.T) {
	t.Chdir(t.TempDir())
	was := *update
	t.Cleanup(func() { *update = was })

	*update = true
	Golden(t, "deep/x.txt", "one\n")
	if b, err := os.ReadFile(filepath.Join("testdata", "deep", "x.txt")); err != nil || string(b) != "one\n" {
		t.Fatalf("got %q, %v", b, err)
	}
	*update = false
	Golden(t, "deep/x.txt", "one\n")
	if !failed(t, func(tb testing.TB) { Golden(tb, "deep/x.txt", "two\n") }) {
		t.Error("a difference passed")
	}
	if !failed(t, func(tb testing.TB) { Golden(tb, "missing", "") }) {
		t.Error("a missing file passed")
	}
}
