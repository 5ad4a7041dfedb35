// Package view draws the screen. It is pure: the same Screen gives the same
// lines. Text of an agent is cleaned of control bytes before it is wrapped, and
// every line is at most the width in cells. A Cache keeps an entry's wrapped
// lines until the entry or the width changes, so a frame costs what is visible.
package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"craze/shared/proto"
	"craze/shared/text"
	"craze/shared/transcript"
)

// Styles of the few things that differ; empty ones where there is no colour.
type Styles struct{ Dim, Bold, Error, Accent, Reset string }

// Colour is the styles of a terminal that shows them.
func Colour() Styles {
	return Styles{Dim: "\x1b[2m", Bold: "\x1b[1m", Error: "\x1b[31m", Accent: "\x1b[36m", Reset: "\x1b[0m"}
}

// Source is the transcript as the view reads it.
type Source interface {
	Len(agent string) int
	At(agent string, i int) transcript.Entry
}

// Screen is all that a frame shows.
type Screen struct {
	Width, Height int
	Styles        Styles
	Entries       Source
	Scroll        int // lines up from the bottom
	Title         string
	Provider      string
	Model         string
	State         string
	Elapsed       time.Duration
	Queued        int
	Note          string
	Ask           *proto.Ask
	Composer      []string
}

// composerRows bounds the composer's height.
const composerRows = 6

// Cache holds wrapped entries.
type Cache struct {
	width int
	lines map[string]cached
}

type cached struct {
	version uint64
	lines   []string
}

// Draw gives the frame's lines, exactly Height of them.
func Draw(s Screen, c *Cache) []string {
	bottom := append(card(s), status(s)...)
	bottom = append(bottom, composer(s)...)
	if len(bottom) > s.Height {
		bottom = bottom[len(bottom)-s.Height:]
	}
	top := s.Height - len(bottom)
	out := make([]string, 0, s.Height)
	body := c.tail(s, top, s.Scroll)
	for range top - len(body) {
		out = append(out, "")
	}
	return append(append(out, body...), bottom...)
}

// tail gives the n lines that end scroll lines above the transcript's end. It
// wraps only entries that reach into them.
func (c *Cache) tail(s Screen, n, scroll int) []string {
	if s.Entries == nil || n <= 0 {
		return nil
	}
	var rev [][]string
	have := 0
	for i := s.Entries.Len("") - 1; i >= 0 && have < n+scroll; i-- {
		lines := c.entry(s, s.Entries.At("", i))
		rev = append(rev, lines)
		have += len(lines)
	}
	all := make([]string, 0, have)
	for i := len(rev) - 1; i >= 0; i-- {
		all = append(all, rev[i]...)
	}
	end := max(min(len(all), n), len(all)-scroll)
	return all[max(0, end-n):end]
}

// entry gives one entry's lines, wrapped, from the cache where they are there.
func (c *Cache) entry(s Screen, e transcript.Entry) []string {
	if c.lines == nil || c.width != s.Width {
		c.lines, c.width = map[string]cached{}, s.Width
	}
	if got, ok := c.lines[e.ID]; ok && got.version == e.Version {
		return got.lines
	}
	lines := append(Entry(e, s.Width, s.Styles), "")
	c.lines[e.ID] = cached{e.Version, lines}
	return lines
}

// Entry gives an entry's lines.
func Entry(e transcript.Entry, width int, st Styles) []string {
	switch e.Kind {
	case transcript.KindUser:
		return wrap("> ", e.Text, width, st.Bold, st.Reset)
	case transcript.KindThought:
		return wrap("  ", strings.TrimSpace(e.Text), width, st.Dim, st.Reset)
	case transcript.KindTool:
		return tool(e.Tool, width, st)
	case transcript.KindError:
		return wrap("! ", e.Text, width, st.Error, st.Reset)
	case transcript.KindNote:
		return wrap("- ", e.Text, width, st.Dim, st.Reset)
	}
	return wrap("", strings.TrimRight(e.Text, "\n"), width, "", "")
}

var marks = map[string]string{
	proto.ToolPending: "○", proto.ToolInProgress: "◐", proto.ToolCompleted: "●", proto.ToolFailed: "✗", proto.ToolCancelled: "✗",
}

