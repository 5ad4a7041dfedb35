//go:build unix && !linux && !darwin

package registry

import "golang.org/x/sys/unix"

// walkFlags opens a directory as systems without a search-only open can.
const walkFlags = unix.O_RDONLY
