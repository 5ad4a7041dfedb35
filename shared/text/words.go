package text

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// Age is a time span as one number and one unit, rounded down: 42s, 5m, 3h,
// 6d. A negative one, which two clocks can give, is 0s.
func Age(d time.Duration) string {
	switch {
	case d < time.Second:
		return "0s"
	case d < time.Minute:
		return strconv.FormatInt(int64(d/time.Second), 10) + "s"
	case d < time.Hour:
		return strconv.FormatInt(int64(d/time.Minute), 10) + "m"
	case d < day:
		return strconv.FormatInt(int64(d/time.Hour), 10) + "h"
	}
	return strconv.FormatInt(int64(d/day), 10) + "d"
}

// Tilde is path with the home directory at its beginning written as ~. The
// path is not cleaned for a terminal.
func Tilde(path, home string) string {
	if home == "" {
		return path
	}
	home = filepath.Clean(home)
	if path == home {
		return "~"
	}
	if rest, ok := strings.CutPrefix(path, home+"/"); ok && home != "/" {
		return "~/" + rest
	}
	return path
}
