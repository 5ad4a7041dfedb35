package agents

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Provider is how craze is told to run an agent: a [providers.<id>] table.
type Provider struct {
	ID         string
	Label      string
	Command    []string          // the first is absolute
	Env        map[string]string // beside the environment craze has
	BypassArgs []string
	AuthMethod string // "" where none is needed
}

// TOML is the table as config.toml has it.
func (p Provider) TOML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[providers.%s]\n", p.ID)
	fmt.Fprintf(&b, "label = %s\n", quote(p.Label))
	fmt.Fprintf(&b, "command = %s\n", list(p.Command))
	var env []string
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		env = append(env, name+" = "+quote(p.Env[name]))
	}
	fmt.Fprintf(&b, "env = { %s }\n", strings.Join(env, ", "))
	fmt.Fprintf(&b, "bypass_args = %s\n", list(p.BypassArgs))
	fmt.Fprintf(&b, "auth_method = %s\n", quote(p.AuthMethod))
	return b.String()
}

// Environ is the environment to run the command in with no craze: what the table
// says, and of what is around only where programs are found.
func (p Provider) Environ(path string) []string {
	environ := []string{"PATH=" + path}
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		environ = append(environ, name+"="+p.Env[name])
	}
	return environ
}

func list(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = quote(item)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// quote makes a TOML string: for what paths and names hold, JSON's are the same.
func quote(s string) string {
	quoted, _ := json.Marshal(s) // a string always can be
	return string(quoted)
}
