// Package cli is the craze-cli commands, one file each.
//
// It owns what a command prints and the code it exits with: results alone go
// to stdout, everything else is one line on stderr, and what was typed is never
// repeated, since it may be a pasted key. A command speaks to a session's host
// directly, found in the registry, so a hub that dies takes none with it; only
// new and ps need the hub, and start one where there is none. A command that is
// interrupted ends; the session does not.
package cli
