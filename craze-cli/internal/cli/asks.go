package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	ucli "github.com/urfave/cli/v2"

	"craze/craze-cli/internal/render"
	"craze/shared/proto"
)

type askList struct {
	Asks []proto.Ask `json:"asks"`
}

func (a *app) asks(c *ucli.Context, t *target) error {
	ctx, cancel := context.WithTimeout(c.Context, callWait)
	defer cancel()
	open, err := t.Asks(ctx)
	if err != nil {
		return err
	}
	list := askList{}
	for _, s := range open {
		ask, err := t.Ask(ctx, s.ID)
		if err != nil {
			return err
		}
		if ask.Status == proto.AskOpen { // it may have been answered between
			list.Asks = append(list.Asks, ask)
		}
	}
	if a.json {
		a.printJSON(list)
		return nil
	}
	for _, ask := range list.Asks {
		a.printf("%s", render.Ask(short(t.id), ask))
	}
	if len(list.Asks) == 0 {
		a.notef("nothing is asked\n")
	}
	return nil
}

func (a *app) answer(c *ucli.Context) error {
	if c.NArg() != 2 {
		return usage("answer takes a session and an ask; craze-cli help answer")
	}
	if n := answersGiven(c); n != 1 {
		return usage("answer takes one of --allow, --always, --reject, --option, --accept, --skip")
	}
	t, err := a.open(c.Context, c.Args().First())
	if err != nil {
		return err
	}
	defer t.Close()
	ctx, cancel := context.WithTimeout(c.Context, callWait)
	defer cancel()
	open, err := t.Asks(ctx)
	if err != nil {
		return err
	}
	id, err := pick(open, c.Args().Get(1))
	if err != nil {
		return err
	}
	ask, err := t.Ask(ctx, id)
	if err != nil {
		return err
	}
	ans, err := answerOf(c, ask)
	if err != nil {
		return err
	}
	if err := t.Answer(ctx, id, ans); err != nil {
		return err
	}
	if a.json {
		a.printJSON(proto.Empty{})
	} else {
		a.printf("answered %s\n", id)
	}
	return nil
}

func answersGiven(c *ucli.Context) int {
	n := 0
	for _, name := range []string{"allow", "always", "reject", "accept", "skip"} {
		if c.Bool(name) {
			n++
		}
	}
	if len(c.StringSlice("option")) > 0 {
		n++
	}
	return n
}

// pick is the open ask a word names: head, an id, or the end of one.
func pick(open []proto.AskSummary, word string) (string, error) {
	if len(open) == 0 {
		return "", errors.New("nothing is asked")
	}
	if word == "head" {
		return open[0].ID, nil
	}
	var found []string
	for _, o := range open {
		if o.ID == word {
			return o.ID, nil
		}
		if strings.HasSuffix(o.ID, word) {
			found = append(found, o.ID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", errors.New("no open ask goes by that; craze asks lists them")
	}
	return "", fmt.Errorf("more than one ask ends so: %s", strings.Join(found, ", "))
}

// answerOf is what the flags say, for that ask. Deny is the reject option the
// agent offers, and only without one the ask's cancel.
func answerOf(c *ucli.Context, ask proto.Ask) (proto.Answer, error) {
	options := c.StringSlice("option")
	switch ask.Kind {
	case proto.AskPermission:
		if len(options) == 1 {
			return proto.Answer{OptionID: options[0]}, nil
		}
		return permissionAnswer(c, ask.Body.Permission)
	case proto.AskQuestion:
		if c.Bool("skip") {
			return proto.Answer{Skip: true}, nil
		}
		return questionAnswer(options, ask.Body.Question)
	}
	if !c.Bool("accept") && !c.Bool("reject") {
		return proto.Answer{}, usage("a plan is answered with --accept or --reject")
	}
	return proto.Answer{Accept: c.Bool("accept"), Reject: c.Bool("reject")}, nil
}

func permissionAnswer(c *ucli.Context, p *proto.Permission) (proto.Answer, error) {
	kinds := map[string][]string{
		"allow":  {proto.OptAllowOnce},
		"always": {proto.OptAllowAlways},
		"reject": {proto.OptRejectOnce, proto.OptRejectAlways},
	}
	for name, want := range kinds {
		if !c.Bool(name) {
			continue
		}
		for _, k := range want {
			for _, o := range p.Options {
				if o.Kind == k {
					return proto.Answer{OptionID: o.OptionID}, nil
				}
			}
		}
		if name == "reject" {
			return proto.Answer{Cancel: true}, nil
		}
		return proto.Answer{}, fmt.Errorf("the agent offers no --%s here; craze asks shows what it does", name)
	}
	return proto.Answer{}, usage("a permission is answered with --allow, --always, --reject or --option ID")
}

func questionAnswer(options []string, q *proto.Question) (proto.Answer, error) {
	if len(options) == 0 {
		return proto.Answer{}, usage("a question is answered with --option ID or --skip")
	}
	out, taken := map[string][]string{}, map[string]bool{}
	for _, item := range q.Questions {
		out[item.ID] = []string{}
		for _, o := range item.Options {
			for _, given := range options {
				if o.ID == given {
					out[item.ID] = append(out[item.ID], given)
					taken[given] = true
				}
			}
		}
	}
	for _, given := range options {
		if !taken[given] { // half an answer is not what was meant
			return proto.Answer{}, errors.New("no question has an option of that id; craze asks shows them")
		}
	}
	return proto.Answer{Answers: out}, nil
}
