package transcript

import (
	"time"

	"craze/shared/proto"
)

// Fold applies the event that the log numbered seq. The State keeps what ev
// points to, so the caller must not change it afterwards. A text chunk onto a
// streaming entry costs amortised O(1) and no allocation.
func (s *State) Fold(seq uint64, ev *proto.Event) {
	s.seq, s.n = seq, 0
	s.folds++
	switch ev.Type {
	case proto.EvText:
		s.chunk(KindAssistant, ev)
	case proto.EvThought:
		s.chunk(KindThought, ev)
	case proto.EvUser:
		s.user(ev)
	case proto.EvTool:
		s.tool(ev)
	case proto.EvTodos:
		s.setTodos(ev.Todos)
	case proto.EvPermission, proto.EvQuestion, proto.EvPlan:
		s.openAsk(ev)
	case proto.EvAsk:
		s.endAsk(ev)
	case proto.EvTurn:
		s.foldTurn(ev)
	case proto.EvDone:
		s.endWork(stamp(ev.At))
		s.stopNote(ev.StopReason, stamp(ev.At))
	case proto.EvError:
		s.endWork(stamp(ev.At))
		s.fail(ev.Err, stamp(ev.At))
	case proto.EvMeta:
		s.meta(ev)
	case proto.EvSubagent:
		s.subagent(ev)
	case proto.EvQueue:
		s.queued(ev)
	case proto.EvForeign:
		s.foreign(ev)
	case proto.EvReplay:
		s.replay(ev)
	case proto.EvCompaction:
		s.compact(ev)
	}
}

// user folds a user chunk. An interjection is broadcast whole, so it is an
// entry of its own that nothing joins.
func (s *State) user(ev *proto.Event) {
	if !ev.Interjection {
		s.chunk(KindUser, ev)
		return
	}
	if ev.Text != "" {
		at := stamp(ev.At)
		s.whole(s.list(ev.Agent), Entry{Kind: KindUser, Interject: true, At: at, End: at}, ev.Text)
	}
}

// endWork closes what cannot outlast a turn of the session's own.
func (s *State) endWork(at time.Time) {
	s.closeStream(&s.main, at)
	s.main.compacting = nil
}

func (s *State) foldTurn(ev *proto.Event) {
	if ev.Turn == nil {
		return
	}
	at := stamp(ev.At)
	switch ev.Turn.Phase {
	case proto.TurnStarted:
		s.startTurn(Turn{ID: ev.Turn.ID, Text: ev.Turn.Text, Origin: ev.Turn.Origin, At: at})
		if ev.Turn.Text != "" {
			s.whole(&s.main, Entry{Kind: KindUser, At: at, End: at}, ev.Turn.Text)
		}
	case proto.TurnEnded:
		s.endWork(at)
		if s.turn != nil && !s.turn.Foreign {
			s.turn = nil
		}
		s.stale = true
		s.turnOutcome(ev.Turn, at)
	}
}

func (s *State) startTurn(t Turn) {
	s.endWork(t.At)
	fitted, cut := fit(&t, walkTurn, s.lim.str)
	fitted.Truncated = cut
	s.turn = fitted
	s.main.todoPlanned, s.main.todoDone = false, false
	s.stale = true
}

// turnOutcome draws how a turn ended where neither done nor error has drawn
// it: a turn that craze ended itself has neither.
func (s *State) turnOutcome(t *proto.Turn, at time.Time) {
	if t.Err == "" && t.ErrClass == "" {
		s.stopNote(t.StopReason, at)
		return
	}
	if e := s.main.newest(); e == nil || e.Kind != KindError {
		s.fail(&proto.EventErr{Message: t.Err, Class: t.ErrClass}, at)
	}
}

// stopNote draws a stop that was not the answer's natural end, by its wire
// name, once for the done and the turn's ending that both carry it.
func (s *State) stopNote(reason string, at time.Time) {
	if reason == "" || reason == proto.StopEndTurn {
		return
	}
	text := valid(reason)
	if e := s.main.newest(); e != nil && e.Kind == KindNote && e.Text == text {
		return
	}
	s.whole(&s.main, Entry{Kind: KindNote, At: at, End: at}, text)
}

func (s *State) fail(err *proto.EventErr, at time.Time) {
	e := Entry{Kind: KindError, At: at, End: at, Err: &EntryErr{}}
	text := ""
	if err != nil {
		text = err.Message
		e.Err = &EntryErr{Class: s.id(err.Class), Code: err.Code}
	}
	s.whole(&s.main, e, text)
}

func (s *State) foreign(ev *proto.Event) {
	f := ev.ForeignTurn
	if f == nil {
		return
	}
	at := stamp(ev.At)
	if f.Running {
		s.startTurn(Turn{ID: f.ID, Text: f.Text, At: at, Foreign: true})
		return
	}
	s.endWork(at)
	if s.turn != nil && s.turn.Foreign {
		s.turn = nil
	}
	s.stale = true
}

func (s *State) replay(ev *proto.Event) {
	if ev.Replay == nil {
		return
	}
	switch ev.Replay.Phase {
	case replayStart:
		s.replaying = true
	case replayEnd:
		s.replaying = false
		s.endWork(stamp(ev.At))
	}
}

// The phases of a replay and of a compaction.
const (
	replayStart       = "start"
	replayEnd         = "end"
	compactionStarted = "started"
	compactionEnded   = "ended"
)

func (s *State) compact(ev *proto.Event) {
	c := ev.Compaction
	if c == nil {
		return
	}
	at := stamp(ev.At)
	switch c.Phase {
	case compactionStarted:
		s.list(ev.Agent).compacting = &Compacting{Since: at, Reason: s.id(c.Reason)}
	case compactionEnded:
		t := s.list(ev.Agent)
		t.compacting = nil
		s.whole(t, Entry{Kind: KindNote, At: at, End: at}, compactionText(c))
	}
}
