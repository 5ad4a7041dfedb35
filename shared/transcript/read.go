package transcript

import (
	"slices"

	"craze/shared/proto"
)

// Incarnation names the run of the host whose stream this is.
func (s *State) Incarnation() string { return s.incarnation }

// Seq is the seq of the last folded event, or of the snapshot restored.
func (s *State) Seq() uint64 { return s.seq }

// Title is the session's title, "" when it has none.
func (s *State) Title() string { return s.settings.Title }

// Settings are the state sections.
func (s *State) Settings() Settings { return s.settings }

// Turn is the turn that runs, if one does.
func (s *State) Turn() (Turn, bool) {
	if s.turn == nil {
		return Turn{}, false
	}
	return *s.turn, true
}

// Replaying reports whether a load's replay is under way.
func (s *State) Replaying() bool { return s.replaying }

// Asks are the open asks, the oldest first.
func (s *State) Asks() []Ask {
	out := make([]Ask, len(s.asks))
	for i, a := range s.asks {
		out[i] = *a
	}
	return out
}

// Ended are the last EndedMax asks that ended, the oldest first.
func (s *State) Ended() []Ended { return slices.Clone(s.ended) }

// Queue is the prompts that wait, the next first.
func (s *State) Queue() []proto.QueueRow { return slices.Clone(s.queue) }

// Todos is the agent's task list.
func (s *State) Todos() []proto.Todo { return slices.Clone(s.todos) }

// Agents are the sub-agents' rows, in the order they came.
func (s *State) Agents() []Agent {
	out := make([]Agent, len(s.agents))
	for i, a := range s.agents {
		out[i] = *a
	}
	return out
}

// Subs are the ids of the sub-agents that have a transcript, by creation.
func (s *State) Subs() []string { return slices.Clone(s.subOrder) }

// Compacting is the compaction under way in a transcript, if one is.
func (s *State) Compacting(agent string) (Compacting, bool) {
	t := s.look(agent)
	if t == nil || t.compacting == nil {
		return Compacting{}, false
	}
	return *t.compacting, true
}

// look is the transcript of an agent, nil when it has none; "" is main.
func (s *State) look(agent string) *transcript {
	if agent == "" {
		return &s.main
	}
	return s.subs[agent]
}

// Entries are a transcript's entries, the oldest first; agent "" is main. The
// slice is the caller's. Len and At read the same without a copy.
func (s *State) Entries(agent string) []Entry {
	out := make([]Entry, s.Len(agent))
	for i := range out {
		out[i] = s.look(agent).entries[i].Entry
	}
	return out
}

// Len is how many entries a transcript holds; agent "" is main.
func (s *State) Len(agent string) int {
	if t := s.look(agent); t != nil {
		return len(t.entries)
	}
	return 0
}

// At is a transcript's i-th entry, the oldest being 0; i must be under Len.
func (s *State) At(agent string, i int) Entry { return s.look(agent).entries[i].Entry }

// Missing is how many older entries a transcript is known to have had that
// are not held here.
func (s *State) Missing(agent string) uint64 {
	t := s.look(agent)
	if t == nil {
		return 0
	}
	return t.dropped + uint64(len(t.ledger))
}

// LastAssistantText is the newest finished answer of main's latest turn, or
// the plan the turn made if that is newer; "" when it has neither. A turn
// reaches back to the newest prompt.
func (s *State) LastAssistantText() string {
	for _, e := range slices.Backward(s.main.entries) {
		switch {
		case e.Kind == KindUser && !e.Interject:
			return ""
		case e.Kind == KindAssistant && !e.Streaming:
			return e.Text
		case e.Kind == KindPlan && e.Plan != nil:
			return e.Plan.Plan
		}
	}
	return ""
}

// LastReply is the first line of main's last finished answer, as the agent
// wrote it and at most a few KiB; "" before there is one.
func (s *State) LastReply() string { return s.reply }

func lastReply(entries []*entry) string {
	for _, e := range slices.Backward(entries) {
		if e.Kind == KindAssistant && !e.Streaming {
			return firstLine(e.Text)
		}
	}
	return ""
}

// What Doing says of a turn with no running tool.
const (
	doingText  = "Responding"
	doingOther = "Thinking"
)

// Doing says in a few words what the running turn does: the title, else the
// name, of its newest unfinished tool, else whether it answers; "" when no
// turn runs. It is worked out once between changes that can alter it, of
// which a chunk onto a stream is none.
func (s *State) Doing() string {
	if s.stale {
		s.doing, s.stale = s.workOut(), false
	}
	return s.doing
}

func (s *State) workOut() string {
	if s.turn == nil {
		return ""
	}
	for _, e := range slices.Backward(s.main.entries) {
		if e.Kind == KindUser && !e.Interject || e.At.Before(s.turn.At) {
			break // an older turn's: a foreign turn has no prompt to end the search
		}
		if e.Tool == nil || !e.Open {
			continue
		}
		if name := toolName(e.Tool); name != "" {
			return name
		}
	}
	if e := s.main.newest(); e != nil && e.Streaming && e.Kind == KindAssistant {
		return doingText
	}
	return doingOther
}

func toolName(t *proto.Tool) string {
	if t.Title != "" {
		return t.Title
	}
	return t.Name
}
