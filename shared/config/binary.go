package config

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNoBinary says an agent's binary is not there. The error that wraps it
// names where it was looked for.
var ErrNoBinary = errors.New("agent binary not found")

// Lookup says where an agent's binary may be named. AgentBin is a flag's or a
// variable's override, which is exclusive. Sibling finds one of craze's own.
type Lookup struct {
	AgentBin string
	Path     string // the PATH to search; "" is the process's own
	Sibling  func(name string) (string, error)
}

// Argv is the provider's command line with its binary resolved to a path: the
// override, [agents].<id>, craze's own sibling, or PATH. An override that is a
// bare name is looked up on PATH; one that is set and not there is an
// ErrNoBinary, with nothing to fall back to.
func (c Config) Argv(p Provider, l Lookup) ([]string, error) {
	if len(p.Command) == 0 {
		return nil, fmt.Errorf("%w: the provider has no command", ErrNoBinary)
	}
	bin, err := c.binary(p, l)
	if err != nil {
		return nil, err
	}
	return append([]string{bin}, p.Command[1:]...), nil
}

func (c Config) binary(p Provider, l Lookup) (string, error) {
	if l.AgentBin != "" {
		return override(l)
	}
	if set := c.str("agents", p.ID); filepath.IsAbs(set) {
		if !executable(set) {
			return "", fmt.Errorf("%w: [agents].%s in %s is %s", ErrNoBinary, p.ID, fileName, set)
		}
		return set, nil
	}
	if p.Sibling && l.Sibling != nil {
		bin, err := l.Sibling(p.Names[0])
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrNoBinary, err)
		}
		return bin, nil
	}
	for _, name := range p.Names {
		if found, ok := onPath(name, l.Path); ok {
			return found, nil
		}
	}
	return "", fmt.Errorf("%w: %s", ErrNoBinary, p.whereTo())
}

// whereTo says where a binary was looked for and what to do about it.
func (p Provider) whereTo() string {
	if filepath.IsAbs(p.Names[0]) {
		return fmt.Sprintf("the command of [providers.%s] in %s is %s", p.ID, fileName, p.Names[0])
	}
	names := strings.Join(p.Names, " or ")
	if _, ok := own(p.ID); ok {
		return fmt.Sprintf("%s is not on PATH; install it, or set [agents].%s in %s", names, p.ID, fileName)
	}
	return fmt.Sprintf("%s is not on PATH; install it, or give its path in [providers.%s] in %s", names, p.ID, fileName)
}

func override(l Lookup) (string, error) {
	if !strings.Contains(l.AgentBin, "/") {
		if found, ok := onPath(l.AgentBin, l.Path); ok {
			return found, nil
		}
		return "", fmt.Errorf("%w: the agent binary that was named, %s, is not on PATH", ErrNoBinary, l.AgentBin)
	}
	if !executable(l.AgentBin) {
		return "", fmt.Errorf("%w: the agent binary that was named is %s", ErrNoBinary, l.AgentBin)
	}
	abs, err := filepath.Abs(l.AgentBin)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoBinary, err)
	}
	return abs, nil
}

// onPath finds a name on a PATH, whose relative directories count for nothing:
// they would mean another file in every workspace.
func onPath(name, path string) (string, bool) {
	if filepath.IsAbs(name) {
		return name, executable(name)
	}
	if path == "" {
		found, err := exec.LookPath(name)
		return found, err == nil
	}
	for _, dir := range filepath.SplitList(path) {
		if full := filepath.Join(dir, name); filepath.IsAbs(full) && executable(full) {
			return full, true
		}
	}
	return "", false
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
