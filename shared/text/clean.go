package text

import (
	"strings"
	"unicode/utf8"
)

// Control characters that begin or end a sequence. The 8-bit ones are the code
// points of C1; as bytes they are not valid UTF-8 but some terminals obey them.
const (
	bel = 0x07
	can = 0x18
	sub = 0x1a
	esc = 0x1b
	del = 0x7f
	dcs = 0x90
	sos = 0x98
	csi = 0x9b
	st  = 0x9c
	osc = 0x9d
	pm  = 0x9e
	apc = 0x9f
)

// Clean makes text of several lines safe for a terminal. Escape sequences, of
// 7 and 8 bits, are dropped whole; so are control characters other than
// newline and tab, and the bidirectional embeddings, overrides and isolates.
// Invalid UTF-8 becomes U+FFFD, and Unicode's line and paragraph separators
// become newlines. A string sequence (OSC and its like) that is not ended on
// its line ends with the line: the rest of a text must not vanish by it.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		n := sequence(s)
		if n > 0 {
			s = s[n:]
			continue
		}
		r, n := decode(s)
		s = s[n:]
		switch {
		case r == '\u2028' || r == '\u2029':
			b.WriteByte('\n')
		case !dropped(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plain reports whether s is printable ASCII, newlines and tabs: the usual
// case, which needs no copy.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < ' ' && c != '\n' && c != '\t') || c >= del {
			return false
		}
	}
	return true
}

// dropped reports whether r is a control or bidirectional formatting
// character. Directional marks and joiners are part of how text is written,
// and stay.
func dropped(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ' || r >= del && r <= 0x9f:
		return true
	}
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// decode is the next rune of s and its length. A byte of C1 that stands alone
// is that control character. The bytes of a rune that was cut short are one
// U+FFFD together, so that its continuation bytes are not taken for controls.
func decode(s string) (rune, int) {
	r, n := utf8.DecodeRuneInString(s)
	if r != utf8.RuneError || n > 1 {
		return r, n
	}
	c := s[0]
	if c >= 0x80 && c <= 0x9f {
		return rune(c), 1
	}
	n = 1
	for need := runeLen(c); n < need && n < len(s) && s[n] >= 0x80 && s[n] <= 0xbf; n++ {
	}
	return utf8.RuneError, n
}

// runeLen is how many bytes the rune that begins with c would have.
func runeLen(c byte) int {
	switch {
	case c >= 0xf0 && c <= 0xf4:
		return 4
	case c >= 0xe0 && c <= 0xef:
		return 3
	case c >= 0xc2 && c <= 0xdf:
		return 2
	}
	return 1
}

// sequence is the length of the escape sequence that s begins with, or 0.
func sequence(s string) int {
	r, n := decode(s)
	switch {
	case r == esc:
		return escape(s)
	case r == csi:
		return n + control(s[n:])
	case r == dcs || r == sos || r == osc || r == pm || r == apc:
		return n + controlString(s[n:])
	}
	return 0
}

// escape is the length of a sequence that begins with ESC. An ESC that begins
// none is a sequence of its own.
func escape(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch s[1] {
	case '[':
		return 2 + control(s[2:])
	case 'P', 'X', ']', '^', '_':
		return 2 + controlString(s[2:])
	}
	n := 1
	for n < len(s) && s[n] >= ' ' && s[n] <= '/' {
		n++
	}
	if n < len(s) && s[n] >= '0' && s[n] < del {
		return n + 1
	}
	return n
}

// control is the length of what follows a control sequence's introducer:
// parameters, intermediates and the final byte. A byte that cannot belong to
// it ends it and is not part of it.
func control(s string) int {
	n := 0
	for n < len(s) && s[n] >= ' ' && s[n] <= '?' {
		n++
	}
	if n < len(s) && s[n] >= '@' && s[n] < del {
		n++
	}
	return n
}

// controlString is the length of what follows a string sequence's introducer,
// its terminator included. CAN, SUB, another ESC and the end of the line end
// it as well.
func controlString(s string) int {
	for n := 0; n < len(s); {
		r, size := decode(s[n:])
		switch {
		case r == bel || r == st || r == can || r == sub:
			return n + size
		case r == esc && strings.HasPrefix(s[n:], "\x1b\\"):
			return n + 2
		case r == esc || r == '\n' || r == '\u2028' || r == '\u2029':
			return n
		}
		n += size
	}
	return len(s)
}
