package session

import (
	"time"

	"github.com/go-json-experiment/json"

	"craze/craze-host/agent"
	"craze/shared/proto"
)

// stepPrompt starts a turn, or queues the prompt behind the one that runs.
func stepPrompt(st *state, p Prompt, cause string, now time.Time, out []effect) ([]effect, answer) {
	if refusal := st.accepting(); refusal != nil {
		return out, answer{err: refusal}
	}
	if st.turn == nil {
		out = startTurn(st, turn{text: p.Text, cause: cause}, proto.OriginSubmit, now, out)
		return out, answer{result: &proto.PromptResult{Turn: st.turn.id, Text: p.Text}}
	}
	if len(p.Text) > proto.QueueTextMax {
		return out, answer{err: proto.RefuseOne(proto.CodeTextTooLong, "a queued prompt is at most %d bytes", proto.QueueTextMax)}
	}
	if len(st.queue) >= proto.QueueRows {
		return out, answer{err: proto.RefuseOne(proto.CodeQueueFull, "%d prompts wait already", proto.QueueRows)}
	}
	r := row{proto.QueueRow{ID: st.nextRow(), Text: p.Text, QueuedAt: now}, cause}
	st.queue = append(st.queue, r)
	out = append(out, queueEvent(r, proto.RowQueued, len(st.queue)-1, now))
	return out, answer{result: &proto.PromptResult{Queued: &r.QueueRow}}
}

func queueEvent(r row, change string, pos int, now time.Time) effect {
	return clockOf(proto.Event{
		Type: proto.EvQueue, Queue: &r.QueueRow, QueueChange: change, QueuePos: pos, Cause: r.cause,
	}, now)
}

// startTurn names t, says it has started, and asks the agent to begin.
func startTurn(st *state, t turn, origin string, now time.Time, out []effect) []effect {
	t.id, t.at = st.nextTurn(), now
	first := !st.prompted
	st.turn, st.last, st.prompted, st.lastErr = &t, nil, true, ""
	out = append(out, clockOf(proto.Event{Type: proto.EvTurn, Cause: t.cause, Turn: &proto.Turn{
		ID: t.id, Phase: proto.TurnStarted, Text: t.text, Origin: origin,
	}}, now))
	out = append(out, effect{kind: note, note: Note{Type: "prompt", At: now, Turn: t.id, Text: t.text}})
	if first {
		e := indexed(st, now)
		if e.index.Title == "" {
			e.index.Title = t.text // the index keeps its first line
		}
		out = append(out, e)
	}
	return append(out, effect{kind: agentPrompt, turn: t.id, text: t.text})
}

// stepTurnEnded ends the running turn as the agent said, and starts the next
// queued one. An ending of another turn is late and changes nothing.
func stepTurnEnded(st *state, u agent.TurnEnded, now time.Time, out []effect) []effect {
	t := st.turn
	if t == nil || t.id != u.Turn {
		return out
	}
	if u.Err != nil && t.cancelling && u.Err.Class == proto.ErrRPC {
		u = agent.TurnEnded{Turn: u.Turn, StopReason: proto.StopCancelled} // an agent's way to say it stopped
	}
	st.turn = nil
	out = st.asks.endAll(ending{outcome: proto.OutcomeTurnEnded, by: proto.ByTurn}, now, out)
	end := proto.Turn{ID: t.id, Phase: proto.TurnEnded, StopReason: u.StopReason}
	st.last = &proto.LastTurn{Outcome: proto.TurnDone, EndedAt: now, TurnID: t.id}
	switch {
	case u.Err != nil:
		end.StopReason, end.ErrClass, end.Err = "", u.Err.Class, u.Err.Message
		st.last.Outcome, st.last.Err, st.lastErr = proto.TurnFailed, u.Err.Message, u.Err.Message
		out = append(out, clockOf(proto.Event{Type: proto.EvError, Err: u.Err, Cause: t.cause}, now))
		out = clearQueue(st, now, out)
	case u.StopReason == proto.StopCancelled:
		st.last.Outcome = proto.TurnCancelled
		fallthrough
	default:
		out = append(out, clockOf(proto.Event{Type: proto.EvDone, StopReason: u.StopReason, Cause: t.cause}, now))
	}
	drain := len(st.queue) > 0 && st.accepting() == nil
	if drain {
		end.Next, end.Pending = "turn-"+itoa(st.turns+1), len(st.queue)-1
	}
	out = append(out, clockOf(proto.Event{Type: proto.EvTurn, Turn: &end, Cause: t.cause}, now))
	out = append(out, promptEnd(t, now, end.StopReason+end.ErrClass, end.Err))
	if drain {
		out = drainQueue(st, now, out)
	}
	return out
}

func promptEnd(t *turn, now time.Time, end, err string) effect {
	return effect{kind: note, note: Note{Type: "prompt_end", At: now, Turn: t.id, End: end, Err: err, Took: now.Sub(t.at)}}
}

// clearQueue removes every waiting prompt, each said on the stream: what was
// meant to follow a turn that failed is not sent behind its back.
func clearQueue(st *state, now time.Time, out []effect) []effect {
	for _, r := range st.queue {
		out = append(out, queueEvent(r, proto.RowRemoved, 0, now))
	}
	st.queue = nil
	return out
}

// drainQueue sends the first waiting prompt.
func drainQueue(st *state, now time.Time, out []effect) []effect {
	r := st.queue[0]
	st.queue = st.queue[1:]
	out = append(out, queueEvent(r, proto.RowSent, 0, now))
	return startTurn(st, turn{text: r.Text, cause: r.cause}, proto.OriginDrain, now, out)
}

// stepCancel asks the agent to end the running turn. Its open asks end with
// it, at once.
func stepCancel(st *state, c Cancel, cause string, now time.Time, out []effect) ([]effect, answer) {
	t := st.turn
	switch {
	case st.closing || t == nil && len(st.asks.open) == 0:
		return out, answer{err: cancelRefused(proto.Refuse(proto.CodeNotAccepting, proto.ReasonNotAccepting, "no turn is running"), "")}
	case t == nil:
		out = st.asks.endAll(ending{outcome: proto.OutcomeCancelled, by: proto.ByCancel, cause: cause}, now, out)
		return out, answer{result: &proto.CancelResult{Outcome: proto.CancelSettled}}
	case c.TurnID != "" && c.TurnID != t.id:
		return out, answer{err: cancelRefused(proto.RefuseOne(proto.CodeStaleTurn, "turn %s is not the one that runs", c.TurnID), t.id)}
	}
	out = st.asks.endAll(ending{outcome: proto.OutcomeCancelled, by: proto.ByCancel, cause: cause}, now, out)
	if !t.cancelling {
		t.cancelling = true
		out = append(out, effect{kind: agentCancel})
	}
	return out, answer{result: &proto.CancelResult{Outcome: proto.CancelRequested, Turn: t.id}}
}

// cancelRefused adds a cancel's three facts to its refusal.
func cancelRefused(e *proto.Error, turn string) *proto.Error {
	facts, err := json.Marshal(proto.CancelResult{Outcome: proto.CancelUnknown, Turn: turn})
	if err == nil {
		e.Data.Result = facts
	}
	return e
}
