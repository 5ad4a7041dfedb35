package serve

import (
	"encoding/hex"
	"math/rand"
)

const (
	// tokenSeed makes the tokens the same on every run, as scripts expect.
	tokenSeed  = 1
	tokenBytes = 16
)

// tokens mints the fixed row of resume tokens. They guard nothing: a fake
// host's session is a script.
func tokens() func() string {
	r := rand.New(rand.NewSource(tokenSeed))
	return func() string {
		b := make([]byte, tokenBytes)
		r.Read(b)
		return hex.EncodeToString(b)
	}
}
