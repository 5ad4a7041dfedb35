package session

import (
	"strconv"
	"time"

	"craze/craze-host/agent"
	"craze/shared/proto"
)

func itoa(n int) string { return strconv.Itoa(n) }

// resolvedKept is how many ended asks asks.get still answers for.
const resolvedKept = 64

// asks are the open asks, oldest first, and the last resolved ones.
type asks struct {
	open     []proto.Ask
	resolved []proto.Ask
}

// ending is how an ask ends.
type ending struct {
	outcome string
	by      string
	cause   string
	answer  *proto.Answer
	gone    bool // the agent no longer waits, so it is not told
}

func (a *asks) find(id string) int {
	for i := range a.open {
		if a.open[i].ID == id {
			return i
		}
	}
	return -1
}

// end resolves one open ask, says so on the stream and tells the agent. One
// that is not open changes nothing.
func (a *asks) end(id string, e ending, now time.Time, out []effect) []effect {
	i := a.find(id)
	if i < 0 {
		return out
	}
	ask := a.open[i]
	a.open = append(a.open[:i:i], a.open[i+1:]...)
	ask.Status, ask.Outcome, ask.By, ask.Answer, ask.ResolvedAt = proto.AskResolved, e.outcome, e.by, e.answer, now
	a.keep(ask)
	out = append(out, clockOf(proto.Event{Type: proto.EvAsk, Ask: askEnd(&ask, nil), Cause: e.cause}, now))
	if e.gone {
		return out
	}
	return append(out, effect{kind: agentTell, ask: id, reply: replyOf(e.answer)})
}

func (a *asks) keep(ask proto.Ask) {
	a.resolved = append(a.resolved, ask)
	if len(a.resolved) > resolvedKept {
		a.resolved = a.resolved[1:]
	}
}

func (a *asks) endAll(e ending, now time.Time, out []effect) []effect {
	for len(a.open) > 0 {
		out = a.end(a.open[0].ID, e, now, out)
	}
	return out
}

func replyOf(answer *proto.Answer) agent.Reply {
	if answer == nil || answer.Cancel {
		return agent.Reply{Cancelled: true}
	}
	return agent.Reply{Answer: *answer}
}

// askEnd is a resolved ask as the stream tells it.
func askEnd(a *proto.Ask, body *proto.AskBody) *proto.AskEnd {
	end := &proto.AskEnd{ID: a.ID, Kind: a.Kind, Outcome: a.Outcome, By: a.By, Label: label(a), Body: body}
	if a.Answer != nil {
		end.OptionID, end.Answers = a.Answer.OptionID, a.Answer.Answers
		end.Skip, end.Accepted = a.Answer.Skip, a.Answer.Accept
	}
	return end
}

// stepAsked opens an ask, or answers it at once where the session bypasses
// permissions.
func stepAsked(st *state, u agent.Asked, now time.Time, out []effect) []effect {
	a := proto.Ask{ID: u.ID, Kind: u.Kind, Status: proto.AskOpen, Body: u.Body, OpenedAt: now}
	if st.info.PermissionMode == proto.PermBypass && u.Kind == proto.AskPermission {
		if opt, ok := allowOption(u.Body.Permission); ok {
			a.Status, a.Outcome, a.By, a.ResolvedAt = proto.AskResolved, proto.OutcomeAutomatic, proto.ByPolicy, now
			a.Answer = &proto.Answer{OptionID: opt}
			st.asks.keep(a)
			out = append(out, clockOf(proto.Event{Type: proto.EvAsk, Ask: askEnd(&a, &u.Body)}, now))
			return append(out, effect{kind: agentTell, ask: u.ID, reply: replyOf(a.Answer)})
		}
	}
	st.asks.open = append(st.asks.open, a)
	ev := proto.Event{Permission: u.Body.Permission, Question: u.Body.Question, Plan: u.Body.Plan}
	switch u.Kind {
	case proto.AskPermission:
		ev.Type = proto.EvPermission
	case proto.AskQuestion:
		ev.Type = proto.EvQuestion
	case proto.AskPlan:
		ev.Type = proto.EvPlan
	}
	return append(out, clockOf(ev, now))
}

// allowOption is the option that allows, once before always.
func allowOption(p *proto.Permission) (string, bool) {
	if p == nil {
		return "", false
	}
	for _, kind := range []string{proto.OptAllowOnce, proto.OptAllowAlways} {
		for _, o := range p.Options {
			if o.Kind == kind {
				return o.OptionID, true
			}
		}
	}
	return "", false
}

// stepAnswer answers an open ask. The first answer wins; a later one is told
// that it was not.
func stepAnswer(st *state, b Answer, cause string, now time.Time, out []effect) ([]effect, answer) {
	i := st.asks.find(b.AskID)
	if i < 0 {
		return out, answer{err: st.asks.notOpen(b.AskID, st.closing)}
	}
	if refusal := checkAnswer(&st.asks.open[i], b.Answer); refusal != nil {
		return out, answer{err: refusal}
	}
	e := ending{outcome: proto.OutcomeAnswered, by: proto.ByClient, cause: cause, answer: &b.Answer}
	if b.Answer.Cancel {
		e.outcome = proto.OutcomeCancelled
	}
	return st.asks.end(b.AskID, e, now, out), answer{result: &proto.Empty{}}
}

func (a *asks) notOpen(id string, closing bool) *proto.Error {
	for i := range a.resolved {
		if r := &a.resolved[i]; r.ID == id {
			return proto.RefuseOne(proto.CodeAlreadyResolved, "that ask was %s already, by %s", r.Outcome, r.By)
		}
	}
	if closing {
		return proto.RefuseOne(proto.CodeAlreadyResolved, "the session has closed its asks")
	}
	return proto.RefuseOne(proto.CodeUnknownAsk, "no ask %s", id)
}

// checkAnswer refuses an answer that is not of the ask's kind or names what
// the ask does not offer.
func checkAnswer(a *proto.Ask, ans proto.Answer) *proto.Error {
	bad := func(format string, args ...any) *proto.Error {
		return proto.Refuse(proto.CodeBadRequest, proto.ReasonBadAnswer, format, args...)
	}
	perm := ans.OptionID != "" || ans.Cancel
	question := ans.Answers != nil || ans.Skip
	plan := ans.Accept || ans.Reject
	switch a.Kind {
	case proto.AskPermission:
		if question || plan || (ans.OptionID != "") == ans.Cancel {
			return bad("a permission takes optionId or cancel")
		}
		if ans.OptionID != "" && !offers(a.Body.Permission, ans.OptionID) {
			return bad("the permission offers no such option")
		}
	case proto.AskQuestion:
		asks := a.Body.Question != nil && len(a.Body.Question.Questions) > 0
		if perm || plan || (asks && (ans.Answers != nil) == ans.Skip) {
			return bad("a question takes answers or skip")
		}
	case proto.AskPlan:
		if perm || question || ans.Accept == ans.Reject {
			return bad("a plan takes accept or reject")
		}
	}
	return nil
}

func offers(p *proto.Permission, id string) bool {
	for _, o := range p.Options {
		if o.OptionID == id {
			return true
		}
	}
	return false
}
