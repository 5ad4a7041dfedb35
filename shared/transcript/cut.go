package transcript

import "slices"

// View is a State as it stood at one seq. It is immutable.
type View struct {
	sections
	main transcript
	subs []transcript // by creation
}

// Cut gives the State as it stands, for encoding elsewhere; seq is the log's,
// which may be past the last folded event's. It copies one pointer an entry
// and no text. Entries it holds are cloned by the owner before they change.
func (s *State) Cut(seq uint64) View {
	s.epoch++
	v := View{sections: s.sections, main: s.main.view()}
	v.seq = seq
	v.agents = slices.Clone(s.agents)
	v.asks = slices.Clone(s.asks)
	v.ended = slices.Clone(s.ended)
	v.queue = slices.Clone(s.queue)
	v.longRows = slices.Clone(s.longRows)
	for _, id := range s.subOrder {
		v.subs = append(v.subs, s.subs[id].view())
	}
	return v
}

func (t *transcript) view() transcript {
	c := *t
	c.entries, c.ledger = slices.Clone(t.entries), slices.Clone(t.ledger)
	c.toolPlace, c.omittedPlace = nil, nil
	return c
}

// HasAgent reports whether a sub-agent transcript or row has this id.
func (v View) HasAgent(id string) bool {
	return slices.ContainsFunc(v.subs, func(t transcript) bool { return t.id == id }) ||
		slices.ContainsFunc(v.agents, func(a *Agent) bool { return a.Info.ID == id })
}

// Seq is the seq the view was cut at.
func (v View) Seq() uint64 { return v.seq }
