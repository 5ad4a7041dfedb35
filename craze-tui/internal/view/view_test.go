package view

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"craze/shared/proto"
	"craze/shared/text"
	"craze/shared/transcript"
)

// entries is a transcript of the test's own.
type entries []transcript.Entry

func (e entries) Len(string) int                      { return len(e) }
func (e entries) At(_ string, i int) transcript.Entry { return e[i] }

func some() entries {
	return entries{
		{ID: "1.0", Kind: transcript.KindUser, Text: "what is here?"},
		{ID: "2.0", Kind: transcript.KindThought, Text: "I will look."},
		{ID: "3.0", Kind: transcript.KindTool, Tool: &proto.Tool{Title: "List files", Status: proto.ToolCompleted}},
		{ID: "4.0", Kind: transcript.KindAssistant, Text: "Two files:\n\ta.go and 日本語のファイル.txt, and some more words that have to be wrapped somewhere."},
		{ID: "5.0", Kind: transcript.KindError, Text: "the agent exited"},
	}
}

func frame(s Screen) string { return strings.Join(Draw(s, &Cache{}), "\n") }

func TestAScreenAsItIsDrawn(t *testing.T) {
	got := frame(Screen{
		Width: 60, Height: 15, Entries: some(), Provider: "Demo", Model: "m", State: "working", Elapsed: 3 * time.Second,
		Queued: 1, Title: "a title", Composer: []string{"typed"},
	})
	want := strings.Join([]string{
		"> what is here?",
		"",
		"  I will look.",
		"",
		"● List files",
		"",
		"Two files:",
		"    a.go and 日本語のファイル.txt, and some more words that",
		"have to be wrapped somewhere.",
		"",
		"! the agent exited",
		"",
		"Demo · m · working 3s · 1 queued                     a title",
		strings.Repeat("─", 60),
		"› typed",
	}, "\n")
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Error(diff)
	}
}

func TestACardTakesThePlaceAboveTheStatus(t *testing.T) {
	got := frame(Screen{
		Width: 60, Height: 15, Entries: some(), Provider: "Demo", State: "working", Composer: []string{""},
		Ask: &proto.Ask{ID: "p", Kind: proto.AskPermission, Body: proto.AskBody{Permission: &proto.Permission{
			Tool: &proto.Tool{Title: "rm -rf x"}, Options: []proto.Option{
				{OptionID: "1", Name: "Allow once", Kind: proto.OptAllowOnce}, {OptionID: "2", Name: "Reject", Kind: proto.OptRejectOnce},
			},
		}}},
	})
	want := "allow this? rm -rf x\n  a Allow once\n  n Reject\n  esc cancel the turn\n"
	if !strings.Contains(got, want) {
		t.Errorf("%s", got)
	}
}

func TestScrollingShowsWhatIsAbove(t *testing.T) {
	var long entries
	for i := range 100 {
		long = append(long, transcript.Entry{ID: fmt.Sprint(i), Kind: transcript.KindNote, Text: fmt.Sprintf("line %d", i)})
	}
	s := Screen{Width: 40, Height: 10, Entries: long, Composer: []string{""}}
	if got := frame(s); !strings.Contains(got, "line 99") {
		t.Errorf("%s", got)
	}
	s.Scroll = 100
	if got := frame(s); strings.Contains(got, "line 99") || !strings.Contains(got, "line 48") {
		t.Errorf("%s", got)
	}
	s.Scroll = 10_000 // past the top: the first lines
	if got := frame(s); !strings.Contains(got, "line 0\n") {
		t.Errorf("%s", got)
	}
}

// TestEveryFrameFitsAndIsClean draws any text at any size, with and without a
// cache that has drawn something else before.
func TestEveryFrameFitsAndIsClean(t *testing.T) {
	kinds := []transcript.Kind{
		transcript.KindUser, transcript.KindAssistant, transcript.KindThought, transcript.KindError, transcript.KindNote, transcript.KindTool,
	}
	rapid.Check(t, func(t *rapid.T) {
		var list entries
		for i := range rapid.IntRange(0, 12).Draw(t, "entries") {
			s := rapid.OneOf(rapid.String(), rapid.Just("\x1b]0;x\x07\x9b2Jtext\u202e"), rapid.Just("日本語👩‍👩‍👧 é")).Draw(t, "text")
			list = append(list, transcript.Entry{
				ID: fmt.Sprint(i), Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Text: s, Tool: &proto.Tool{Title: s, Status: s},
			})
		}
		s := Screen{
			Width: rapid.IntRange(1, 120).Draw(t, "width"), Height: rapid.IntRange(1, 50).Draw(t, "height"), Entries: list,
			Scroll: rapid.IntRange(0, 40).Draw(t, "scroll"), Title: rapid.String().Draw(t, "title"), Provider: "p", State: "idle",
			Note: rapid.String().Draw(t, "note"), Composer: []string{rapid.String().Draw(t, "draft"), "x"},
		}
		c := &Cache{}
		first := Draw(s, c)
		if diff := cmp.Diff(first, Draw(s, c)); diff != "" {
			t.Fatalf("the cache draws otherwise: %s", diff)
		}
		if len(first) != s.Height {
			t.Fatalf("%d lines of %d", len(first), s.Height)
		}
		for _, l := range first {
			if text.Cells(l) > max(s.Width, 4) || l != text.Clean(l) || strings.Contains(l, "\n") {
				t.Fatalf("%d cells of %d: %q", text.Cells(l), s.Width, l)
			}
		}
	})
}

// BenchmarkFrame draws a transcript of 10,000 entries while its last one
// grows.
func BenchmarkFrame(b *testing.B) {
	var list entries
	for i := range 10_000 {
		list = append(list, transcript.Entry{ID: fmt.Sprint(i), Kind: transcript.KindAssistant, Text: strings.Repeat("some words of an answer ", 20)})
	}
	s := Screen{Width: 100, Height: 30, Entries: list, Composer: []string{""}, Styles: Colour()}
	c := &Cache{}
	last := &list[len(list)-1]
	for b.Loop() {
		last.Text += "chunk "
		last.Version++
		if len(last.Text) > 4000 {
			last.Text = ""
		}
		Draw(s, c)
	}
}
