package config

import (
	"fmt"
	"strconv"
	"strings"
)

// JournalOn reports whether sessions write a journal. Either switch turns it
// off and neither turns it on against the other; what cannot be read as a
// plain true is off, with a warning.
func (c Config) JournalOn(getenv Getenv) (bool, string) {
	on, warning := c.key("journal")
	if !on {
		return false, warning
	}
	return variable("CRAZE_JOURNAL", getenv)
}

// ControlSocketOn reports whether a host serves its socket. The variable, when
// it says off, decides alone.
func (c Config) ControlSocketOn(getenv Getenv) (bool, string) {
	if on, warning := variable("CRAZE_CONTROL_SOCKET", getenv); !on {
		return false, warning
	}
	return c.key("control_socket")
}

// DetachOn reports whether sessions run in hosts that outlive the terminal.
func (c Config) DetachOn(getenv Getenv) (bool, string) {
	if on, _ := c.ControlSocketOn(getenv); !on {
		return false, ""
	}
	if on, warning := c.key("detach"); !on {
		return false, warning
	}
	return variable("CRAZE_DETACH", getenv)
}

// key reads an access switch of the file: on when absent or exactly true.
func (c Config) key(name string) (bool, string) {
	if c.broken {
		return false, fmt.Sprintf("%s is off: %s cannot be read", name, fileName)
	}
	switch v := c.raw(name).(type) {
	case nil:
		return true, ""
	case bool:
		return v, ""
	}
	return false, fmt.Sprintf("%s is off: its value in %s is not true or false", name, fileName)
}

// variable reads an access switch of the environment: on when unset or a true.
func variable(name string, getenv Getenv) (bool, string) {
	s := strings.TrimSpace(getenv(name))
	if s == "" {
		return true, ""
	}
	on, err := strconv.ParseBool(s)
	if err != nil {
		return false, fmt.Sprintf("%s is not true or false, which counts as off", name)
	}
	return on, ""
}