func tool(t *proto.Tool, width int, st Styles) []string {
	if t == nil {
		return nil
	}
	name := t.Title
	for _, n := range []string{t.ToolName, t.Name, t.Kind} {
		if name == "" {
			name = n
		}
	}
	mark := marks[t.Status]
	if mark == "" {
		mark = "·"
	}
	style := st.Accent
	if t.Status == proto.ToolFailed {
		style = st.Error
	}
	return []string{style + text.Cut(mark+" "+text.OneLine(name, width), width) + st.Reset}
}

// wrap cleans and wraps a text behind a mark that its further lines are
// indented by.
func wrap(mark, s string, width int, style, reset string) []string {
	indent := strings.Repeat(" ", text.Cells(mark))
	inner := max(1, width-text.Cells(mark))
	var out []string
	for line := range strings.SplitSeq(strings.ReplaceAll(text.Clean(s), "\t", "    "), "\n") {
		for part := range strings.SplitSeq(ansi.Wrap(line, inner, ""), "\n") {
			lead := indent
			if len(out) == 0 {
				lead = mark
			}
			out = append(out, style+lead+text.Cut(part, inner)+reset)
		}
	}
	return out
}

// card draws the ask on top, in place of nothing.
func card(s Screen) []string {
	if s.Ask == nil {
		return nil
	}
	st := s.Styles
	rule := st.Accent + strings.Repeat("─", max(0, s.Width)) + st.Reset
	out := []string{rule}
	add := func(line string) { out = append(out, text.Cut(line, s.Width)) }
	switch b := s.Ask.Body; {
	case b.Permission != nil:
		name := ""
		if t := b.Permission.Tool; t != nil {
			name = t.Title
		}
		add("allow this? " + text.OneLine(name, s.Width))
		for _, o := range b.Permission.Options {
			add(fmt.Sprintf("  %s %s", key(o.Kind), text.OneLine(o.Name, s.Width)))
		}
		add("  esc cancel the turn")
	case b.Question != nil:
		for _, q := range b.Question.Questions {
			add(text.OneLine(q.Prompt, s.Width))
			for i, o := range q.Options {
				add(fmt.Sprintf("  %d %s", i+1, text.OneLine(o.Label, s.Width)))
			}
		}
		add("  esc skip")
	case b.Plan != nil:
		add("a plan: " + text.OneLine(b.Plan.Name, s.Width))
		out = append(out, wrap("  ", b.Plan.Plan, s.Width, "", "")...)
		add("  a accept   r reject   esc cancel the turn")
	}
	return append(out, rule)
}

func key(kind string) string {
	switch kind {
	case proto.OptAllowOnce:
		return "a"
	case proto.OptAllowAlways:
		return "A"
	case proto.OptRejectOnce, proto.OptRejectAlways:
		return "n"
	}
	return " "
}

func status(s Screen) []string {
	left := strings.Join(fields(s.Provider, s.Model, s.State), " · ")
	if s.Elapsed > 0 {
		left += " " + text.Age(s.Elapsed)
	}
	if s.Queued > 0 {
		left += fmt.Sprintf(" · %d queued", s.Queued)
	}
	if s.Note != "" {
		left += " · " + text.OneLine(s.Note, s.Width)
	}
	title := text.OneLine(s.Title, max(1, s.Width/2))
	pad := s.Width - text.Cells(left) - text.Cells(title)
	if title == "" || pad < 1 {
		return []string{s.Styles.Dim + text.Cut(left, s.Width) + s.Styles.Reset}
	}
	return []string{s.Styles.Dim + left + strings.Repeat(" ", pad) + title + s.Styles.Reset}
}

func fields(ss ...string) []string {
	var out []string
	for _, s := range ss {
		if s != "" {
			out = append(out, text.OneLine(s, 40))
		}
	}
	return out
}

// oneLine makes one line of a draft's line, whatever was pasted into it.
var oneLine = strings.NewReplacer("\n", " ", "\t", " ")

func composer(s Screen) []string {
	lines := s.Composer
	if len(lines) > composerRows {
		lines = lines[len(lines)-composerRows:]
	}
	out := []string{s.Styles.Dim + strings.Repeat("─", max(0, s.Width)) + s.Styles.Reset}
	for i, l := range lines {
		mark := "  "
		if i == 0 {
			mark = "› "
		}
		l = oneLine.Replace(text.Clean(l))
		for text.Cells(l) > max(1, s.Width-3) { // the end of a long line is what is being typed
			_, size := firstRune(l)
			l = l[size:]
		}
		out = append(out, mark+l)
	}
	return out
}

func firstRune(s string) (rune, int) {
	for i, r := range s {
		if i > 0 {
			return r, i
		}
	}
	return 0, len(s)
}
