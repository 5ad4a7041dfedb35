package registry

import "golang.org/x/sys/unix"

// walkFlags opens a directory for what is below it alone: a home may lie under
// a directory that its user may pass but not list.
const walkFlags = unix.O_SEARCH
