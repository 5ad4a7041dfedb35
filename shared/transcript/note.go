package transcript

import (
	"fmt"
	"strconv"
	"strings"

	"craze/shared/proto"
)

// compactionText is the note of a compaction's end.
func compactionText(c *proto.Compaction) string {
	if c.Err != "" {
		return "compaction failed: " + c.Err
	}
	text := "context compacted"
	switch c.Reason {
	case "manual":
		text = "context compacted on request"
	case "overflow":
		text = "context was too large — compacted"
	}
	if c.TokensBefore <= 0 && c.TokensAfter <= 0 {
		return text
	}
	return fmt.Sprintf("%s · %s → %s tokens", text, shortCount(c.TokensBefore), shortCount(c.TokensAfter))
}

// shortCount writes a count of tokens in at most four digits and a unit.
func shortCount(n int64) string {
	switch {
	case n >= 1_000_000:
		return strings.TrimSuffix(strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64), ".0") + "M"
	case n >= 1000:
		return strconv.FormatInt((n+500)/1000, 10) + "k"
	}
	return strconv.FormatInt(n, 10)
}

// firstLine is the first line of s that is not blank, without surrounding
// space, held apart from s and bounded.
func firstLine(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, "\r\n"); i >= 0 {
		s = s[:i]
	}
	s = s[:runeFloor(s, replyMax)]
	return strings.Clone(strings.TrimSpace(s))
}
