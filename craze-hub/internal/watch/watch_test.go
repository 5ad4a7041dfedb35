package watch

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAReplacedFileIsToldOnceItHasSettled(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	told := Changes(ctx, dir, func(err error) { t.Error(err) })
	for range 3 {
		tmp := filepath.Join(dir, ".tmp")
		if err := os.WriteFile(tmp, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(tmp, filepath.Join(dir, "a.json")); err != nil {
			t.Fatal(err)
		}
		if _, ok := <-told; !ok {
			t.Fatal("the watch ended")
		}
	}
	cancel()
	for range told { // it may hold one last change, and is then closed
	}
}

func TestADirectoryThatIsNotThereIsToldAsAFailure(t *testing.T) {
	var failed error
	told := Changes(t.Context(), filepath.Join(t.TempDir(), "no"), func(err error) { failed = err })
	if _, ok := <-told; ok || failed == nil {
		t.Errorf("open %v, failed %v", ok, failed)
	}
}
