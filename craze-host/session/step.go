package session

import (
	"time"

	"craze/craze-host/agent"
	"craze/shared/proto"
)

// stepCommand decides a client's command. Every command is answered exactly
// once, in this step, after the events it caused.
func stepCommand(st *state, c command, now time.Time, out []effect) []effect {
	if a, found := st.receipts.seen(c.Command, now); found {
		return append(out, effect{kind: reply, out: c.out, answer: a})
	}
	var a answer
	switch b := c.Body.(type) {
	case Prompt:
		out, a = stepPrompt(st, b, c.key(), now, out)
	case Cancel:
		out, a = stepCancel(st, b, c.key(), now, out)
	case Answer:
		out, a = stepAnswer(st, b, c.key(), now, out)
	}
	st.receipts.store(c.Command, a, now)
	return append(out, effect{kind: reply, out: c.out, answer: a})
}

// stepAgent decides one thing the agent said. What it says once the session
// is closing changes nothing but that it is gone.
func stepAgent(st *state, u agent.Update, now time.Time, out []effect) []effect {
	if st.closing {
		return agentWhileClosing(st, u, now, out)
	}
	switch u := u.(type) {
	case agent.Text:
		return append(out, clockOf(proto.Event{Type: u.Kind, Text: u.Text, Agent: u.Agent}, now))
	case agent.ToolCall:
		return append(out, clockOf(proto.Event{Type: proto.EvTool, Tool: &u.Tool, Agent: u.Agent}, now))
	case agent.Todos:
		return append(out, clockOf(proto.Event{Type: proto.EvTodos, Todos: u.Todos}, now))
	case agent.State:
		return stepDelta(st, u.Delta, now, out)
	case agent.Asked:
		return stepAsked(st, u, now, out)
	case agent.AskGone:
		return st.asks.end(u.ID, ending{outcome: proto.OutcomeCancelled, by: proto.ByProvider, gone: true}, now, out)
	case agent.TurnEnded:
		return stepTurnEnded(st, u, now, out)
	case agent.Ready:
		return stepReady(st, u, now, out)
	case agent.StartFailed:
		return stepStartFailed(st, u, now, out)
	case agent.Diag:
		return append(out, effect{kind: note, note: Note{Type: "diag", At: now, Text: u.Text}})
	case agent.Exited:
		return stepExited(st, u, now, out)
	}
	return out
}

func agentWhileClosing(st *state, u agent.Update, now time.Time, out []effect) []effect {
	switch u := u.(type) {
	case agent.Exited:
		st.exited = true
	case agent.Asked: // every request gets an answer
		return append(out, effect{kind: agentTell, ask: u.ID, reply: agent.Reply{Cancelled: true}})
	case agent.Diag:
		return append(out, effect{kind: note, note: Note{Type: "diag", At: now, Text: u.Text}})
	}
	return out
}

// stepReady installs what the agent's start brought, in one delta, and opens
// the session.
func stepReady(st *state, u agent.Ready, now time.Time, out []effect) []effect {
	st.ready = true
	st.info.ProviderSessionID = u.ProviderSessionID
	st.info.Catalogs = u.Catalogs
	st.info.Capabilities = merge(st.info.Capabilities, u.Caps)
	out = stepDelta(st, u.State, now, out)
	out = append(out, effect{kind: note, note: Note{Type: "session", At: now, Text: u.ProviderSessionID}})
	return append(out, effect{kind: opened})
}

// merge joins what the host serves to what the agent can do.
func merge(host, a proto.SessionCaps) proto.SessionCaps {
	a.Stop, a.RowFacts, a.Presence = host.Stop, host.RowFacts, host.Presence
	a.Cancel, a.Approvals, a.HistoryCursor = true, true, true
	return a
}

func stepDelta(st *state, d proto.StateDelta, now time.Time, out []effect) []effect {
	if d.Mode != "" {
		st.settings.Mode = d.Mode
	}
	if d.Model != "" {
		st.settings.Model = d.Model
	}
	if d.Config != nil {
		st.settings.Config = *d.Config
	}
	out = append(out, clockOf(proto.Event{Type: proto.EvMeta, State: &d}, now))
	if d.Title != nil && *d.Title != st.title {
		st.title = *d.Title
		out = append(out, indexed(st, now))
	}
	return out
}

func indexed(st *state, now time.Time) effect {
	return effect{kind: index, index: IndexRow{
		ProviderSessionID: st.info.ProviderSessionID, Title: st.title, UpdatedAt: now,
	}}
}

func stepStartFailed(st *state, u agent.StartFailed, now time.Time, out []effect) []effect {
	st.startErr = &u.Err
	st.lastErr = u.Err.Message
	out = append(out, clockOf(proto.Event{Type: proto.EvError, Err: &u.Err}, now))
	out = append(out, effect{kind: note, note: Note{Type: "diag", At: now, Text: "start failed: " + u.Err.Message}})
	return append(out, effect{kind: opened})
}

// stepExited takes the agent's going. One that went on its own fails the turn
// it was in; the session stays, to be read and stopped.
func stepExited(st *state, u agent.Exited, now time.Time, out []effect) []effect {
	st.exited, st.exitErr = true, u.Err
	if st.startErr != nil {
		return out
	}
	err := u.Err
	if err == nil {
		err = &proto.EventErr{Message: "the agent exited", Class: proto.ErrAgentExited}
	}
	if !st.ready {
		return stepStartFailed(st, agent.StartFailed{Err: *err}, now, out)
	}
	if st.turn != nil {
		return stepTurnEnded(st, agent.TurnEnded{Turn: st.turn.id, Err: err}, now, out)
	}
	if st.lastErr == err.Message { // the turn it ended has said so
		return out
	}
	st.lastErr = err.Message
	return append(out, clockOf(proto.Event{Type: proto.EvError, Err: err}, now))
}

// stepClose ends the session on its stream: the asks, the running turn, then
// the log. The agent is closed and waited for by Run.
func stepClose(st *state, now time.Time, out []effect) []effect {
	if st.closing {
		return out
	}
	st.closing = true
	out = st.asks.endAll(ending{outcome: proto.OutcomeClosing, by: proto.ByClose}, now, out)
	if t := st.turn; t != nil {
		st.turn = nil
		out = append(out, clockOf(proto.Event{Type: proto.EvTurn, Cause: t.cause, Turn: &proto.Turn{
			ID: t.id, Phase: proto.TurnEnded, StopReason: proto.StopClosing,
		}}, now))
		st.last = &proto.LastTurn{Outcome: proto.TurnCancelled, EndedAt: now, TurnID: t.id}
		out = append(out, promptEnd(t, now, proto.StopClosing, ""))
		// An agent that is told ends the commands it runs, which may be out of
		// reach of whatever ends the agent.
		out = append(out, effect{kind: agentCancel})
	}
	if st.prompted {
		out = append(out, indexed(st, now))
	}
	out = append(out, effect{kind: opened}) // a start that never ended must not be waited for
	return append(out, effect{kind: logEnd}, effect{kind: agentClose})
}
