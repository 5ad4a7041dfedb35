package transcript

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"craze/shared/proto"
)

// ErrVersion says that a snapshot is of another codec version, which this
// build must not interpret.
var ErrVersion = errors.New("snapshot is of another codec version")

// document is a whole snapshot, to read.
type document struct {
	head
	Main list   `json:"main"`
	Subs []list `json:"subs"`
}

// list is a transcript, to read. Flags that follow from the rest are not
// read: trimmed, windowed.
type list struct {
	ID          string      `json:"id"`
	Dropped     uint64      `json:"dropped"`
	StreamOpen  bool        `json:"streamOpen"`
	TailCut     bool        `json:"tailCut"`
	TodoPlanned bool        `json:"todoPlanned"`
	TodoDone    bool        `json:"todoDone"`
	OmittedRun  Kind        `json:"omittedRun"`
	Omitted     []omitted   `json:"omitted"`
	Compacting  *Compacting `json:"compacting"`
	Entries     []record    `json:"entries"`
}

// record is an entry, to read.
type record struct {
	ID        string      `json:"id"`
	Kind      Kind        `json:"kind"`
	Text      string      `json:"text"`
	Tool      *proto.Tool `json:"tool"`
	Plan      *proto.Plan `json:"plan"`
	Err       *EntryErr   `json:"err"`
	At        time.Time   `json:"at"`
	End       time.Time   `json:"end"`
	Open      bool        `json:"open"`
	Interject bool        `json:"interject"`
	Streaming bool        `json:"streaming"`
	Cut       bool        `json:"cut"`
}

// omittedMax is the most an omitted entry may claim to weigh: far above any
// real one, and low enough that no number of them overflows their sum.
const omittedMax = 1 << 40

// UnmarshalJSONFrom reads [bytes] or [bytes, "tool id"]; more elements are
// skipped.
func (o *omitted) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var raw []jsontext.Value
	if err := json.UnmarshalDecode(dec, &raw); err != nil {
		return fmt.Errorf("omitted entry: %w", err)
	}
	if len(raw) == 0 {
		return errors.New("omitted entry: no weight")
	}
	if err := json.Unmarshal(raw[0], &o.bytes); err != nil {
		return fmt.Errorf("omitted entry's weight: %w", err)
	}
	if len(raw) > 1 {
		if err := json.Unmarshal(raw[1], &o.tool); err != nil {
			return fmt.Errorf("omitted entry's tool: %w", err)
		}
	}
	if o.bytes < 0 || o.bytes > omittedMax {
		return fmt.Errorf("omitted entry: weight %d out of range", o.bytes)
	}
	return nil
}

// Restore makes the State a snapshot was cut from, as far as the snapshot
// carries it. It refuses another codec's with ErrVersion, and skips members
// it does not know. Versions of entries start afresh, so anything cached by
// them is void.
func Restore(data []byte) (*State, error) { return restore(data, defaultLimits()) }

func restore(data []byte, lim limits) (*State, error) {
	var doc document
	err := json.Unmarshal(data, &doc)
	if other, ok := otherVersion(data); ok {
		return nil, fmt.Errorf("restore snapshot of version %d: %w", other, ErrVersion)
	}
	if err != nil {
		return nil, fmt.Errorf("restore snapshot: %w", err)
	}
	s := New(doc.Incarnation)
	s.lim, s.folds, s.stale = lim, 1, true
	s.restoreHead(&doc.head)
	s.restoreList(&s.main, &doc.Main)
	s.main.todoPlanned, s.main.todoDone = doc.Main.TodoPlanned, doc.Main.TodoDone
	for i := range doc.Subs {
		l := &doc.Subs[i]
		if l.ID != "" && s.subs[s.id(l.ID)] == nil {
			s.restoreList(s.list(l.ID), l)
		}
	}
	s.reply = lastReply(s.main.entries)
	return s, nil
}

// otherVersion looks for the version alone, as the rest of another codec's
// snapshot may not be of this one's shape.
func otherVersion(data []byte) (int, bool) {
	var v struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return 0, false
	}
	return v.Version, v.Version != proto.SnapshotCodec
}

// restoreHead takes the sections through the same bounds as Fold, so that a
// snapshot of a host with others still makes a State that keeps its own.
func (s *State) restoreHead(h *head) {
	s.seq, s.finishSeq, s.replaying = h.Seq, h.FinishSeq, h.Replaying
	todos, cut := fit(&h.Todos, walkTodos, s.lim.str)
	s.todos, s.todosCut = *todos, cut || h.TodosCut
	for _, a := range h.Agents {
		if a != nil {
			s.restoreAgent(*a)
		}
	}
	s.boundAgents()
	for _, a := range h.Asks {
		if a != nil {
			s.restoreAsk(*a)
		}
	}
	for _, e := range h.Ended[max(0, len(h.Ended)-EndedMax):] {
		e.At = stamp(e.At)
		fitted, _ := fit(&e, walkEnded, s.lim.str)
		s.ended = append(s.ended, *fitted)
	}
	if t := h.Turn; t != nil {
		t.At = stamp(t.At)
		fitted, cut := fit(t, walkTurn, s.lim.str)
		fitted.Truncated = fitted.Truncated || cut
		s.turn = fitted
	}
	s.restoreQueue(h)
	s.restoreSettings(&h.Settings)
}

