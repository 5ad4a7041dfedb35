package transcript

import (
	"slices"
	"time"
)

// transcript is the entries of the session or of one sub-agent.
type transcript struct {
	id      string // the sub-agent; "" for main
	entries []*entry
	ledger  []omitted // entries left out by the window this was restored from; older than entries
	dropped uint64    // entries older than the ledger
	size    int       // weight of ledger and entries

	// Places count from the first entry that ever stood in the slice, so that
	// trimming its front moves none of them.
	first, firstOmitted     int            // the places of entries[0] and ledger[0]
	toolPlace, omittedPlace map[string]int // by tool id

	run        Kind // kind of the newest ledger item while that streams; "" otherwise
	runCut     bool // that item is cut
	compacting *Compacting

	todoPlanned, todoDone bool
}

// omitted is what is known of an entry a window left out.
type omitted struct {
	bytes int
	tool  string
}

// newest is the newest entry, or nil.
func (t *transcript) newest() *entry {
	if len(t.entries) == 0 {
		return nil
	}
	return t.entries[len(t.entries)-1]
}

// own gives the entry at index i for changing, cloning it when a View may
// hold it, and marks it changed.
func (s *State) own(t *transcript, i int) *entry {
	e := t.entries[i]
	if e.epoch != s.epoch {
		c := *e
		c.epoch = s.epoch
		e = &c
		t.entries[i] = e
	}
	e.Version = s.folds
	return e
}

// closeStream ends the streaming of the newest entry, if it streams.
func (s *State) closeStream(t *transcript, at time.Time) {
	t.run, t.runCut = "", false
	e := t.newest()
	if e == nil || !e.Streaming {
		return
	}
	e = s.own(t, len(t.entries)-1)
	e.seal(at)
	s.holdWhole(t)
	if t == &s.main {
		s.stale = true
		if e.Kind == KindAssistant {
			s.reply = firstLine(e.Text)
		}
	}
}

// add appends an entry made by the event being folded, and closes the stream
// before it.
func (s *State) add(t *transcript, e Entry) *entry {
	s.closeStream(t, e.At)
	e.ID = s.nextID()
	e.Version = s.folds
	n := &entry{Entry: e, epoch: s.epoch}
	n.weigh()
	t.entries = append(t.entries, n)
	t.size += n.size
	if t == &s.main {
		s.stale = true
	}
	s.trim(t)
	return n
}

// trim drops the oldest until the rest weighs no more than the limit.
// Whether an entry goes depends only on it and the entries after it, which
// is why a restored State trims where the original does.
func (s *State) trim(t *transcript) {
	n, most := 0, len(t.ledger)
	if len(t.entries) == 0 {
		most-- // the newest entry is an omitted one
	}
	for t.size > s.lim.total && n < most {
		t.size -= t.ledger[n].bytes
		n++
	}
	t.forgetOmitted(n)
	n = 0
	for t.size > s.lim.total && n < len(t.entries)-1 {
		t.size -= t.entries[n].size
		n++
	}
	t.forget(n)
}

func (t *transcript) forgetOmitted(n int) {
	for i, o := range t.ledger[:n] {
		if o.tool != "" && t.omittedPlace[o.tool] == t.firstOmitted+i {
			delete(t.omittedPlace, o.tool)
		}
	}
	t.ledger = t.ledger[n:]
	t.firstOmitted += n
	t.dropped += uint64(n)
}

func (t *transcript) forget(n int) {
	for i, e := range t.entries[:n] {
		if e.Tool != nil && t.toolPlace[e.Tool.ID] == t.first+i {
			delete(t.toolPlace, e.Tool.ID)
		}
		t.entries[i] = nil // the array outlives the entry
	}
	t.entries = t.entries[n:]
	t.first += n
	t.dropped += uint64(n)
}

// list is the transcript of an agent, made on first use; "" is main.
func (s *State) list(agent string) *transcript {
	if agent == "" {
		return &s.main
	}
	agent = s.id(agent)
	if t := s.subs[agent]; t != nil {
		return t
	}
	if len(s.subOrder) >= subsMax {
		s.evictSub()
	}
	t := &transcript{id: agent}
	if s.subs == nil {
		s.subs = make(map[string]*transcript)
	}
	s.subs[agent] = t
	s.subOrder = append(s.subOrder, agent)
	return t
}

// evictSub forgets the oldest sub-agent transcript, of one that does not run
// when there is such a one.
func (s *State) evictSub() {
	i := max(0, slices.IndexFunc(s.subOrder, func(id string) bool {
		a := s.agent(id)
		return a < 0 || s.agents[a].Finish > 0
	}))
	s.dropSub(s.subOrder[i])
}

func (s *State) dropSub(id string) {
	if s.subs[id] == nil {
		return
	}
	delete(s.subs, id)
	s.subOrder = slices.DeleteFunc(s.subOrder, func(o string) bool { return o == id })
}
