package render

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"craze/shared/proto"
	"craze/shared/text"
	"craze/shared/transcript"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func list() []Session {
	s := []Session{
		{Short: "aaaaaaaa", State: Idle, Provider: "grok", Model: "m", Dir: "~/a", Since: noon.Add(-time.Hour), Title: "older"},
		{Short: "bbbbbbbb", State: Idle, Provider: "grok", Model: "m", Dir: "~/a", Since: noon.Add(-time.Minute), Title: "newer \x1b[31mred\x07"},
		{Short: "cccccccc", State: NeedsYou, Provider: "opencode", Model: strings.Repeat("long-model-", 5), Dir: "~/projects/some/where", Since: noon, Title: "日本語のタイトル and more words behind it"},
	}
	Sort(s)
	return s
}

func TestATableFitsItsTerminal(t *testing.T) {
	for width, want := range map[int]string{
		0: `SESSION   STATE      PROVIDER  MODEL                             DIR                    SINCE  TITLE
cccccccc  needs you  opencode  long-model-long-model-long-mode…  ~/projects/some/where  0s     日本語のタイトル and more words behind it
bbbbbbbb  idle       grok      m                                 ~/a                    1m     newer red
aaaaaaaa  idle       grok      m                                 ~/a                    1h     older
`,
		80: `SESSION   STATE      PROVIDER  MODEL                   DIR       SINCE  TITLE
cccccccc  needs you  opencode  long-model-long-model…  ~/proje…  0s     日本語…
bbbbbbbb  idle       grok      m                       ~/a       1m     newer r…
aaaaaaaa  idle       grok      m                       ~/a       1h     older
`,
	} {
		if diff := cmp.Diff(want, Table(list(), noon, width)); diff != "" {
			t.Errorf("%d cells: %s", width, diff)
		}
	}
}

func TestNoLineIsWiderOrHoldsAControlByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(10, 200).Draw(t, "width")
		s := Session{
			Short: "aaaaaaaa", State: Working, Provider: rapid.String().Draw(t, "provider"), Model: rapid.String().Draw(t, "model"),
			Dir: rapid.String().Draw(t, "dir"), Title: rapid.String().Draw(t, "title"), Since: noon,
		}
		out := Table([]Session{s}, noon, width)
		if strings.Count(out, "\n") != 2 {
			t.Fatalf("%q", out)
		}
		for line := range strings.Lines(out) {
			line = strings.TrimSuffix(line, "\n")
			if text.Cells(line) > width || line != text.Clean(line) {
				t.Fatalf("%d cells of %d: %q", text.Cells(line), width, line)
			}
		}
	})
}

func TestTheStateIsTheFirstThatHolds(t *testing.T) {
	failed := &proto.LastTurn{Outcome: proto.TurnFailed}
	for _, tt := range []struct {
		name   string
		status proto.RosterStatus
		row    proto.Row
		want   string
	}{
		{"unreachable", proto.Unreachable, proto.Row{PendingAsks: 1}, Unreachable},
		{"an ask before all", proto.Reachable, proto.Row{PendingAsks: 1, LastTurn: failed, Activity: proto.ActWorking}, NeedsYou},
		{"a failed start", proto.Reachable, proto.Row{StartFailed: true, Activity: proto.ActError}, Failed},
		{"a failed turn", proto.Reachable, proto.Row{LastTurn: failed, Activity: proto.ActIdle}, Failed},
		{"an error with no turn", proto.Reachable, proto.Row{Activity: proto.ActError}, Failed},
		{"starting", proto.Reachable, proto.Row{Activity: proto.ActStarting}, Starting},
		{"not heard yet", proto.Connecting, proto.Row{}, Starting},
		{"working", proto.Reachable, proto.Row{Activity: proto.ActWorking}, Working},
		{"a turn of the agent's own", proto.Reachable, proto.Row{Activity: proto.ActIdle, ForeignTurn: true}, Working},
		{"idle", proto.Reachable, proto.Row{Activity: proto.ActIdle}, Idle},
	} {
		if got := State(tt.status, tt.row); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestEntriesAreCleaned(t *testing.T) {
	evil := "a\x1b]52;c;eA==\x07b\x9b31m\u202ec"
	for _, e := range []transcript.Entry{
		{Kind: transcript.KindUser, Text: evil},
		{Kind: transcript.KindAssistant, Text: evil},
		{Kind: transcript.KindThought, Text: evil},
		{Kind: transcript.KindError, Text: evil},
		{Kind: transcript.KindNote, Text: evil},
		{Kind: transcript.KindTool, Tool: &proto.Tool{Title: evil, Status: evil}},
	} {
		if out := Entry(e); out != text.Clean(out) {
			t.Errorf("%s: %q", e.Kind, out)
		}
	}
	ask := Ask("s", proto.Ask{ID: "p", Kind: proto.AskPermission, Body: proto.AskBody{Permission: &proto.Permission{
		Tool: &proto.Tool{Title: evil}, Options: []proto.Option{{OptionID: evil, Name: evil, Kind: proto.OptAllowOnce}},
	}}})
	if ask != text.Clean(ask) || !strings.Contains(ask, "craze answer s p --allow") {
		t.Errorf("%q", ask)
	}
}
