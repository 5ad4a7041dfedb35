package render

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"craze/shared/proto"
	"craze/shared/text"
)

// Session is one line of the session list.
type Session struct {
	Short, State, Provider, Model, Dir, Title string
	Since                                     time.Time
}

// The states of a session, in the order a list shows them.
const (
	NeedsYou    = "needs you"
	Working     = "working"
	Starting    = "starting"
	Failed      = "failed"
	Idle        = "idle"
	Unreachable = "unreachable"
)

var order = []string{NeedsYou, Working, Starting, Failed, Idle, Unreachable}

// State is what a host's row says of its session: the first that holds.
func State(status proto.RosterStatus, r proto.Row) string {
	switch {
	case status == proto.Unreachable:
		return Unreachable
	case r.PendingAsks > 0:
		return NeedsYou
	case r.StartFailed, r.LastTurn != nil && r.LastTurn.Outcome == proto.TurnFailed,
		r.Activity == proto.ActError && r.LastTurn == nil && !r.ForeignTurn:
		return Failed
	case r.Activity == proto.ActStarting, r.Activity == proto.ActReplaying, status == proto.Connecting:
		return Starting
	case r.Activity == proto.ActWorking, r.Activity == proto.ActClosing, r.ForeignTurn:
		return Working
	}
	return Idle
}

// Sort orders sessions by state, then newest in its state first.
func Sort(list []Session) {
	slices.SortStableFunc(list, func(a, b Session) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, a.State), slices.Index(order, b.State)),
			b.Since.Compare(a.Since),
		)
	})
}

const (
	modelCells = 32 // of the model column, as the page bounds it
	gap        = 2  // cells between two columns
	// floor is the least a column that gives way keeps: enough to tell two
	// titles apart.
	floor = 8
)

// Table draws the session list. width is the terminal's in cells; 0 is no
// bound. Columns that do not fit give way from the right: the title, the
// directory, the model.
func Table(list []Session, now time.Time, width int) string {
	rows := [][]string{{"SESSION", "STATE", "PROVIDER", "MODEL", "DIR", "SINCE", "TITLE"}}
	for _, s := range list {
		since := ""
		if !s.Since.IsZero() {
			since = text.Age(max(0, now.Sub(s.Since)))
		}
		rows = append(rows, []string{
			clean(s.Short), s.State, clean(s.Provider), text.Cut(clean(s.Model), modelCells), clean(s.Dir), since, clean(s.Title),
		})
	}
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			widths[i] = max(widths[i], text.Cells(c))
		}
	}
	if width > 0 {
		fit(widths, width)
	}
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(line(r, widths, width))
		b.WriteByte('\n')
	}
	return b.String()
}

// fit takes what is too much from the columns that can give.
func fit(widths []int, width int) {
	over := -width + gap*(len(widths)-1)
	for _, w := range widths {
		over += w
	}
	for _, i := range []int{6, 4, 3, 2} {
		if give := min(over, widths[i]-floor); give > 0 {
			widths[i] -= give
			over -= give
		}
	}
	room := width // what still does not fit is left out from the right
	for i := range widths {
		widths[i] = max(0, min(widths[i], room))
		room -= widths[i] + gap
	}
}

func line(cells []string, widths []int, width int) string {
	var b strings.Builder
	for i, c := range cells {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", gap))
		}
		c = text.Cut(c, widths[i])
		b.WriteString(c)
		if i < len(cells)-1 {
			b.WriteString(strings.Repeat(" ", max(0, widths[i]-text.Cells(c))))
		}
	}
	out := strings.TrimRight(b.String(), " ")
	if width > 0 {
		out = text.Cut(out, width)
	}
	return out
}

// clean makes one line of a string that came from elsewhere.
func clean(s string) string { return text.OneLine(s, proto.PathCharsMax) }
