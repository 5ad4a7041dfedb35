package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	gotoml "github.com/pelletier/go-toml/v2"
)

func decoded(t *testing.T, path string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	if err := gotoml.Unmarshal(data, &out); err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	return out
}

func TestSavingTheProviderKeepsTheRest(t *testing.T) {
	dir := write(t, `
theme = "x" # a comment
provider = 3
when = 2026-01-02T03:04:05.6+07:00
day = 2026-01-02
clock = 07:32:00.5
text = """
two "lines" \u0001
"""
nothing = []
floats = [1.0, -0.25, 1e300]
[unknown]
n = 9007199254740993
"quoted.key" = { a = [[1], ["b"]] }
[unknown.empty]
[[rows]]
x = 1
[[rows]]
[models."gpt-4.1".cost]
input = 0.5
`)
	path := filepath.Join(dir, fileName)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	want := decoded(t, path)
	want["provider"] = "grok"
	if err := SaveProvider(dir, "grok"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, decoded(t, path)); diff != "" {
		t.Error(diff)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if c, _, err := Load(dir); err != nil || c.DefaultProvider() != "grok" || c.Theme() != "x" {
		t.Errorf("%v %q", err, c.DefaultProvider())
	}
}

func TestASaveThatChangesNothingWritesNothing(t *testing.T) {
	dir := write(t, "# mine\nprovider = 'grok'\n")
	if err := SaveProvider(dir, "grok"); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, fileName)); string(b) != "# mine\nprovider = 'grok'\n" {
		t.Errorf("it holds %q", b)
	}
}

func TestAFileThatDoesNotParseIsNeverReplaced(t *testing.T) {
	dir := write(t, "theme = ")
	if err := SaveProvider(dir, "grok"); err == nil {
		t.Error("no error")
	}
	if b, _ := os.ReadFile(filepath.Join(dir, fileName)); string(b) != "theme = " {
		t.Errorf("it holds %q", b)
	}
}

func TestTheFirstSaveMakesAPrivateFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "craze")
	if err := SaveProvider(dir, "demo"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{".": 0o700, fileName: 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
}

func TestALinkedFileIsReplacedWhereItIs(t *testing.T) {
	real := write(t, "theme = 'x'\n")
	dir := t.TempDir()
	link := filepath.Join(dir, fileName)
	if err := os.Symlink(filepath.Join(real, fileName), link); err != nil {
		t.Fatal(err)
	}
	if err := SaveProvider(dir, "grok"); err != nil {
		t.Fatal(err)
	}
	if got := decoded(t, filepath.Join(real, fileName)); got["provider"] != "grok" {
		t.Errorf("%v", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if err := os.Remove(filepath.Join(real, fileName)); err != nil {
		t.Fatal(err)
	}
	if err := SaveProvider(dir, "gx"); err == nil {
		t.Error("a link to nothing was replaced")
	}
}
