package transcript

import (
	"strings"

	"craze/shared/proto"
)

// chunk folds a piece of streamed text: onto the newest entry while that
// streams and is of this kind, else as an entry that starts a stream.
func (s *State) chunk(kind Kind, ev *proto.Event) {
	text := valid(ev.Text)
	if text == "" {
		return
	}
	t := s.list(ev.Agent)
	if t.run == kind && len(t.entries) == 0 {
		s.growOmitted(t, text)
		return
	}
	if e := t.newest(); e != nil && e.Streaming && e.Kind == kind {
		t.size += s.own(t, len(t.entries)-1).grow(text, s.lim)
		if t.size > s.lim.total {
			s.trim(t)
		}
		return
	}
	s.add(t, Entry{Kind: kind, At: stamp(ev.At), Open: true, Streaming: true})
	t.size += t.newest().grow(text, s.lim)
	s.trim(t)
}

// growOmitted lengthens the omitted entry that still streams.
func (s *State) growOmitted(t *transcript, text string) {
	if t.runCut || len(t.ledger) == 0 {
		return
	}
	o := &t.ledger[len(t.ledger)-1]
	n, over := through(o.bytes-entryWeight, text, s.lim.str)
	o.bytes += n
	t.size += n
	t.runCut = over
	s.trim(t)
}

// whole adds an entry whose text is complete.
func (s *State) whole(t *transcript, e Entry, text string) {
	s.add(t, e)
	n := t.newest()
	t.size += n.grow(valid(text), s.lim)
	s.holdWhole(t)
	s.trim(t)
}

// longText is a closed text that is longer than a snapshot carries.
type longText struct {
	in    *transcript
	place int
	extra int
}

// holdWhole notes the newest entry's text if it is over the cap, and cuts the
// oldest such texts to it once they take too much together.
func (s *State) holdWhole(t *transcript) {
	e := t.newest()
	if e.cutAt == 0 {
		return
	}
	l := longText{in: t, place: t.first + len(t.entries) - 1, extra: len(e.Text) - e.cutAt}
	s.long = append(s.long, l)
	s.extra += l.extra
	for s.extra > s.lim.extra {
		old := s.long[0]
		s.long = s.long[1:]
		s.extra -= old.extra
		if i := old.place - old.in.first; i >= 0 {
			e := s.own(old.in, i)
			e.Text, e.Cut = strings.Clone(e.snapText()), true
		}
	}
}
