package registry

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"

	"craze/shared/proto"
)

const (
	hostIDDigits = 12 // 48 random bits: fresh for every host process there will be
	nsDigits     = 8
	hexDigits    = "0123456789abcdef"
)

// NewHostID mints a host id: twelve random lower-case hex digits.
func NewHostID() (string, error) {
	var b [hostIDDigits / 2]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("mint a host id: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// ValidHostID reports whether id has the form of a host's or a hub's id.
func ValidHostID(id string) bool { return len(id) == hostIDDigits && onlyOf(id, hexDigits) }

// ValidSessionID reports whether id has the form of a craze session id: 1 to
// 128 letters, digits, dots, dashes and underscores, and not a directory.
func ValidSessionID(id string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	return id != "" && len(id) <= proto.SessionIDMax && id != "." && id != ".." && onlyOf(id, letters)
}

func validNS(ns string) bool { return len(ns) == nsDigits && onlyOf(ns, hexDigits) }

// fileNameMax is the longest name that every file system takes with a
// temporary's suffix added.
const fileNameMax = 200

// validFile reports whether name is a plain file name that craze would give.
func validFile(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	return name != "" && len(name) <= fileNameMax && name[0] != '.' && onlyOf(name, letters)
}

func onlyOf(s, set string) bool {
	return strings.Trim(s, set) == ""
}
