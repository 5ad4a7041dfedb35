package cli

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	ucli "github.com/urfave/cli/v2"

	"craze/shared/proto"
)

// answering gives what the flags of one answer command say to an ask.
func answering(t *testing.T, ask proto.Ask, flags string) (ans proto.Answer, err error) {
	t.Helper()
	cmds := (&app{}).commands()
	i := slices.IndexFunc(cmds, func(c *ucli.Command) bool { return c.Name == "answer" })
	cmds[i].Action = func(c *ucli.Context) error {
		ans, err = answerOf(c, ask)
		return nil
	}
	args, perr := permute(append([]string{"answer", "s", "head"}, strings.Fields(flags)...), cmds)
	if perr != nil {
		t.Fatal(perr)
	}
	program := &ucli.App{Commands: cmds, Writer: io.Discard, ErrWriter: io.Discard, DisableSliceFlagSeparator: true}
	if err := program.RunContext(t.Context(), append([]string{"x"}, args...)); err != nil {
		t.Fatal(err)
	}
	return ans, err
}

func TestFlagsAnswerWhatIsAsked(t *testing.T) {
	permission := func(kinds ...string) proto.Ask {
		p := &proto.Permission{}
		for _, k := range kinds {
			p.Options = append(p.Options, proto.Option{OptionID: "o-" + k, Kind: k})
		}
		return proto.Ask{Kind: proto.AskPermission, Body: proto.AskBody{Permission: p}}
	}
	all := permission(proto.OptAllowOnce, proto.OptAllowAlways, proto.OptRejectOnce, proto.OptRejectAlways)
	q := func(id string, options ...string) proto.QuestionItem {
		item := proto.QuestionItem{ID: id}
		for _, o := range options {
			item.Options = append(item.Options, proto.QuestionOption{ID: o})
		}
		return item
	}
	question := proto.Ask{Kind: proto.AskQuestion, Body: proto.AskBody{Question: &proto.Question{Questions: []proto.QuestionItem{q("q1", "a", "b"), q("q2", "c")}}}}
	plan := proto.Ask{Kind: proto.AskPlan, Body: proto.AskBody{Plan: &proto.Plan{}}}
	for _, tt := range []struct {
		name  string
		ask   proto.Ask
		flags string
		want  proto.Answer
		says  string // of a refusal
	}{
		{"allow", all, "--allow", proto.Answer{OptionID: "o-" + proto.OptAllowOnce}, ""},
		{"always", all, "--always", proto.Answer{OptionID: "o-" + proto.OptAllowAlways}, ""},
		{"reject once before always", all, "--reject", proto.Answer{OptionID: "o-" + proto.OptRejectOnce}, ""},
		{"reject always where that is all", permission(proto.OptRejectAlways), "--reject", proto.Answer{OptionID: "o-" + proto.OptRejectAlways}, ""},
		{"reject where it is not offered", permission(proto.OptAllowOnce), "--reject", proto.Answer{Cancel: true}, ""},
		{"allow where it is not offered", permission(proto.OptAllowAlways), "--allow", proto.Answer{}, "offers no --allow"},
		{"an option by its id", all, "--option any", proto.Answer{OptionID: "any"}, ""},
		{"two options of a permission", all, "--option a --option b", proto.Answer{}, "a permission is answered with"},
		{"a plan's flag for a permission", all, "--accept", proto.Answer{}, "a permission is answered with"},
		{"one question of two", question, "--option b", proto.Answer{Answers: map[string][]string{"q1": {"b"}, "q2": {}}}, ""},
		{"each question", question, "--option c --option a", proto.Answer{Answers: map[string][]string{"q1": {"a"}, "q2": {"c"}}}, ""},
		{"a question skipped", question, "--skip", proto.Answer{Skip: true}, ""},
		{"a permission's flag for a question", question, "--allow", proto.Answer{}, "a question is answered with"},
		{"an option no question has", question, "--option nosuch", proto.Answer{}, "no question has"},
		{"a plan accepted", plan, "--accept", proto.Answer{Accept: true}, ""},
		{"a plan rejected", plan, "--reject", proto.Answer{Reject: true}, ""},
		{"a plan allowed", plan, "--allow", proto.Answer{}, "a plan is answered with"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := answering(t, tt.ask, tt.flags)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want %q", err, tt.says)
			}
		})
	}
}
