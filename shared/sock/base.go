package sock

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// PathMax is the longest socket path that is bound or dialled, in bytes. The
// smallest sun_path in use holds 104 with its terminating zero; the rest is
// spare, so that a path accepted here is accepted by every system.
const PathMax = 100

// hostTail is what a host's socket adds to a base: a namespace of 8, a host id
// of 12, two separators and the suffix. The hub's socket is shorter.
const hostTail = 1 + nsDigits + 1 + 12 + len(socketSuffix)

const (
	socketSuffix = ".sock"
	hubSocket    = "hub" + socketSuffix
	nsDigits     = 8 // of the hash of the craze directory: one user has few of those
	dirMode      = 0o700
	othersWrite  = 0o022 // group and world
	othersAny    = 0o077
)

// ErrPathLength says that a socket's path is over PathMax bytes. Its text
// names CRAZE_RUNTIME_DIR, the one thing a person can do about it.
var ErrPathLength = errors.New("the socket path is too long: set CRAZE_RUNTIME_DIR to a shorter directory")

// Env is what the choice of a base directory depends on. Its zero value is a
// process with none of the variables set.
type Env struct {
	RuntimeDir    string // CRAZE_RUNTIME_DIR, or empty
	XDGRuntimeDir string // XDG_RUNTIME_DIR, or empty
	UID           int    // 0 is the process's own effective uid, which for root is the same
}

// EnvFrom is the Env that getenv (os.Getenv, in a main) gives.
func EnvFrom(getenv func(string) string) Env {
	return Env{RuntimeDir: getenv("CRAZE_RUNTIME_DIR"), XDGRuntimeDir: getenv("XDG_RUNTIME_DIR")}
}

// Namespace names the directory of a craze directory's sockets: the first 8
// hex digits of the SHA-256 of its path, which must be absolute.
func Namespace(crazeDir string) string {
	sum := sha256.Sum256([]byte(filepath.Clean(crazeDir)))
	return hex.EncodeToString(sum[:])[:nsDigits]
}

// HostPath is the path of a host's socket. It makes nothing.
func HostPath(base, ns, hostID string) (string, error) {
	return socketPath(base, ns, hostID+socketSuffix)
}

// HubPath is the path of a namespace's hub socket. It makes nothing.
func HubPath(base, ns string) (string, error) {
	return socketPath(base, ns, hubSocket)
}

func socketPath(base, ns, name string) (string, error) {
	path := filepath.Join(base, ns, name)
	return path, checkLength(len(path))
}

func checkLength(n int) error {
	if n > PathMax {
		return fmt.Errorf("%w (%d bytes, at most %d)", ErrPathLength, n, PathMax)
	}
	return nil
}

// Base picks the base directory of the runtime tree, makes it where it is
// missing, and returns its canonical path. CRAZE_RUNTIME_DIR decides alone
// when it is set; the others are tried in their order, and one that is missing,
// not ours or open to others is passed over. A base whose sockets would have
// too long a path is ErrPathLength, and nothing has been made then.
func Base(env Env) (string, error) {
	uid := env.UID
	if uid == 0 {
		uid = os.Geteuid()
	}
	p := picker{uid: uid, systemRun: runDir(), systemTemp: tempDir()}
	if env.RuntimeDir != "" {
		return p.explicit(env.RuntimeDir)
	}
	return p.first(env.XDGRuntimeDir)
}

// runDir is where the system keeps its users' runtime directories, or empty.
func runDir() string {
	if runtime.GOOS == "linux" {
		return "/run/user"
	}
	return ""
}

// tempDir is the one temporary directory that every process of a user agrees
// on. TMPDIR is not: it differs between a login and a service, and on macOS
// between sessions.
func tempDir() string {
	if runtime.GOOS == "darwin" {
		return "/private/tmp"
	}
	return "/tmp"
}

// picker holds what Base's choice needs besides the variables, so that tests
// can put the system's directories elsewhere.
type picker struct {
	uid                   int
	systemRun, systemTemp string
}

// explicit uses the directory a person named, or fails: falling back would put
// the sockets where nobody who was told of the directory looks.
func (p picker) explicit(dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", errors.New("CRAZE_RUNTIME_DIR is not an absolute path: set it to one, or unset it")
	}
	base, err := p.use(filepath.Clean(dir))
	if err != nil && !errors.Is(err, ErrPathLength) {
		return "", fmt.Errorf("CRAZE_RUNTIME_DIR cannot be used, set it to a private directory of yours or unset it: %w", err)
	}
	return base, err
}

// first uses the first usable of the candidates.
func (p picker) first(xdg string) (string, error) {
	own := strconv.Itoa(p.uid)
	var candidates []string
	if filepath.IsAbs(xdg) && p.private(xdg, othersWrite) {
		candidates = append(candidates, filepath.Join(xdg, "craze"))
	}
	if p.systemRun != "" && p.private(filepath.Join(p.systemRun, own), othersAny) {
		candidates = append(candidates, filepath.Join(p.systemRun, own, "craze"))
	}
	candidates = append(candidates, filepath.Join(p.systemTemp, "craze-"+own))

	var last error
	tried := map[string]bool{} // by canonical path: two spellings are one candidate
	for _, c := range candidates {
		canonical, err := canonical(c)
		if err != nil {
			last = err
			continue
		}
		if tried[canonical] {
			continue
		}
		tried[canonical] = true
		base, err := p.use(canonical)
		if err == nil || errors.Is(err, ErrPathLength) {
			return base, err
		}
		last = err
	}
	return "", fmt.Errorf("no usable runtime directory, set CRAZE_RUNTIME_DIR to a private one of yours: %w", last)
}

// private reports whether dir is a directory of the uid's with none of the
// forbidden mode bits.
func (p picker) private(dir string, forbidden fs.FileMode) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir() && owner(info) == p.uid && info.Mode().Perm()&forbidden == 0
}

// use makes dir where it is missing and checks it and all above it.
func (p picker) use(dir string) (string, error) {
	base, err := canonical(dir)
	if err != nil {
		return "", err
	}
	if err := checkLength(len(base) + hostTail); err != nil {
		return "", err
	}
	if err := makePrivate(base, p.uid); err != nil {
		return "", err
	}
	return base, nil
}

// canonical resolves the symlinks of the part of path that exists. What does
// not exist yet is appended as it is.
func canonical(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if _, lerr := os.Lstat(path); lerr == nil {
		return "", fmt.Errorf("%s is a symlink to nothing", path)
	}
	parent, err := canonical(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(path)), nil
}
