package spawn

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Sibling finds another of craze's binaries: beside this process's own
// executable, links resolved, then on PATH, and gives its absolute path. The
// error says how to get it.
func Sibling(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if found, ok := beside(self, name); ok {
			return found, nil
		}
	}
	if found, err := exec.LookPath(name); err == nil {
		return filepath.Abs(found)
	}
	return "", fmt.Errorf("%s is neither beside this program nor on PATH: build it with make, or reinstall craze", name)
}

// beside finds name in the directory of an executable, once links to that are
// resolved.
func beside(self, name string) (string, bool) {
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	path := filepath.Join(filepath.Dir(self), name)
	info, err := os.Stat(path)
	return path, err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
