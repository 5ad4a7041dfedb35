package logfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type folder string

func (d folder) OpenLog(name string) (*os.File, error) {
	return os.OpenFile(filepath.Join(string(d), name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}

func (d folder) RenameLog(from, to string) error {
	return os.Rename(filepath.Join(string(d), from), filepath.Join(string(d), to))
}

func TestALogIsRotatedOnce(t *testing.T) {
	dir := folder(t.TempDir())
	w, err := Open(dir, "a.log", 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range "abcd" {
		if _, err := w.Write([]byte(strings.Repeat(string(c), 59) + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a.log": "d", "a.log.1": "c"} {
		got, err := os.ReadFile(filepath.Join(string(dir), name))
		if err != nil || len(got) != 60 || got[0] != want[0] {
			t.Errorf("%s holds %.1q.. (%d bytes), %v", name, got, len(got), err)
		}
	}
	if names, _ := filepath.Glob(filepath.Join(string(dir), "*")); len(names) != 2 {
		t.Errorf("files %v", names)
	}
}
