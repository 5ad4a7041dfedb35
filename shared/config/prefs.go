package config

import (
	"fmt"
	"math"
	"strings"
	"time"
)

const (
	// IdleExit is how long a host may be idle where config.toml says nothing
	// that can be read.
	IdleExit = time.Hour
	// NeverIdle is a host_idle_exit of "never": longer than any host lives, so
	// that the smaller of it and another limit is that limit.
	NeverIdle = time.Duration(math.MaxInt64)
)

// Theme is the theme's name as config.toml gives it; "" when it gives none. It
// may name no theme there is.
func (c Config) Theme() string { return c.str("theme") }

// HostIdleExit is how long a host may be idle before it ends: 0 is at once,
// NeverIdle is never. What cannot be read is IdleExit, with a warning.
func (c Config) HostIdleExit() (time.Duration, string) {
	const key = "host_idle_exit"
	if c.broken {
		return IdleExit, fmt.Sprintf("%s is %v: %s cannot be read", key, IdleExit, fileName)
	}
	switch v := c.raw(key).(type) {
	case nil:
		return IdleExit, ""
	case string:
		if strings.EqualFold(v, "never") {
			return NeverIdle, ""
		}
		if d, err := time.ParseDuration(v); err == nil && d >= 0 {
			return d, ""
		}
	}
	return IdleExit, fmt.Sprintf(`%s is %v: its value in %s is neither a duration such as "20m" nor "never"`, key, IdleExit, fileName)
}

// TerminalTitleOn reports whether the terminal's title may be set. Like the
// other switches of looks it is on unless it is exactly false.
func (c Config) TerminalTitleOn() bool { return c.look("terminal_title") }

// BackgroundOn reports whether the terminal's own colours may be set.
func (c Config) BackgroundOn() bool { return c.look("background") }

// HostStatusOn reports whether craze's state is told to the terminal it runs
// in.
func (c Config) HostStatusOn() bool { return c.look("host_status") }

func (c Config) look(key string) bool {
	on, isBool := c.raw(key).(bool)
	return on || !isBool
}
