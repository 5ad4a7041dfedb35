package text

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const ellipsis = "…" // one cell

// Cells is the width of one cleaned line in terminal cells, by grapheme
// cluster. Escape sequences and control characters, tabs too, count nothing.
func Cells(s string) int { return ansi.StringWidth(s) }

// Cut is a cleaned line of at most cells terminal cells. One that is wider is
// cut between grapheme clusters, loses the spaces before the cut, and ends in
// an ellipsis. It is empty where there is no cell to fill.
func Cut(s string, cells int) string {
	if cells <= 0 {
		return ""
	}
	if Cells(s) <= cells {
		return s
	}
	return strings.TrimRight(ansi.Truncate(s, cells-1, ""), " ") + ellipsis
}
