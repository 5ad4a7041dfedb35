package cli

import (
	"cmp"
	"slices"
	"strings"

	"craze/shared/proto"
	"craze/shared/transcript"
)

// outcome is how a wait ends, once it has.
type outcome string

const (
	pending   outcome = ""
	done      outcome = "done"
	failed    outcome = "failed"
	cancelled outcome = "cancelled"
	asking    outcome = "ask"
	ended     outcome = "ended"
	timedOut  outcome = "timeout" // the wait's own end, not the session's
)

var codes = map[outcome]int{
	done: exitDone, failed: exitFailed, cancelled: exitCancelled, asking: exitAsks, ended: exitEnded, timedOut: exitTimeout,
}

// facts is what a wait knows of its session, all of it from the protocol.
type facts struct {
	turn    string // the turn that is waited for; "" is whatever runs last
	row     string // the queue row it waits in, until it is sent
	running string // the turn that runs
	queued  int
	asks    []string // open asks, oldest first
	over    bool     // the session has ended

	lastTurn string // the last turn that ended
	last     outcome
	err      string

	message strings.Builder // the last assistant text of the running or last turn
	kind    proto.EventType // of the last chunk
	tools   map[string]bool // that have their place in the transcript
}

// settle says whether the wait is over, and how.
func (f *facts) settle() outcome {
	switch {
	case f.turn != "" && f.lastTurn == f.turn:
		return f.last
	case f.over:
		return ended
	case len(f.asks) > 0: // any stands in the way: no turn behind it can start
		return asking
	case f.turn != "" || f.row != "" || f.running != "" || f.queued > 0:
		return pending
	}
	return f.last
}

// restore takes a snapshot as the place to go on from.
func (f *facts) restore(s *transcript.State) {
	f.running, f.queued, f.asks = "", len(s.Queue()), nil
	if t, ok := s.Turn(); ok {
		f.running = t.ID
	}
	for _, a := range s.Asks() {
		f.asks = append(f.asks, a.ID)
	}
	message := s.LastAssistantText()
	f.kind, f.tools = "", map[string]bool{}
	for _, e := range s.Entries("") {
		if e.Tool != nil {
			f.tools[e.Tool.ID] = true
		}
	}
	if n := s.Len(""); n > 0 {
		if e := s.At("", n-1); e.Kind == transcript.KindAssistant && e.Open {
			message, f.kind = e.Text, proto.EvText // more of it may come, or may not
		}
	}
	f.message.Reset()
	f.message.WriteString(message)
}

// missed gives up what a stream that was cut cannot tell any more: how its own
// turn ended. What runs last stands for it then.
func (f *facts) missed(rows []proto.QueueRow) {
	f.last, f.lastTurn = pending, ""
	if f.turn != f.running {
		f.turn = ""
	}
	waits := func(r proto.QueueRow) bool { return r.ID == f.row }
	if f.row != "" && !slices.ContainsFunc(rows, waits) {
		f.row = ""
	}
}

// fold takes one event.
func (f *facts) fold(ev *proto.Event) {
	switch ev.Type {
	case proto.EvTurn:
		f.foldTurn(ev.Turn)
	case proto.EvText, proto.EvThought, proto.EvTool, proto.EvUser, proto.EvDone, proto.EvCompaction:
		if ev.Agent == "" {
			f.chunk(ev)
		}
	case proto.EvQueue:
		f.foldQueue(ev)
	case proto.EvPermission:
		f.ask(ev.Permission.ID)
	case proto.EvQuestion:
		f.ask(ev.Question.ID)
	case proto.EvPlan:
		f.ask(ev.Plan.ID)
		f.message.Reset()
		f.message.WriteString(ev.Plan.Plan)
		f.kind = ev.Type
	case proto.EvAsk:
		f.unask(ev.Ask.ID)
	case proto.EvError:
		f.err, f.kind = ev.Err.Message, ev.Type
	}
}

func (f *facts) foldTurn(t *proto.Turn) {
	if t.Phase == proto.TurnStarted {
		f.running, f.kind, f.err = t.ID, "", ""
		f.message.Reset()
		if f.row == "sent" {
			f.turn, f.row = t.ID, ""
		}
		return
	}
	f.running, f.lastTurn, f.last = "", t.ID, done
	switch {
	case t.Err != "" || t.ErrClass != "":
		f.last, f.err = failed, cmp.Or(t.Err, f.err, t.ErrClass)
	case t.StopReason == proto.StopCancelled:
		f.last = cancelled
	case t.StopReason == proto.StopClosing:
		f.last = ended
	}
	if f.turn == "" && t.Next != "" {
		f.running = t.Next // it starts in the same breath
	}
}

// chunk keeps the turn's last message: text that follows something else begins
// another. A tool that only goes on stays in its place, and parts nothing.
func (f *facts) chunk(ev *proto.Event) {
	if t := ev.Tool; ev.Type == proto.EvTool && t != nil && t.ID != "" {
		if f.tools[t.ID] {
			return
		}
		if f.tools == nil {
			f.tools = map[string]bool{}
		}
		f.tools[t.ID] = true
	}
	if ev.Type == proto.EvText {
		if f.kind != proto.EvText {
			f.message.Reset()
		}
		f.message.WriteString(ev.Text)
	}
	f.kind = ev.Type
}

func (f *facts) foldQueue(ev *proto.Event) {
	mine := f.row != "" && ev.Queue != nil && ev.Queue.ID == f.row
	switch ev.QueueChange {
	case proto.RowQueued:
		f.queued++
	case proto.RowSent:
		f.queued--
		if mine {
			f.row = "sent" // the turn that starts next is its own
		}
	case proto.RowRemoved:
		f.queued--
		if mine { // it will never run
			f.row, f.turn, f.lastTurn, f.last = "", ev.Queue.ID, ev.Queue.ID, cancelled
		}
	}
}

func (f *facts) ask(id string) { f.asks = append(f.asks, id) }

func (f *facts) unask(id string) {
	for i, a := range f.asks {
		if a == id {
			f.asks = append(f.asks[:i:i], f.asks[i+1:]...)
			return
		}
	}
}
