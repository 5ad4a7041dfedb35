package agents

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrNotInstalled means that a folder lacks an agent: run install.sh on it.
var ErrNotInstalled = errors.New("not installed (run tests/agents/install.sh)")

// Agents are the agents of one folder.
type Agents struct {
	OpenCode Agent
	Grok     Agent
}

// Agent is one installed agent.
type Agent struct {
	ID    string // what its provider is called, as in [providers.<id>]
	Label string // the name to show
	Path  string // the program, absolute

	setup func(a Agent, home home, modelURL string) (Provider, error)
}

// Find looks for the agents that install.sh put into dir.
func Find(dir string) (Agents, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Agents{}, fmt.Errorf("find agents: %w", err)
	}
	a := Agents{
		OpenCode: Agent{ID: "opencode", Label: "OpenCode", setup: setupOpenCode},
		// Not "grok": craze has a provider of that name, with a dialect of its own.
		Grok: Agent{ID: "grok-lab", Label: "Grok (lab)", setup: setupGrok},
	}
	if a.OpenCode.Path, err = program(dir, "opencode"); err != nil {
		return Agents{}, err
	}
	if a.Grok.Path, err = program(dir, "grok"); err != nil {
		return Agents{}, err
	}
	return a, nil
}

// All is every agent, for a test that runs on each.
func (a Agents) All() []Agent { return []Agent{a.OpenCode, a.Grok} }

func program(dir, name string) (string, error) {
	path := filepath.Join(dir, "bin", name)
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Mode()&0o111 == 0 {
		return "", fmt.Errorf("find %s: %w", path, ErrNotInstalled)
	}
	if err != nil {
		return "", fmt.Errorf("find agents: %w", err)
	}
	return path, nil
}

// Setup makes a home for the agent in a folder, which need not exist, and says
// how to run it there with its models at modelURL, as fakemodel's URL gives it.
func (a Agent) Setup(folder, modelURL string) (Provider, error) {
	folder, err := filepath.Abs(folder) // the agent runs in another
	if err != nil {
		return Provider{}, fmt.Errorf("set up %s: %w", a.ID, err)
	}
	p, err := a.setup(a, home(folder), modelURL+apiPath)
	if err != nil {
		return Provider{}, fmt.Errorf("set up %s: %w", a.ID, err)
	}
	return p, nil
}

// apiPath is the prefix that both agents put before their wire's path.
const apiPath = "/v1"
