package transcript

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"craze/shared/proto"
)

// ErrTooLarge says that a snapshot's mandatory part is over its budget: the
// caller refuses with failed, reason snapshot_too_large.
var ErrTooLarge = errors.New("snapshot's mandatory part is over its budget")

// head is a snapshot up to its transcripts, in wire order.
type head struct {
	Version      int              `json:"version"`
	Incarnation  string           `json:"incarnation,omitzero"`
	Seq          uint64           `json:"seq,omitzero"`
	FinishSeq    uint64           `json:"finishSeq,omitzero"`
	Agents       []*Agent         `json:"agents,omitempty"`
	Todos        []proto.Todo     `json:"todos,omitempty"`
	TodosCut     bool             `json:"todosTruncated,omitzero"`
	Asks         []*Ask           `json:"asks,omitempty"`
	Ended        []Ended          `json:"ended,omitempty"`
	Turn         *Turn            `json:"turn,omitzero"`
	Replaying    bool             `json:"replaying,omitzero"`
	Settings     Settings         `json:"settings,omitzero"`
	Queue        []proto.QueueRow `json:"queue,omitempty"`
	TruncatedRow []string         `json:"truncatedQueue,omitempty"`
}

func (v *View) head() head {
	return head{
		Version: proto.SnapshotCodec, Incarnation: v.incarnation, Seq: v.seq, FinishSeq: v.finishSeq,
		Agents: v.agents, Todos: v.todos, TodosCut: v.todosCut, Asks: v.asks, Ended: v.ended,
		Turn: v.turn, Replaying: v.replaying, Settings: v.settings, Queue: v.queue, TruncatedRow: v.longRows,
	}
}

// What surrounds the parts of a snapshot.
const (
	mainOpen = `,"main":`
	subsOpen = `,"subs":[`
	subsEnd  = `]`
	docEnd   = `}`
)

// ledgerShare is the part, as a divisor, of the room left by the mandatory
// sections that entries may not take from the ledgers.
const ledgerShare = 4

// Encode writes the view in snapshot codec 1 within budget bytes: 0 is
// proto.SnapshotDefault, and more than proto.SnapshotMax is that. The
// sections and the newest main entry are mandatory, and ErrTooLarge says they
// do not fit; the slash catalog yields before that. Then come the entries of
// sub-agent first (when not ""), of main and of the other sub-agents in the
// order they were created, newest first, and the ledgers of what was left
// out.
func (v View) Encode(budget int, first string) ([]byte, error) {
	if budget <= 0 {
		budget = proto.SnapshotDefault
	}
	budget = min(budget, proto.SnapshotMax)
	main := &window{t: &v.main, from: max(len(v.main.entries)-1, 0)}
	if err := main.mandatory(); err != nil {
		return nil, err
	}
	out, err := v.encodeHead(budget - main.fixed() - len(mainOpen) - len(docEnd))
	if err != nil {
		return nil, err
	}
	room := budget - len(out) - len(mainOpen) - len(docEnd) - main.fixed()
	shown, ranked := v.windows(main, first, &room)
	if err := fill(ranked, room); err != nil {
		return nil, err
	}
	out = main.append(append(out, mainOpen...))
	return appendSubs(out, shown), nil
}

// encodeHead writes the sections without their closing brace, within most
// bytes. The slash catalog, then the mark that it is missing, are given up
// for room.
func (v *View) encodeHead(most int) ([]byte, error) {
	h := v.head()
	for {
		out, err := json.Marshal(h, codec)
		if err != nil {
			return nil, fmt.Errorf("encode snapshot: %w", err)
		}
		out = out[:len(out)-len(docEnd)]
		set := &h.Settings
		switch {
		case len(out) <= most:
			return out, nil
		case set.Slash != nil:
			set.Slash, set.Truncated.Slash = nil, true
		case set.Truncated.Slash:
			set.Truncated.Slash = false
		default:
			return nil, ErrTooLarge
		}
	}
}

// windows takes the room of every sub-agent's bare transcript, while there is
// room, and gives those shown by creation and all windows by rank.
func (v *View) windows(main *window, first string, room *int) (shown, ranked []*window) {
	ranked = []*window{main}
	*room -= len(subsOpen) + len(subsEnd)
	if i := v.sub(first); i >= 0 {
		if w := bare(&v.subs[i], room); w != nil {
			ranked = []*window{w, main}
		}
	}
	for i := range v.subs {
		t := &v.subs[i]
		if t.id == first && ranked[0] != main {
			shown = append(shown, ranked[0])
		} else if w := bare(t, room); w != nil {
			shown, ranked = append(shown, w), append(ranked, w)
		}
	}
	if len(shown) == 0 {
		*room += len(subsOpen) + len(subsEnd)
	}
	return shown, ranked
}

func (v *View) sub(id string) int {
	for i := range v.subs {
		if id != "" && v.subs[i].id == id {
			return i
		}
	}
	return -1
}

// bare is a window of none of t's entries, or nil when even that has no room.
func bare(t *transcript, room *int) *window {
	w := &window{t: t, from: len(t.entries)}
	cost := w.fixed() + len(",")
	if cost > *room {
		return nil
	}
	*room -= cost
	return w
}

// fill widens the windows by rank, entries first and then ledgers.
func fill(ranked []*window, room int) error {
	reserve := 0
	for _, w := range ranked {
		reserve += w.ledgerLen()
	}
	reserve = max(0, min(reserve, room/ledgerShare))
	room -= reserve
	for _, w := range ranked {
		if err := w.addEntries(&room); err != nil {
			return err
		}
	}
	room += reserve
	for _, w := range ranked {
		w.addLedger(&room)
	}
	return nil
}

func appendSubs(out []byte, shown []*window) []byte {
	if len(shown) > 0 {
		out = append(out, subsOpen...)
		for i, w := range shown {
			if i > 0 {
				out = append(out, ',')
			}
			out = w.append(out)
		}
		out = append(out, subsEnd...)
	}
	return append(out, docEnd...)
}
