package session

import (
	"unicode/utf8"

	"craze/shared/proto"
)

// capped is a copy of an ask with every body string cut to proto.StringCap,
// and Truncated set when one was.
func capped(a proto.Ask) proto.Ask {
	cut := func(s *string) {
		if len(*s) <= proto.StringCap {
			return
		}
		n := proto.StringCap
		for n > 0 && !utf8.RuneStart((*s)[n]) {
			n--
		}
		*s, a.Truncated = (*s)[:n], true
	}
	if p := a.Body.Permission; p != nil {
		c := *p
		if p.Tool != nil {
			c.Tool = cutTool(*p.Tool, cut)
		}
		a.Body.Permission = &c
	}
	if q := a.Body.Question; q != nil {
		c := *q
		cut(&c.Title)
		c.Questions = make([]proto.QuestionItem, len(q.Questions))
		for i, item := range q.Questions {
			cut(&item.Prompt)
			c.Questions[i] = item
		}
		a.Body.Question = &c
	}
	if p := a.Body.Plan; p != nil {
		c := *p
		cut(&c.Overview)
		cut(&c.Plan)
		a.Body.Plan = &c
	}
	return a
}

func cutTool(t proto.Tool, cut func(*string)) *proto.Tool {
	cut(&t.RawInput)
	cut(&t.ContentText)
	cut(&t.Title)
	if t.Output != nil {
		o := *t.Output
		cut(&o.Stdout)
		cut(&o.Stderr)
		cut(&o.Content)
		t.Output = &o
	}
	diffs := make([]proto.Diff, len(t.Diffs))
	for i, d := range t.Diffs {
		cut(&d.OldText)
		cut(&d.NewText)
		diffs[i] = d
	}
	t.Diffs = diffs
	return &t
}
