package cli

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	ucli "github.com/urfave/cli/v2"

	"craze/craze-cli/internal/render"
	"craze/shared/client"
	"craze/shared/proto"
	"craze/shared/text"
	"craze/shared/transcript"
)

// entryLine is one entry of the transcript so far, as JSON.
type entryLine struct {
	Entry entry `json:"entry"`
}

type entry struct {
	ID        string               `json:"id"`
	Kind      transcript.Kind      `json:"kind"`
	Text      string               `json:"text,omitzero"`
	Tool      *proto.Tool          `json:"tool,omitzero"`
	Plan      *proto.Plan          `json:"plan,omitzero"`
	Err       *transcript.EntryErr `json:"err,omitzero"`
	At        time.Time            `json:"at,omitzero"`
	End       time.Time            `json:"end,omitzero"`
	Open      bool                 `json:"open,omitzero"` // the events behind it may change it
	Interject bool                 `json:"interject,omitzero"`
	Cut       bool                 `json:"cut,omitzero"` // not whole
}

func entryOf(e transcript.Entry) entryLine {
	return entryLine{entry{
		ID: e.ID, Kind: e.Kind, Text: e.Text, Tool: e.Tool, Plan: e.Plan, Err: e.Err,
		At: e.At, End: e.End, Open: e.Open, Interject: e.Interject, Cut: e.Cut,
	}}
}

// eventLine is one event behind it.
type eventLine struct {
	Seq   uint64         `json:"seq"`
	Event jsontext.Value `json:"event"`
}

func (a *app) log(c *ucli.Context, t *target) error {
	st, err := t.Attach(c.Context, client.AttachOptions{When: proto.WhenNow})
	if err != nil {
		return err
	}
	p := &printer{a: a}
	for {
		it, err := st.Next(c.Context)
		if errors.Is(err, io.EOF) || errors.Is(err, client.ErrGone) {
			return p.finish(err)
		}
		if err != nil {
			return err
		}
		switch it := it.(type) {
		case client.Restored:
			p.restored(it.State)
		case client.Event:
			p.event(it)
		case client.Synced:
			if !c.Bool("follow") {
				return p.finish(nil)
			}
		case client.Lost:
			a.notef("craze: the connection was lost; reconnecting\n")
		case client.Ended:
			a.notef("craze: the session has ended\n")
		}
	}
}

// printer prints a transcript as it grows. Text is printed as it streams, and
// a tool once it starts and once it is over.
type printer struct {
	a    *app
	open proto.EventType // the kind of text whose line is not ended
	seen int             // entries printed from a snapshot
}

func (p *printer) restored(s *transcript.State) {
	entries := s.Entries("")
	if p.seen > 0 {
		p.endLine()
		p.a.notef("craze: the stream was cut; the transcript is printed again from where it can be\n")
	}
	if n := s.Missing(""); n > 0 {
		p.a.notef("craze: %d older entries are not shown\n", n)
	}
	cut := 0
	for i, e := range entries {
		if e.Cut {
			cut++
		}
		switch {
		case p.a.json:
			p.a.printJSON(entryOf(e))
		case i == len(entries)-1:
			p.last(e)
		default:
			p.a.printf("%s", render.Entry(e))
		}
	}
	if cut > 0 {
		p.a.notef("craze: entries too long to be shown whole: %d\n", cut)
	}
	p.seen = max(1, len(entries))
}

// last prints a snapshot's last entry, which what comes may go on with.
func (p *printer) last(e transcript.Entry) {
	kinds := map[transcript.Kind]proto.EventType{transcript.KindAssistant: proto.EvText, transcript.KindThought: proto.EvThought}
	out := render.Entry(e)
	if kind := kinds[e.Kind]; e.Streaming && kind != "" {
		p.open, out = kind, strings.TrimSuffix(out, "\n")
	}
	p.a.printf("%s", out)
}

func (p *printer) event(it client.Event) {
	if p.a.json {
		p.a.printJSON(eventLine{it.Seq, it.Body})
		return
	}
	ev := &it.Event
	if ev.Agent != "" {
		return // a sub-agent's own transcript
	}
	switch ev.Type {
	case proto.EvText, proto.EvThought:
		p.text(ev)
		return
	}
	switch {
	case ev.Type == proto.EvTurn && ev.Turn.Phase == proto.TurnStarted:
		p.line("%s", render.Entry(transcript.Entry{Kind: transcript.KindUser, Text: ev.Turn.Text}))
	case ev.Type == proto.EvTool && ev.Tool.Status != proto.ToolInProgress:
		p.line("%s", render.Tool(ev.Tool))
	case ev.Type == proto.EvError:
		p.line("! %s\n", text.OneLine(ev.Err.Message, 500))
	case ev.Type == proto.EvPermission || ev.Type == proto.EvQuestion || ev.Type == proto.EvPlan:
		p.line("? the session asks: craze asks shows it\n")
	case ev.Type == proto.EvAsk && ev.Ask.Outcome != proto.OutcomeAutomatic:
		p.line("? %s by %s\n", text.OneLine(ev.Ask.Outcome, 80), text.OneLine(ev.Ask.By, 80))
	case ev.Type == proto.EvDone && ev.StopReason == proto.StopCancelled:
		p.line("- cancelled\n")
	case ev.Type == proto.EvTurn || ev.Type == proto.EvDone:
		p.endLine()
	}
}

// line prints what stands on lines of its own. What prints nothing, as a
// changed queue, must not part a text that streams.
func (p *printer) line(format string, args ...any) {
	p.endLine()
	p.a.printf(format, args...)
}

func (p *printer) text(ev *proto.Event) {
	if p.open != ev.Type {
		p.endLine()
		if ev.Type == proto.EvThought {
			p.a.printf("~ ")
		}
	}
	p.open = ev.Type
	p.a.printf("%s", text.Clean(ev.Text))
}

func (p *printer) endLine() {
	if p.open != "" {
		p.a.printf("\n")
		p.open = ""
	}
}

func (p *printer) finish(err error) error {
	if !p.a.json {
		p.endLine()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return exitErr{code: exitEnded, msg: "the session's host is gone", err: err}
	}
	return nil
}
