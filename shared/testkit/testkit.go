package testkit

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// tick is how often a condition is looked at: short beside a person's notion
// of at once, long enough that a slow machine is not kept busy by it.
const tick = 5 * time.Millisecond

// update is the -update flag of every test binary that links this package.
var update = flag.Bool("update", false, "rewrite the golden files from what the tests got")

// CheckLeaks runs the tests of a package and fails when a goroutine is left.
// It is the whole body of a TestMain, and does not return.
func CheckLeaks(m *testing.M) { goleak.VerifyTestMain(m) }

// SocketDir is a new private directory whose canonical path is short enough
// for any socket below it, unlike t.TempDir's. It is removed with its contents
// when the test ends.
func SocketDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "cz")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	real, err := filepath.EvalSymlinks(dir) // macOS: /tmp is a link
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// errNotYet is what Eventually reports of a condition that only says no.
var errNotYet = errors.New("the condition does not hold")

// Eventually waits until cond is true, at most within, and ends the test
// otherwise.
func Eventually(t testing.TB, within time.Duration, cond func() bool) {
	t.Helper()
	EventuallyNil(t, within, func() error {
		if cond() {
			return nil
		}
		return errNotYet
	})
}

// EventuallyNil waits until check returns nil, at most within, and otherwise
// ends the test with the last error.
func EventuallyNil(t testing.TB, within time.Duration, check func() error) {
	t.Helper()
	end := time.Now().Add(within)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("not within %v: %v", within, err)
		}
		<-ticker.C
	}
}

// Golden compares got with the file testdata/<name> and fails the test where
// they differ. Under -update it writes the file.
func Golden(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		writeGolden(t, path, got)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("golden file: %v (-update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got), -update rewrites it:\n%s", path, diff)
	}
}

func writeGolden(t testing.TB, path, got string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
}
