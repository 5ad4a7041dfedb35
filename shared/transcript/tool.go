package transcript

import (
	"time"

	"craze/shared/proto"
)

// tool puts a tool's state in its entry, wherever that stands, or in an entry
// of its own at the end.
func (s *State) tool(ev *proto.Event) {
	if ev.Tool == nil {
		return
	}
	t := s.list(ev.Agent)
	tool, cut := fitTool(ev.Tool, s.lim.str)
	if place, ok := t.omittedPlace[tool.ID]; ok {
		s.reweighOmitted(t, place, tool)
		return
	}
	place, ok := t.toolPlace[tool.ID]
	if !ok || tool.ID == "" {
		e := s.add(t, Entry{Kind: KindTool, Tool: tool, At: stamp(ev.At)})
		t.placeTool(tool.ID, t.first+len(t.entries)-1)
		finish(e, ev, cut)
		return
	}
	e := s.own(t, place-t.first)
	old := e.size
	e.Tool = tool
	finish(e, ev, cut)
	e.weigh()
	t.size += e.size - old
	s.stale = s.stale || t == &s.main
	s.trim(t)
}

func (t *transcript) placeTool(id string, place int) {
	if t.toolPlace == nil {
		t.toolPlace = make(map[string]int)
	}
	if id != "" {
		t.toolPlace[id] = place
	}
}

func (s *State) reweighOmitted(t *transcript, place int, tool *proto.Tool) {
	e := entry{Entry: Entry{Tool: tool}}
	e.weigh()
	o := &t.ledger[place-t.firstOmitted]
	t.size += e.size - o.bytes
	o.bytes = e.size
	s.trim(t)
}

// finish sets what a tool's status says of its entry.
func finish(e *entry, ev *proto.Event, cut bool) {
	e.Cut = cut
	e.Open = unfinished(e.Tool)
	if e.Open {
		e.End = time.Time{}
	} else if e.End.IsZero() {
		e.End = stamp(ev.At)
	}
}

func unfinished(t *proto.Tool) bool {
	switch t.Status {
	case "", proto.ToolPending, proto.ToolInProgress:
		return true
	}
	return false
}

// fitTool is fit for a tool, with its time made a snapshot's.
func fitTool(t *proto.Tool, most int) (*proto.Tool, bool) {
	if at := stamp(t.At); at != t.At {
		c := *t
		c.At = at
		t = &c
	}
	return fit(t, walkTool, most)
}
