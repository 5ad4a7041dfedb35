package ui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"craze/shared/proto"
)

// cardKey answers the ask on top, with what it offers.
func (m *Model) cardKey(k tea.KeyMsg, a *proto.Ask) tea.Cmd {
	if m.Now().Sub(m.asked) < cardGrace {
		return nil
	}
	if k.Type == tea.KeyEsc {
		if a.Kind == proto.AskQuestion {
			return m.answer(a, proto.Answer{Skip: true})
		}
		return m.cancel()
	}
	if k.Type != tea.KeyRunes || len(k.Runes) != 1 || k.Paste {
		return nil
	}
	if ans, ok := answerFor(k.Runes[0], a); ok {
		return m.answer(a, ans)
	}
	return nil
}

func (m *Model) answer(a *proto.Ask, ans proto.Answer) tea.Cmd {
	s := m.Session
	return m.call(func(ctx context.Context) error { return s.Answer(ctx, a.ID, ans) })
}

// answerFor is what a key means to an ask: false where it offers nothing of
// the kind.
func answerFor(r rune, a *proto.Ask) (proto.Answer, bool) {
	switch {
	case a.Body.Permission != nil:
		kinds := map[rune][]string{
			'a': {proto.OptAllowOnce}, 'A': {proto.OptAllowAlways}, 'n': {proto.OptRejectOnce, proto.OptRejectAlways},
		}
		for _, kind := range kinds[r] {
			for _, o := range a.Body.Permission.Options {
				if o.Kind == kind {
					return proto.Answer{OptionID: o.OptionID}, true
				}
			}
		}
	case a.Body.Plan != nil:
		return proto.Answer{Accept: r == 'a', Reject: r == 'r'}, r == 'a' || r == 'r'
	case a.Body.Question != nil && len(a.Body.Question.Questions) == 1:
		q := a.Body.Question.Questions[0]
		if i := int(r - '1'); i >= 0 && i < len(q.Options) {
			return proto.Answer{Answers: map[string][]string{q.ID: {q.Options[i].ID}}}, true
		}
	}
	return proto.Answer{}, false
}
