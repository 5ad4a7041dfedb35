package config

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// Dialects of ACP.
const (
	DialectACP    = "acp"
	DialectCursor = "cursor"
	DialectGrok   = "grok"
)

// Demo is the provider that needs nothing: craze's own scripted agent.
const Demo = "demo"

// ErrUnknownProvider says an id names no provider. What to do about it is in
// the error that wraps it.
var ErrUnknownProvider = errors.New("unknown provider")

// ErrNoBinary says an agent's binary is not there.
var ErrNoBinary = errors.New("agent binary not found")

// Provider is an agent provider and how its agent is run.
type Provider struct {
	ID         string
	Label      string
	Command    []string // argv; the first is looked up on PATH unless absolute
	Names      []string // binary names to look for in place of Command[0]
	Env        map[string]string
	BypassArgs []string // appended when permissions are bypassed
	AuthMethod string
	Dialect    string
	Sibling    bool // the binary is one of craze's own
}

var builtin = map[string]Provider{
	"cursor": {
		ID: "cursor", Label: "cursor", Command: []string{"cursor-agent", "acp"},
		Names: []string{"cursor-agent", "agent"}, Dialect: DialectCursor, AuthMethod: "cursor_login",
	},
	"grok": {
		ID: "grok", Label: "grok", Command: []string{"grok", "agent", "--no-leader", "stdio"},
		Names: []string{"grok"}, Dialect: DialectGrok, AuthMethod: "xai.api_key",
	},
	"gx": {
		ID: "gx", Label: "gx", Command: []string{"gx", "agent", "stdio"},
		Names: []string{"gx"}, Dialect: DialectGrok, AuthMethod: "xai.api_key",
	},
	Demo: {
		ID: Demo, Label: "Demo", Command: []string{"craze-fake-agent", "-script", "demo"},
		Names: []string{"craze-fake-agent"}, Dialect: DialectACP, Sibling: true,
	},
}

var providerID = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// Provider gives the provider an id names: one of craze's own, or a
// [providers.<id>] table. The error is ErrUnknownProvider or says what is
// wrong with the table.
func (c Config) Provider(id string) (Provider, error) {
	if p, ok := builtin[id]; ok {
		return p, nil
	}
	if c.raw("providers", id) == nil {
		return Provider{}, fmt.Errorf("%w: add a [providers.<id>] table for it to %s, or name one that is there",
			ErrUnknownProvider, fileName)
	}
	p, err := c.userProvider(id)
	if err != nil {
		return Provider{}, fmt.Errorf("[providers.%s] in %s: %w", id, fileName, err)
	}
	return p, nil
}

func (c Config) userProvider(id string) (Provider, error) {
	_, taken := builtin[id]
	switch {
	case !providerID.MatchString(id):
		return Provider{}, errors.New("an id is lower-case letters, digits, - and _")
	case taken || id == "native":
		return Provider{}, errors.New("the id is one of craze's own")
	}
	t, ok := c.raw("providers", id).(map[string]any)
	if !ok {
		return Provider{}, errors.New("it is not a table")
	}
	p := Provider{ID: id, Label: id, Dialect: DialectACP, Env: map[string]string{}}
	for key, v := range t {
		if err := p.set(key, v); err != nil {
			return Provider{}, fmt.Errorf("%s %w", key, err)
		}
	}
	if len(p.Command) == 0 || p.Command[0] == "" {
		return Provider{}, errors.New(`it has no command, such as command = ["agent", "acp"]`)
	}
	p.Names = p.Command[:1]
	return p, nil
}

// set takes one key of a table; one it does not know is passed over.
func (p *Provider) set(key string, v any) (err error) {
	switch key {
	case "label":
		p.Label, err = aString(v)
	case "command":
		p.Command, err = stringList(v)
	case "bypass_args":
		p.BypassArgs, err = stringList(v)
	case "auth_method":
		p.AuthMethod, err = aString(v)
	case "env":
		table, ok := v.(map[string]any)
		if !ok {
			return errors.New("is not a table of strings")
		}
		for name, value := range table {
			if p.Env[name], err = aString(value); err != nil {
				return err
			}
		}
	}
	return err
}

func aString(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", errors.New("is not a string")
	}
	return s, nil
}

func stringList(v any) ([]string, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, errors.New("is not a list of strings")
	}
	out := make([]string, 0, len(list))
	for _, e := range list {
		s, err := aString(e)
		if err != nil {
			return nil, errors.New("is not a list of strings")
		}
		out = append(out, s)
	}
	return out, nil
}

// Lookup says where an agent's binary may be named. AgentBin is a flag's or a
// variable's override, which is exclusive. Sibling finds one of craze's own.
type Lookup struct {
	AgentBin string
	Path     string // the PATH to search; "" is the process's own
	Sibling  func(name string) (string, error)
}

// Argv is the provider's command line with its binary resolved to a path:
// the override, [agents].<id>, craze's own sibling, or PATH.
func (c Config) Argv(p Provider, l Lookup) ([]string, error) {
	bin, err := c.binary(p, l)
	if err != nil {
		return nil, err
	}
	return append([]string{bin}, p.Command[1:]...), nil
}

func (c Config) binary(p Provider, l Lookup) (string, error) {
	for _, fixed := range []string{l.AgentBin, c.str("agents", p.ID)} {
		if fixed == "" || !filepath.IsAbs(fixed) && fixed != l.AgentBin {
			continue
		}
		if !executable(fixed) {
			return "", fmt.Errorf("%w: %s", ErrNoBinary, fixed)
		}
		return filepath.Abs(fixed)
	}
	if p.Sibling && l.Sibling != nil {
		return l.Sibling(p.Names[0])
	}
	for _, name := range p.Names {
		if found, ok := onPath(name, l.Path); ok {
			return found, nil
		}
	}
	return "", fmt.Errorf("%w: %s is not on PATH; install it, or name it in %s", ErrNoBinary, p.Names[0], fileName)
}

func onPath(name, path string) (string, bool) {
	if path == "" || filepath.IsAbs(name) {
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
