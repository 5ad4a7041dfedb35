package acp

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what is said about an agent's words.
const (
	diagMax     = 1 << 10  // bytes of one Diag's text
	headMax     = 200      // of them, an agent's bad line
	messageMax  = 1 << 10  // an error of the agent, for a person
	tailMax     = 512      // the stderr words of an error
	tailKept    = 8 << 10  // stderr bytes kept for them
	stderrLines = 64       // stderr lines waiting to become Diags
	stderrLine  = 4 << 10  // bytes of one of them
	cutMark     = "…"      // ends a line that was cut
	foldMark    = " / "    // joins lines folded into one
	replacement = "\uFFFD" // stands for bytes that are not text
	unclosedMax = 64       // bytes of an escape sequence without its end
)

// clean makes one line of plain text of at most limit bytes: escape sequences
// go, other controls and line ends become spaces, and what could reorder or
// hide text (bidi and other format runes) goes.
func clean(s string, limit int) string {
	var b strings.Builder
	space := false
	for len(s) > 0 && b.Len() <= limit {
		if n := escape(s); n > 0 {
			s = s[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		s = s[n:]
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			space = b.Len() > 0
			continue
		case unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp):
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	if out := b.String(); b.Len() > limit || len(s) > 0 {
		return cutHead(out, limit-len(cutMark)) + cutMark
	}
	return b.String()
}

// escape gives the length of the escape sequence s starts with, or 0. A lone
// ESC is a sequence of one.
func escape(s string) int {
	if s[0] != 0x1b {
		return 0
	}
	if len(s) == 1 {
		return 1
	}
	switch s[1] {
	case '[':
		for i := 2; i < min(len(s), unclosedMax); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
	case ']', 'P', 'X', '^', '_':
		for i := 2; i < len(s); i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
	}
	return 1
}

// cutHead keeps at most n bytes of the start of s, whole runes.
func cutHead(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// cutTail keeps at most n bytes of the end of s, whole runes.
func cutTail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := len(s) - max(n, 0)
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return s[i:]
}

// stderrTail folds the last non-blank lines of an agent's stderr into one line
// of at most tailMax bytes; a longer last line keeps its end.
func stderrTail(kept []byte) string {
	lines := bytes.Split(kept, []byte("\n"))
	tail := ""
	for i := len(lines) - 1; i >= 0; i-- {
		line := clean(string(lines[i]), tailKept)
		if line == "" {
			continue
		}
		if tail == "" {
			tail = cutTail(line, tailMax)
			continue
		}
		if len(line)+len(foldMark)+len(tail) > tailMax {
			break
		}
		tail = line + foldMark + tail
	}
	return tail
}
