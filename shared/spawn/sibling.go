package spawn

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Sibling finds another of craze's binaries: beside this process's own
// executable, links resolved, then on PATH. The error says how to get it.
func Sibling(name string) (string, error) {
	self, err := os.Executable()
	if err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		beside := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return beside, nil
		}
	}
	if found, err := exec.LookPath(name); err == nil {
		return filepath.Abs(found)
	}
	return "", fmt.Errorf("%s is neither beside this program nor on PATH: build it with make, or reinstall craze", name)
}
