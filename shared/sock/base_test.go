package sock

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"craze/shared/testkit"
)

func TestMain(m *testing.M) { testkit.CheckLeaks(m) }

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func mkdir(t *testing.T, path string, perm fs.FileMode) string {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, perm); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheNamespaceIsTheHashOfTheCleanedDirectory(t *testing.T) {
	const want = "5a03d8c5" // printf %s /home/me/.craze | sha256sum
	for _, dir := range []string{"/home/me/.craze", "/home/me/.craze/", "/home/./me/x/../.craze"} {
		if got := Namespace(dir); got != want {
			t.Errorf("Namespace(%q) = %q, want %q", dir, got, want)
		}
	}
}

func TestTheRuntimeDirectoryOfTheVariableIsTheBase(t *testing.T) {
	root := testkit.SocketDir(t)
	want := filepath.Join(root, "deep", "run")
	got, err := Base(Env{RuntimeDir: want + "/", XDGRuntimeDir: root})
	if err != nil || got != want {
		t.Fatalf("Base = %q, %v, want %q", got, err, want)
	}
	for _, dir := range []string{want, filepath.Dir(want)} {
		if m := mode(t, dir); m != 0o700 {
			t.Errorf("%s has mode %o", dir, m)
		}
	}
	path, err := HostPath(got, "0123abcd", "0190ab12cd34")
	if err != nil || path != want+"/0123abcd/0190ab12cd34.sock" {
		t.Errorf("HostPath = %q, %v", path, err)
	}
	if path, err = HubPath(got, "0123abcd"); err != nil || path != want+"/0123abcd/hub.sock" {
		t.Errorf("HubPath = %q, %v", path, err)
	}
}

func TestAnUnusableRuntimeDirectoryIsAnErrorAndNeverPassedOver(t *testing.T) {
	root := testkit.SocketDir(t)
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "nothing"), filepath.Join(root, "dangling")); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{
		"relative":                       "run",
		"a file":                         file,
		"below a file":                   filepath.Join(file, "x"),
		"a dangling link":                filepath.Join(root, "dangling"),
		"writable by the group":          mkdir(t, filepath.Join(root, "group"), 0o770),
		"writable by all, though sticky": mkdir(t, filepath.Join(root, "all"), 0o777|fs.ModeSticky),
		"below a writable one":           filepath.Join(mkdir(t, filepath.Join(root, "open"), 0o777), "x"),
	} {
		got, err := Base(Env{RuntimeDir: dir, XDGRuntimeDir: root})
		if err == nil || got != "" || !strings.Contains(err.Error(), "CRAZE_RUNTIME_DIR") {
			t.Errorf("%s: Base = %q, %v", name, got, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(root, "craze")); err == nil {
		t.Error("the next candidate was made")
	}
}

func TestAStickyAncestorIsFineAndAReadableBaseIsClosed(t *testing.T) {
	root := testkit.SocketDir(t)
	sticky := mkdir(t, filepath.Join(root, "tmp"), 0o777|fs.ModeSticky)
	base := mkdir(t, filepath.Join(sticky, "base"), 0o755)
	if got, err := Base(Env{RuntimeDir: base}); err != nil || got != base {
		t.Fatalf("Base = %q, %v", got, err)
	}
	if m := mode(t, base); m != 0o700 {
		t.Errorf("mode %o", m)
	}
}

func TestATooLongPathIsRefusedBeforeAnythingIsMade(t *testing.T) {
	root := testkit.SocketDir(t)
	exact := filepath.Join(root, strings.Repeat("a", PathMax-hostTail-len(root)-1))
	if _, err := Base(Env{RuntimeDir: exact}); err != nil {
		t.Errorf("a base that just fits: %v", err)
	}
	long := exact + "b"
	if _, err := Base(Env{RuntimeDir: long}); !errors.Is(err, ErrPathLength) || !strings.Contains(err.Error(), "CRAZE_RUNTIME_DIR") {
		t.Errorf("the variable: %v", err)
	}
	xdg := mkdir(t, filepath.Join(root, strings.Repeat("x", 60)), 0o700)
	if _, err := Base(Env{XDGRuntimeDir: xdg}); !errors.Is(err, ErrPathLength) {
		t.Errorf("XDG_RUNTIME_DIR: %v", err)
	}
	for _, made := range []string{long, filepath.Join(xdg, "craze")} {
		if _, err := os.Lstat(made); err == nil {
			t.Errorf("%s was made", made)
		}
	}
	if _, err := HostPath(long, "0123abcd", "0190ab12cd34"); !errors.Is(err, ErrPathLength) {
		t.Errorf("HostPath: %v", err)
	}
	if _, err := Listen(filepath.Join(long, "0123abcd", "0190ab12cd34.sock")); !errors.Is(err, ErrPathLength) {
		t.Errorf("Listen: %v", err)
	}
}

func TestTheFirstUsableCandidateIsTheBase(t *testing.T) {
	uid := os.Geteuid()
	own := strconv.Itoa(uid)
	tests := []struct {
		name string
		make func(t *testing.T, root string) (xdg string)
		want string // below root
	}{
		{"XDG_RUNTIME_DIR", func(t *testing.T, root string) string {
			mkdir(t, filepath.Join(root, "run", own), 0o700)
			return mkdir(t, filepath.Join(root, "xdg"), 0o700)
		}, "xdg/craze"},
		{"a missing XDG_RUNTIME_DIR is passed over", func(t *testing.T, root string) string {
			mkdir(t, filepath.Join(root, "run", own), 0o700)
			return filepath.Join(root, "xdg")
		}, "run/" + own + "/craze"},
		{"a relative one is passed over", func(t *testing.T, root string) string {
			return "xdg"
		}, "tmp/craze-" + own},
		{"one that others can write is passed over", func(t *testing.T, root string) string {
			return mkdir(t, filepath.Join(root, "xdg"), 0o770)
		}, "tmp/craze-" + own},
		{"one whose craze is a file is passed over", func(t *testing.T, root string) string {
			xdg := mkdir(t, filepath.Join(root, "xdg"), 0o700)
			if err := os.WriteFile(filepath.Join(xdg, "craze"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return xdg
		}, "tmp/craze-" + own},
		{"the system's must be 0700", func(t *testing.T, root string) string {
			mkdir(t, filepath.Join(root, "run", own), 0o750)
			return ""
		}, "tmp/craze-" + own},
		{"a linked XDG_RUNTIME_DIR gives its canonical path", func(t *testing.T, root string) string {
			mkdir(t, filepath.Join(root, "run", own), 0o700)
			link := filepath.Join(root, "link")
			if err := os.Symlink(filepath.Join(root, "run", own), link); err != nil {
				t.Fatal(err)
			}
			return link
		}, "run/" + own + "/craze"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := testkit.SocketDir(t)
			p := picker{uid: uid, systemRun: mkdir(t, filepath.Join(root, "run"), 0o755), systemTemp: mkdir(t, filepath.Join(root, "tmp"), 0o777|fs.ModeSticky)}
			got, err := p.first(tt.make(t, root))
			if err != nil || got != filepath.Join(root, tt.want) {
				t.Errorf("first = %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestASquattedTemporaryNameIsRefusedWithWhatToSet(t *testing.T) {
	root := testkit.SocketDir(t)
	p := picker{uid: os.Geteuid() + 1, systemTemp: root} // ours is then another user's
	_, err := p.first("")
	if err == nil || !strings.Contains(err.Error(), "CRAZE_RUNTIME_DIR") {
		t.Errorf("got %v", err)
	}
}
