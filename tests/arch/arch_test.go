package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// may is what each package may import of the workspace. A prefix that ends in
// /... is every package below it; "*" is all of the module it stands in.
var may = map[string][]string{
	"craze/shared/proto":      {},
	"craze/shared/text":       {},
	"craze/shared/sock":       {},
	"craze/shared/logfile":    {},
	"craze/shared/wire":       {"craze/shared/proto"},
	"craze/shared/registry":   {"craze/shared/proto"},
	"craze/shared/transcript": {"craze/shared/proto"},
	"craze/shared/config":     {"craze/shared/proto"},
	"craze/shared/spawn":      {"craze/shared/registry", "craze/shared/config", "craze/shared/sock"},
	"craze/shared/client": {
		"craze/shared/proto", "craze/shared/wire", "craze/shared/sock", "craze/shared/transcript",
	},
	"craze/shared/testkit":      {"craze/shared/..."},
	"craze/craze-host/agent":    {"craze/shared/proto"},
	"craze/craze-host/eventlog": {"craze/shared/proto"},
	"craze/craze-host/session": {
		"craze/shared/proto", "craze/shared/transcript", "craze/shared/text",
		"craze/craze-host/agent", "craze/craze-host/eventlog",
	},
	"craze/craze-host/control": {
		"craze/shared/proto", "craze/shared/wire", "craze/shared/sock", "craze/shared/transcript",
		"craze/craze-host/session", "craze/craze-host/eventlog",
	},
	"craze/craze-host/acp":              {"craze/shared/proto", "craze/craze-host/agent"},
	"craze/craze-host/internal/journal": {"craze/shared/proto", "craze/craze-host/eventlog"},
	"craze/craze-host/...":              {"craze/shared/...", "craze/craze-host/..."},
	"craze/craze-hub/...":               {"craze/shared/...", "craze/craze-hub/..."},
	"craze/craze-cli/...":               {"craze/shared/...", "craze/craze-cli/..."},
	"craze/craze-tui/...":               {"craze/shared/...", "craze/craze-tui/..."},
	"craze/craze-fake-host/...": {
		"craze/shared/...", "craze/craze-fake-host/...",
		"craze/craze-host/agent", "craze/craze-host/session", "craze/craze-host/eventlog", "craze/craze-host/control",
	},
	"craze/craze-fake-agent/...": {"craze/shared/proto", "craze/craze-fake-agent/..."},
	"craze/tests/...":            {"craze/shared/...", "craze/craze-host/...", "craze/tests/..."},
}

// only is which packages may import a library that is one room's alone.
var only = map[string][]string{
	"github.com/charmbracelet/bubbletea": {"craze/craze-tui/..."},
	"github.com/urfave/cli/v2":           {"craze/craze-cli/..."},
	"github.com/fsnotify/fsnotify":       {"craze/craze-hub/internal/watch"},
}

const (
	maxFile = 600 // lines; past it a file is more than one idea
	maxFunc = 80  // lines; past it a function is more than one thing
)

type pkg struct {
	ImportPath string
	Name       string
	Dir        string
	GoFiles    []string
	Imports    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Dir,GoFiles,Imports", "work")
	cmd.Dir = root(t)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if len(p.GoFiles) > 0 {
			all = append(all, p)
		}
	}
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func matches(pattern, path string) bool {
	if stem, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == stem || strings.HasPrefix(path, stem+"/")
	}
	return pattern == path
}

// rule is the longest entry of may that stands for a package.
func rule(path string) (best string) {
	for p := range may {
		if matches(p, path) && len(p) > len(best) {
			best = p
		}
	}
	return best
}

func TestImportsGoOnlyAsDrawn(t *testing.T) {
	for _, p := range packages(t) {
		r := rule(p.ImportPath)
		if r == "" {
			t.Errorf("%s has no room in the plan", p.ImportPath)
			continue
		}
		for _, imp := range p.Imports {
			allowed := func(pat string) bool { return matches(pat, imp) }
			if strings.HasPrefix(imp, "craze/") && !slices.ContainsFunc(may[r], allowed) {
				t.Errorf("%s imports %s", p.ImportPath, imp)
			}
			for lib, rooms := range only {
				in := func(room string) bool { return matches(room, p.ImportPath) }
				if imp == lib && !slices.ContainsFunc(rooms, in) {
					t.Errorf("%s imports %s, which is %v's", p.ImportPath, imp, rooms)
				}
			}
		}
	}
}

func TestEveryPackageSaysWhatItOwns(t *testing.T) {
	const least = 80 // characters; less says nothing of order, blocking or limits
	for _, p := range packages(t) {
		if doc := comment(t, p); p.Name != "main" && len(doc) < least {
			t.Errorf("%s: package comment %q", p.ImportPath, doc)
		}
		for _, vague := range []string{"util", "common", "helper", "manager", "misc", "types"} {
			if strings.Contains(p.Name, vague) {
				t.Errorf("%s is a name that owns nothing", p.ImportPath)
			}
		}
	}
}

// comment is a package's whole comment, of whichever file holds it.
func comment(t *testing.T, p pkg) string {
	t.Helper()
	doc := ""
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		doc += f.Doc.Text()
	}
	return doc
}

func TestFilesAndFunctionsAreShort(t *testing.T) {
	for _, p := range packages(t) {
		for _, name := range p.GoFiles {
			path := filepath.Join(p.Dir, name)
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			if n := fset.File(f.Pos()).LineCount(); n > maxFile {
				t.Errorf("%s has %d lines", path, n)
			}
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok {
					if n := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line; n > maxFunc {
						t.Errorf("%s: %s has %d lines", path, fn.Name.Name, n)
					}
				}
			}
		}
	}
}

func TestOwnersHoldNoMutex(t *testing.T) {
	for _, room := range []string{"craze-host/session", "craze-hub/internal/roster", "craze-tui/internal/ui"} {
		each(t, filepath.Join(root(t), room), func(path string, src []byte) {
			for _, word := range []string{"sync.Mutex", "sync.RWMutex"} {
				if bytes.Contains(src, []byte(word)) {
					t.Errorf("%s holds a %s", path, word)
				}
			}
		})
	}
}

// TestNoTestSleeps holds that a test waits for something rather than for a
// while. A synctest bubble's clock is not real, and is let be.
func TestNoTestSleeps(t *testing.T) {
	each(t, root(t), func(path string, src []byte) {
		if strings.HasSuffix(path, "_test.go") && bytes.Contains(src, []byte("time"+".Sleep(")) && !bytes.Contains(src, []byte("testing/synctest")) {
			t.Errorf("%s sleeps", path)
		}
	})
}

func each(t *testing.T, dir string, f func(path string, src []byte)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != dir {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		src, err := os.ReadFile(path)
		if err == nil {
			f(path, src)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEverySiblingIsReplacedAndTheGoLinesAgree(t *testing.T) {
	mods, err := filepath.Glob(filepath.Join(root(t), "*", "go.mod"))
	if err != nil || len(mods) == 0 {
		t.Fatalf("%d modules, %v", len(mods), err)
	}
	for _, m := range mods {
		b, err := os.ReadFile(m)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), "\ngo 1.26.0\n") {
			t.Errorf("%s: its go line differs", m)
		}
		for line := range strings.Lines(string(b)) {
			f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
			if len(f) == 2 && strings.HasPrefix(f[0], "craze/") && f[1] == "v0.0.0" {
				want := fmt.Sprintf("%s => ../%s", f[0], strings.TrimPrefix(f[0], "craze/"))
				if !strings.Contains(string(b), want) {
					t.Errorf("%s: %s has no replace", m, f[0])
				}
			}
		}
	}
}
