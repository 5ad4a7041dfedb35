package config

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// IndexRows is how many sessions the index remembers.
const IndexRows = 500

// line is one line of the file: a row, or text that is not one and is kept as
// it is.
type line struct {
	raw []byte
	row *Row
}

// merge puts r in the place of its session's row, at the end.
func merge(lines []line, r Row) ([]line, error) {
	at := place(lines, &r)
	if at >= 0 {
		r = r.over(*lines[at].row)
	}
	raw, err := json.Marshal(r, jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		return nil, fmt.Errorf("the row cannot be written: %w", err)
	}
	if at >= 0 {
		lines = slices.Delete(lines, at, at+1)
	}
	return append(lines, line{raw, &r}), nil
}

// place finds the line that r replaces, or -1: the newest of its craze id,
// else one of its provider's session where either row has no craze id.
func place(lines []line, r *Row) int {
	best := -1
	for i, l := range lines {
		if l.row == nil || r.CrazeID == "" || l.row.CrazeID != r.CrazeID {
			continue
		}
		if best < 0 || !l.row.UpdatedAt.Before(lines[best].row.UpdatedAt) {
			best = i
		}
	}
	if best >= 0 {
		return best
	}
	return slices.IndexFunc(lines, func(l line) bool {
		return l.row != nil && (l.row.CrazeID == "" || r.CrazeID == "") &&
			r.SessionID != "" && l.row.SessionID == r.SessionID && l.row.Provider == r.Provider
	})
}

// over is r with what it keeps of the row it replaces.
func (r Row) over(old Row) Row {
	if !old.CreatedAt.IsZero() {
		r.CreatedAt = old.CreatedAt
	}
	if r.CrazeID == "" {
		r.CrazeID = old.CrazeID
	}
	if old.Unattended != nil {
		r.Unattended = old.Unattended
	}
	if old.Pinned && !r.Pinned || r.Title == "" {
		r.Title, r.Pinned = old.Title, old.Pinned
	}
	r.Unknown = old.Unknown
	return r
}

// trim drops the rows past the cap. Lines that are no rows are never dropped.
func trim(lines []line) []line {
	var rows []int // lines that are rows
	for i, l := range lines {
		if l.row != nil {
			rows = append(rows, i)
		}
	}
	over := len(rows) - IndexRows
	if over <= 0 {
		return lines
	}
	slices.SortStableFunc(rows, func(a, b int) int { return lines[a].row.worth(lines[b].row) })
	gone := rows[:over]
	slices.Sort(gone)
	kept := lines[:0:0]
	for i, l := range lines {
		if _, drop := slices.BinarySearch(gone, i); !drop {
			kept = append(kept, l)
		}
	}
	return kept
}

// worth orders rows by what is dropped first.
func (r *Row) worth(o *Row) int {
	if (r.Unattended == nil) != (o.Unattended == nil) {
		if r.Unattended != nil {
			return -1
		}
		return 1
	}
	return r.UpdatedAt.Compare(o.UpdatedAt)
}
