// Package binaries builds the programs under test, once a test process, into a
// folder of its own. It holds no state and leaves the folder to its caller.
package binaries

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// modules are the programs, and the module each is built from.
var modules = map[string]string{
	"craze-host": "craze-host", "craze-hub": "craze-hub", "craze-cli": "craze-cli", "craze": "craze-tui",
	"craze-fake-host": "craze-fake-host", "craze-fake-agent": "craze-fake-agent",
}

// Build builds every program from the workspace at root. remove ends the
// folder's life.
func Build(root string) (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "craze-bin")
	if err != nil {
		return "", nil, fmt.Errorf("build the binaries: %w", err)
	}
	remove = func() { os.RemoveAll(dir) }
	for name, module := range modules {
		cmd := exec.Command("go", "build", "-o", filepath.Join(dir, name), "./"+module)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			remove()
			return "", nil, fmt.Errorf("build %s: %w\n%s", name, err, out)
		}
	}
	return dir, remove, nil
}
