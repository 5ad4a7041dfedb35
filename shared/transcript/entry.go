package transcript

import (
	"strings"
	"time"
	"unicode/utf8"

	"craze/shared/proto"
)

// Kind is what an entry is. The set is open: a restored entry may have a kind
// of a later codec's.
type Kind string

// The kinds of entry.
const (
	KindUser      Kind = "user"
	KindAssistant Kind = "assistant"
	KindThought   Kind = "thought"
	KindTool      Kind = "tool"
	KindNote      Kind = "note"
	KindPlan      Kind = "plan"
	KindError     Kind = "error"
)

// EntryErr is the machine's half of an error entry; the entry's Text is the
// message.
type EntryErr struct {
	Class string `json:"class,omitzero"`
	Code  int    `json:"code,omitzero"`
}

// Entry is one entry of a transcript, to read. What its pointers lead to is
// shared and must not be changed.
type Entry struct {
	ID        string // "<seq>.<n>": the event that made it, and a number within that event
	Kind      Kind
	Text      string
	Tool      *proto.Tool // of a tool entry
	Plan      *proto.Plan // of a plan entry
	Err       *EntryErr   // of an error entry
	At, End   time.Time   // UTC; End is zero until the entry closes
	Open      bool        // may still change
	Interject bool        // a user entry sent into a running turn
	Streaming bool        // later chunks join it
	Cut       bool        // a string of it is not whole
	Version   uint64      // grows whenever the entry changes; comparable within one State only
}

// entry is an Entry and its bookkeeping. An entry that a View may hold is
// never changed: State.own clones it first.
type entry struct {
	Entry
	text  *strings.Builder // grows Text without copying; nil until a second chunk
	cutAt int              // bytes of Text that a snapshot carries, once Text is past the cap; 0 before
	size  int              // weight: entryWeight and strings through the cut
	epoch uint64           // State.epoch when this copy was made
}

// entryWeight is what an entry weighs beside its strings: about what the
// struct and its id take in memory, so that many tiny entries are bounded
// too.
const entryWeight = 256

// compactWaste is the spare room, as a divisor of the text, above which a
// closed entry's text is copied to its own size.
const compactWaste = 4

// snapText is the text as a snapshot carries it.
func (e *entry) snapText() string {
	if e.cutAt > 0 {
		return e.Text[:e.cutAt]
	}
	return e.Text
}

// snapCut reports whether a snapshot must mark the entry as cut.
func (e *entry) snapCut() bool { return e.Cut || e.cutAt > 0 }

// weigh sets the entry's size from what it holds.
func (e *entry) weigh() {
	n := entryWeight + len(e.snapText())
	add := func(s *string) { n += len(*s) }
	if e.Tool != nil {
		walkTool(e.Tool, add)
	}
	if e.Plan != nil {
		walkPlan(e.Plan, add)
	}
	if e.Err != nil {
		n += len(e.Err.Class)
	}
	e.size = n
}

// grow appends a chunk to the text, amortised O(1), and reports by how much
// the entry's weight grew.
func (e *entry) grow(chunk string, lim limits) int {
	if e.Cut {
		return 0
	}
	grown := 0
	if e.cutAt == 0 {
		n, over := through(len(e.Text), chunk, lim.str)
		if grown = n; over {
			e.cutAt = len(e.Text) + n
		}
	}
	if n, over := through(len(e.Text), chunk, lim.text); over {
		chunk, e.Cut = chunk[:n], true
	}
	e.appendText(chunk)
	e.size += grown
	return grown
}

func (e *entry) appendText(chunk string) {
	if e.Text == "" {
		e.Text = chunk
		return
	}
	if e.text == nil {
		e.text = new(strings.Builder)
		e.text.Grow(2 * (len(e.Text) + len(chunk)))
		e.text.WriteString(e.Text)
	}
	e.text.WriteString(chunk)
	e.Text = e.text.String()
}

// seal ends the entry's growth and gives back a builder's spare room.
func (e *entry) seal(at time.Time) {
	e.Open, e.Streaming, e.End = false, false, at
	if b := e.text; b != nil && b.Cap()-b.Len() > b.Len()/compactWaste {
		e.Text = strings.Clone(e.Text)
	}
	e.text = nil
}

// through says how many bytes of a chunk fit behind have bytes under a cap,
// ending on a rune boundary, and whether the chunk passes the cap.
func through(have int, chunk string, most int) (n int, over bool) {
	if have+len(chunk) <= most {
		return len(chunk), false
	}
	return runeFloor(chunk, most-have), true
}

// runeFloor is the largest rune boundary of s at or below n.
func runeFloor(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return max(n, 0)
}

// valid is s with each byte that is not UTF-8 replaced, as the event codec
// replaces it on the wire: what a host folds and what its clients fold must
// be the same bytes.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// stamp is t as every snapshot writes times: UTC, and zero where RFC 3339
// has no year for it.
func stamp(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	t = t.UTC().Round(0)
	if y := t.Year(); y < 0 || y > 9999 {
		return time.Time{}
	}
	return t
}