func (s *State) restoreAgent(a Agent) {
	a.Info.StartedAt, a.Info.EndedAt = stamp(a.Info.StartedAt), stamp(a.Info.EndedAt)
	info, cut := fit(&a.Info, walkAgent, s.lim.str)
	s.agents = append(s.agents, &Agent{Info: *info, Finish: a.Finish, Truncated: a.Truncated || cut})
}

func (s *State) restoreAsk(a Ask) {
	a.At = stamp(a.At)
	fitted := s.fitAsk(a)
	fitted.Truncated = fitted.Truncated || a.Truncated
	s.asks = append(s.asks, fitted)
}

func (s *State) restoreQueue(h *head) {
	for _, r := range h.Queue {
		r.QueuedAt = stamp(r.QueuedAt)
		fitted, _ := fit(&r, walkRow, s.lim.str)
		s.queue = append(s.queue, *fitted)
	}
	s.longRows = h.TruncatedRow
}

// restoreSettings takes each section as a delta would bring it, and the marks
// of what the snapshot had already cut.
func (s *State) restoreSettings(h *Settings) {
	set, most := &s.settings, s.lim.str
	setString(&set.Title, &set.Truncated.Title, h.Title, most)
	setString(&set.Mode, &set.Truncated.Mode, h.Mode, most)
	setString(&set.Model, &set.Truncated.Model, h.Model, most)
	set.replace(&proto.StateDelta{
		Config: h.Config, Commands: h.Commands, Plugins: h.Plugins, SendNow: h.SendNow,
		Usage: h.Usage, Catalog: h.Catalog, Slash: h.Slash,
	}, most)
	now, was := &set.Truncated, &h.Truncated
	now.Title = now.Title || was.Title
	now.Mode = now.Mode || was.Mode
	now.Model = now.Model || was.Model
	now.Config = now.Config || was.Config
	now.Commands = now.Commands || was.Commands
	now.Plugins = now.Plugins || was.Plugins
	now.SendNow = now.SendNow || was.SendNow
	now.Catalog = now.Catalog || was.Catalog
	now.Slash = now.Slash || was.Slash
}

func (s *State) restoreList(t *transcript, l *list) {
	t.dropped, t.ledger = l.Dropped, l.Omitted
	for i, o := range t.ledger {
		t.size += o.bytes
		if o.tool == "" {
			continue
		}
		if t.omittedPlace == nil {
			t.omittedPlace = make(map[string]int)
		}
		t.omittedPlace[o.tool] = i
	}
	if c := l.Compacting; c != nil {
		t.compacting = &Compacting{Since: stamp(c.Since), Reason: s.id(c.Reason)}
	}
	for i := range l.Entries {
		newest := i == len(l.Entries)-1
		s.restoreEntry(t, &l.Entries[i], newest && l.StreamOpen)
	}
	if len(l.Entries) == 0 && l.StreamOpen && streams(l.OmittedRun) {
		t.run, t.runCut = l.OmittedRun, l.TailCut
	}
	s.trim(t)
}

// streams reports whether chunks join entries of this kind.
func streams(k Kind) bool { return k == KindUser || k == KindAssistant || k == KindThought }

func (s *State) restoreEntry(t *transcript, r *record, tail bool) {
	e := &entry{epoch: s.epoch, Entry: Entry{
		ID: s.id(r.ID), Kind: Kind(s.id(string(r.Kind))), Plan: r.Plan, Err: r.Err,
		At: stamp(r.At), End: stamp(r.End), Open: r.Open, Interject: r.Interject,
		Streaming: r.Streaming && tail && streams(r.Kind) && !r.Interject,
		Version:   s.folds,
	}}
	cut := false
	if r.Tool != nil {
		e.Tool, cut = fitTool(r.Tool, s.lim.str)
		t.placeTool(e.Tool.ID, t.first+len(t.entries))
	}
	if r.Plan != nil {
		var over bool
		e.Plan, over = fit(r.Plan, walkPlan, s.lim.str)
		cut = cut || over
	}
	e.weigh()
	e.grow(r.Text, s.lim)
	e.Cut = r.Cut || cut || e.cutAt > 0
	t.entries = append(t.entries, e)
	t.size += e.size
}
