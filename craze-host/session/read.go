package session

import (
	"time"

	"craze/shared/proto"
	"craze/shared/text"
)

// factCells is the width of a row fact, as the roster's page bounds it.
const factCells = 200

func (s *Session) row(time.Time) proto.Row {
	st := &s.st
	r := proto.Row{
		Info: st.info, Title: st.title, Activity: st.activity(),
		PendingAsks: len(st.asks.open), HeadAsk: st.asks.head(true), LastTurn: st.last,
		Since: st.since, StartFailed: st.startErr != nil, Prompted: st.prompted, Model: st.settings.Model,
		LastReply: text.OneLine(s.fold.LastReply(), factCells),
	}
	if st.startErr != nil {
		r.StartErr = text.OneLine(st.startErr.Message, factCells)
	}
	if st.turn != nil {
		r.Doing = text.OneLine(s.fold.Doing(), factCells)
	}
	return r
}

func (s *Session) stateResult() proto.StateResult {
	st := &s.st
	r := proto.StateResult{
		Activity: st.activity(), PendingAsks: len(st.asks.open), HeadAsk: st.asks.head(false),
		Err: st.lastErr, StartFailed: st.startErr != nil, Prompted: st.prompted,
		Settings: st.settings, LastTurn: st.last,
	}
	if st.turn != nil {
		r.Turn, r.Cancelled = st.turn.id, st.turn.cancelling
	}
	for _, q := range st.queue {
		r.Queue = append(r.Queue, proto.StateRow{ID: q.ID, Text: q.Text, QueuedAt: q.QueuedAt, Version: q.Version})
	}
	return r
}

// label names an ask in one line: its kind, and the tool or name it is about.
func label(a *proto.Ask) string {
	what := ""
	switch {
	case a.Body.Permission != nil && a.Body.Permission.Tool != nil:
		t := a.Body.Permission.Tool
		what = first(t.ToolName, t.Name, t.Title)
	case a.Body.Question != nil:
		what = a.Body.Question.Title
	case a.Body.Plan != nil:
		what = a.Body.Plan.Name
	}
	return text.OneLine(string(a.Kind)+" "+what, factCells)
}

// summary is what an ask wants, for a list.
func summary(a *proto.Ask) string {
	what := ""
	switch {
	case a.Body.Permission != nil && a.Body.Permission.Tool != nil:
		what = first(a.Body.Permission.Tool.Title, a.Body.Permission.Tool.Name)
	case a.Body.Question != nil:
		if qs := a.Body.Question.Questions; len(qs) > 0 {
			what = qs[0].Prompt
		}
		what = first(what, a.Body.Question.Title)
	case a.Body.Plan != nil:
		what = a.Body.Plan.Name
	}
	return text.OneLine(what, factCells)
}

func first(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}

func (a *asks) head(withSummary bool) *proto.HeadAsk {
	if len(a.open) == 0 {
		return nil
	}
	ask := &a.open[0]
	h := &proto.HeadAsk{ID: ask.ID, Kind: ask.Kind, Label: label(ask)}
	if withSummary {
		h.Summary = summary(ask)
	}
	return h
}

func (a *asks) summaries() []proto.AskSummary {
	out := make([]proto.AskSummary, 0, len(a.open))
	for i := range a.open {
		ask := &a.open[i]
		out = append(out, proto.AskSummary{ID: ask.ID, Kind: ask.Kind, Label: label(ask), OpenedAt: ask.OpenedAt})
	}
	return out
}

func (a *asks) full(id string) (proto.Ask, error) {
	if i := a.find(id); i >= 0 {
		return capped(a.open[i]), nil
	}
	for i := range a.resolved {
		if a.resolved[i].ID == id {
			return capped(a.resolved[i]), nil
		}
	}
	return proto.Ask{}, proto.RefuseOne(proto.CodeUnknownAsk, "no ask %s", id)
}
