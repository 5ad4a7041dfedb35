package text

import (
	"strings"
	"unicode"
)

// TitleMax is the longest title of a session, in runes.
const TitleMax = 120

// tabStop is how far apart the columns are to which a tab goes on one line:
// half of a terminal's, since a row has few cells to give away.
const tabStop = 4

// OneLine is the first line of s that is not blank, cleaned, trimmed, with its
// tabs expanded, and of at most cells terminal cells; an ellipsis ends a line
// that was cut. It is empty when every line is blank.
func OneLine(s string, cells int) string {
	for line := range strings.SplitSeq(Clean(s), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			return Cut(expand(line), cells)
		}
	}
	return ""
}

// expand replaces each tab of a line by spaces up to the next stop.
func expand(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	column := 0
	for i, part := range strings.Split(line, "\t") {
		if i > 0 {
			pad := tabStop - column%tabStop
			b.WriteString(strings.Repeat(" ", pad))
			column += pad
		}
		b.WriteString(part)
		column += Cells(part)
	}
	return b.String()
}

// Title is the one form of a session's title, the same in its host, the roster
// and the index: cleaned, without the invisible characters that would make
// equal titles differ, on one line with single spaces, at most TitleMax runes,
// and trimmed. It is empty for a title that comes to nothing.
func Title(s string) string {
	var b strings.Builder
	runes, spaced := 0, false
	for _, r := range Clean(s) {
		space := unicode.IsSpace(r)
		if invisible(r) || space && spaced {
			continue
		}
		if runes == TitleMax {
			break
		}
		if spaced = space; space {
			r = ' '
		}
		b.WriteRune(r)
		runes++
	}
	return strings.TrimSpace(b.String())
}

// invisible reports whether r has no width and no effect on its neighbours:
// the zero-width space, the word joiner, the byte-order mark.
func invisible(r rune) bool {
	return r == '\u200b' || r == '\u2060' || r == '\ufeff'
}
