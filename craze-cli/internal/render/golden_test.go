package render

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"craze/shared/proto"
	"craze/shared/testkit"
	"craze/shared/text"
	"craze/shared/transcript"
)

const evil = "a\x1b]52;c;eA==\x07b\x9b31m\u202ec"

// many is a list of every state, with what is hard to draw in it.
func many() []Session {
	s := []Session{
		{Short: "00000001", State: Idle, Provider: "grok", Model: "m", Dir: "~", Since: noon.Add(-3 * time.Hour), Title: ""},
		{Short: "00000002", State: Unreachable, Provider: "cursor"},
		{Short: "00000003", State: Working, Provider: "opencode", Model: "anthropic/claude-opus-with-a-very-long-name", Dir: "~/work/日本語/プロジェクト", Since: noon.Add(-42 * time.Second), Title: "👩‍👩‍👧 family 🏳️‍🌈 and é combining"},
		{Short: "00000004", State: NeedsYou, Provider: "grok", Model: "m", Dir: "~/a\tb", Since: noon.Add(time.Minute), Title: "in the\nfuture"},
		{Short: "00000005", State: Failed, Provider: evil, Model: evil, Dir: evil, Since: noon.Add(-6 * 24 * time.Hour), Title: evil},
		{Short: "00000006", State: Starting, Provider: "a-provider-of-a-long-name", Since: noon, Title: "starting"},
	}
	Sort(s)
	return s
}

func TestATableAsItIsDrawn(t *testing.T) {
	for _, width := range []int{40, 80, 120} {
		got := Table(many(), noon, width)
		testkit.Golden(t, fmt.Sprintf("table-%d.txt", width), got)
		for line := range strings.Lines(got) {
			if n := text.Cells(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d cells of %d: %q", n, width, line)
			}
		}
	}
	if got := Table(nil, noon, 80); strings.Count(got, "\n") != 1 {
		t.Errorf("of nothing: %q", got)
	}
}

func TestSessionsAreSortedByStateThenNewest(t *testing.T) {
	s := []Session{
		{Short: "1", State: Unreachable, Since: noon},
		{Short: "2", State: Idle, Since: noon.Add(-1)},
		{Short: "3", State: Idle, Since: noon},
		{Short: "4", State: Failed},
		{Short: "5", State: Starting},
		{Short: "6", State: Working},
		{Short: "7", State: NeedsYou},
		{Short: "8", State: Idle, Since: noon},
	}
	Sort(s)
	var got []string
	for _, x := range s {
		got = append(got, x.Short)
	}
	if want := "7 6 5 4 3 8 2 1"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

func TestEntriesAsTheyAreRead(t *testing.T) {
	for _, tt := range []struct {
		e    transcript.Entry
		want string
	}{
		{transcript.Entry{Kind: transcript.KindUser, Text: "a\nb"}, "> a\n> b\n"},
		{transcript.Entry{Kind: transcript.KindAssistant, Text: "a\n\tb"}, "a\n\tb\n"},
		{transcript.Entry{Kind: transcript.KindThought, Text: "\n a\nb \n"}, "~ a\n~ b\n"},
		{transcript.Entry{Kind: transcript.KindError, Text: "a\nb"}, "! a\n"},
		{transcript.Entry{Kind: transcript.KindNote, Text: "a"}, "- a\n"},
		{transcript.Entry{Kind: transcript.KindTool}, ""},
		{transcript.Entry{Kind: transcript.KindTool, Tool: &proto.Tool{Title: "T", ToolName: "n", Status: "completed"}}, "* T [completed]\n"},
		{transcript.Entry{Kind: transcript.KindTool, Tool: &proto.Tool{ToolName: "n", Name: "m", Status: "failed"}}, "* n [failed]\n"},
		{transcript.Entry{Kind: transcript.KindTool, Tool: &proto.Tool{Kind: "execute", Status: "pending"}}, "* execute [pending]\n"},
	} {
		if diff := cmp.Diff(tt.want, Entry(tt.e)); diff != "" {
			t.Errorf("%s: %s", tt.e.Kind, diff)
		}
	}
}

func TestAsksAsTheyAreRead(t *testing.T) {
	option := func(id, kind string) proto.Option {
		return proto.Option{OptionID: id, Name: "name of " + id, Kind: kind}
	}
	for name, ask := range map[string]proto.Ask{
		"permission": {ID: "p-1", Kind: proto.AskPermission, Body: proto.AskBody{Permission: &proto.Permission{
			Tool: &proto.Tool{Title: "rm -rf x", Status: "pending"},
			Options: []proto.Option{
				option("once", proto.OptAllowOnce), option("ever", proto.OptAllowAlways), option("no", proto.OptRejectOnce), option("other", "other"),
			},
		}}},
		"permission-toolless": {ID: "p-2", Kind: proto.AskPermission, Body: proto.AskBody{Permission: &proto.Permission{
			Options: []proto.Option{option("once", proto.OptAllowOnce), option("no", proto.OptRejectOnce), option("never", proto.OptRejectAlways)},
		}}},
		"question": {ID: "q-1", Kind: proto.AskQuestion, Body: proto.AskBody{Question: &proto.Question{Questions: []proto.QuestionItem{
			{ID: "1", Prompt: "which?", Options: []proto.QuestionOption{{ID: "a", Label: "the first"}, {ID: "b", Label: "the second"}}},
			{ID: "2", Prompt: "and?\nmore", Options: []proto.QuestionOption{{ID: "c", Label: "日本語"}}},
		}}}},
		"plan": {ID: "l-1", Kind: proto.AskPlan, Body: proto.AskBody{Plan: &proto.Plan{Name: "a plan", Plan: "# one\n- two"}}},
	} {
		testkit.Golden(t, "ask-"+name+".txt", Ask("abcdefgh", ask))
	}
}

func TestAsksAreCleaned(t *testing.T) {
	for _, body := range []proto.AskBody{
		{Permission: &proto.Permission{Tool: &proto.Tool{Title: evil, Status: evil}, Options: []proto.Option{{OptionID: evil, Name: evil, Kind: evil}}}},
		{Question: &proto.Question{Questions: []proto.QuestionItem{{ID: evil, Prompt: evil, Options: []proto.QuestionOption{{ID: evil, Label: evil}}}}}},
		{Plan: &proto.Plan{Name: evil, Plan: evil}},
	} {
		got := Ask("s", proto.Ask{ID: evil, Kind: evil, Body: body})
		if got != text.Clean(got) || !strings.Contains(got, "craze answer s abc ") {
			t.Errorf("%q", got)
		}
	}
}
