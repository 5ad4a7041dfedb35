package script

import (
	"fmt"
	"strings"

	"craze/craze-fake-agent/internal/peer"
)

// flagScript names the script on the command line, with one dash or two.
const flagScript = "-script"

// Choose finds the script that args name, or else named (the environment's
// word for it), or else Default, and makes its behaviour. The arguments are
// looked into for nothing else, so that any agent's command line will do.
//
// The name may carry its argument, after a colon or a space, or the argument
// may follow as an argument of its own where the script takes it: in "-script
// burst acp" acp is no number, and so belongs to the rest.
func Choose(args []string, named string) (peer.Behaviour, error) {
	var following string
	if onLine, rest, ok := flagValue(args); ok {
		named = onLine
		if len(rest) > 0 {
			following = rest[0]
		}
	}
	name, arg := split(strings.TrimSpace(named))
	s, err := find(name)
	if err != nil {
		return peer.Behaviour{}, err
	}
	if arg == "" && following != "" {
		if b, err := s.Behaviour(following); err == nil {
			return b, nil
		}
	}
	return s.Behaviour(arg)
}

// flagValue returns the value of the first -script in args and what follows it.
func flagValue(args []string) (string, []string, bool) {
	for i, a := range args {
		if strings.HasPrefix(a, "--") {
			a = a[1:]
		}
		if a == flagScript && i+1 < len(args) {
			return args[i+1], args[i+2:], true
		}
		if value, ok := strings.CutPrefix(a, flagScript+"="); ok {
			return value, args[i+1:], true
		}
	}
	return "", nil, false
}

// split parts NAME:ARG, or NAME ARG.
func split(named string) (string, string) {
	at := strings.IndexAny(named, ": ")
	if at < 0 {
		return named, ""
	}
	return named[:at], strings.TrimSpace(named[at+1:])
}

// find returns the script of that name. With acp- before it, it is the same.
func find(name string) (Script, error) {
	if name == "" {
		name = Default
	}
	for _, s := range All() {
		if s.Name == strings.TrimPrefix(name, "acp-") {
			return s, nil
		}
	}
	return Script{}, fmt.Errorf("unknown script %q; the scripts are %s (-list says what each does)", name, names())
}
