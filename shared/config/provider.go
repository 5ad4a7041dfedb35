package config

import (
	"errors"
	"fmt"
	"slices"
)

// Dialects of ACP.
const (
	DialectACP    = "acp"
	DialectCursor = "cursor"
	DialectGrok   = "grok"
)

// The ids of craze's own providers.
const (
	Cursor = "cursor"
	Grok   = "grok"
	GX     = "gx"
	Native = "native" // taken, and run by no agent of this build
	Demo   = "demo"   // needs nothing: craze's own scripted agent
)

// ErrUnknownProvider says an id names no provider. What to do about it is in
// the error that wraps it.
var ErrUnknownProvider = errors.New("unknown provider")

// Provider is an agent provider and how its agent is run.
type Provider struct {
	ID    string
	Label string // one line, for a person
	// Command is the argv. The first is looked up on PATH unless absolute.
	Command []string
	Names   []string // binary names to look for in place of Command[0]
	Env     map[string]string
	// BypassArgs are appended when permissions are bypassed. Those of craze's
	// own providers are in OwnBypass: they go before the command's last word.
	BypassArgs []string
	OwnBypass  []string
	AuthMethod string // an authenticate methodId to use when offered; "" is none
	Dialect    string
	Sibling    bool // the binary is one of craze's own
}

// Bypassed is argv, a command line of p's, as it is when permissions are
// bypassed. It leaves argv alone.
func (p Provider) Bypassed(argv []string) []string {
	out := slices.Clone(argv)
	if n := len(out); n > 0 {
		out = slices.Insert(out, n-1, p.OwnBypass...)
	}
	return append(out, p.BypassArgs...)
}

// own is one of craze's own providers.
func own(id string) (Provider, bool) {
	switch id {
	case Cursor:
		return Provider{
			ID: id, Label: id, Command: []string{"cursor-agent", "acp"}, Names: []string{"cursor-agent", "agent"},
			OwnBypass: []string{"--force"}, AuthMethod: "cursor_login", Dialect: DialectCursor,
		}, true
	case Grok:
		return Provider{
			ID: id, Label: id, Command: []string{"grok", "agent", "--no-leader", "stdio"}, Names: []string{"grok"},
			OwnBypass: []string{"--always-approve"}, AuthMethod: "xai.api_key", Dialect: DialectGrok,
		}, true
	case GX:
		return Provider{
			ID: id, Label: id, Command: []string{"gx", "agent", "stdio"}, Names: []string{"gx"},
			OwnBypass: []string{"--always-approve"}, AuthMethod: "xai.api_key", Dialect: DialectGrok,
		}, true
	case Demo:
		return Provider{
			ID: id, Label: "Demo", Command: []string{"craze-fake-agent", "-script", "demo"}, Names: []string{"craze-fake-agent"},
			Dialect: DialectACP, Sibling: true,
		}, true
	}
	return Provider{}, false
}

// Provider gives the provider an id names: one of craze's own, or a
// [providers.<id>] table. The error is ErrUnknownProvider or says what is
// wrong with the table.
func (c Config) Provider(id string) (Provider, error) {
	if p, ok := own(id); ok {
		return p, nil
	}
	if id == Native {
		return Provider{}, fmt.Errorf("%w: this craze has no native agent; name another provider", ErrUnknownProvider)
	}
	if c.raw("providers", id) == nil {
		return Provider{}, fmt.Errorf("%w: add a [providers.<id>] table for it to %s, or name one that is there",
			ErrUnknownProvider, fileName)
	}
	p, err := c.table(id)
	if err != nil {
		return Provider{}, fmt.Errorf("[providers.%s] in %s: %w", shown(id), fileName, err)
	}
	return p, nil
}

// DefaultProvider is the id config.toml gives sessions that name none; "" when
// it gives none. It may name no provider craze knows.
func (c Config) DefaultProvider() string { return c.str("provider") }

// Choose gives the provider of a launch: the one its flag names, else
// CRAZE_PROVIDER's, else config.toml's, else cursor. "" names none. An id of
// the flag's that is no usable provider is an error; one that the environment
// or the file gives is passed over for cursor, with a warning.
func (c Config) Choose(flag string, getenv Getenv) (p Provider, warning string, err error) {
	if flag != "" {
		p, err = c.Provider(flag)
		return p, "", err
	}
	from, id := "CRAZE_PROVIDER", getenv("CRAZE_PROVIDER")
	if id == "" {
		from, id = fileName, c.DefaultProvider()
	}
	if id != "" {
		if p, err = c.Provider(id); err == nil {
			return p, "", nil
		}
		warning = fmt.Sprintf("the provider that %s names cannot be used, so cursor is: %v", from, err)
	}
	p, err = c.Provider(Cursor)
	return p, warning, err
}

// Offered lists the providers a person may choose among, craze's own first and
// then the tables by id. gx, which few machines have, is there when its binary
// is or when it is def, the launch's default; demo only when it is def. A
// table that cannot be used is not there.
func (c Config) Offered(def string, l Lookup) []Provider {
	l.AgentBin = "" // the default provider's alone, which is offered anyway
	var out []Provider
	for _, id := range []string{Cursor, Grok, GX, Demo} {
		p, _ := own(id)
		_, missing := c.Argv(p, l)
		if id == def || id == Cursor || id == Grok || id == GX && missing == nil {
			out = append(out, p)
		}
	}
	for _, id := range c.tableIDs() {
		if p, err := c.table(id); err == nil {
			out = append(out, p)
		}
	}
	return out
}
