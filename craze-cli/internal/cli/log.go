package cli

import (
	"errors"
	"io"

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
	Entry transcript.Entry `json:"entry"`
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
	for _, e := range entries {
		if p.a.json {
			p.a.printJSON(entryLine{e})
			continue
		}
		p.a.printf("%s", render.Entry(e))
	}
	p.seen = max(1, len(entries))
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
	p.endLine()
	switch {
	case ev.Type == proto.EvTurn && ev.Turn.Phase == proto.TurnStarted:
		p.a.printf("%s", render.Entry(transcript.Entry{Kind: transcript.KindUser, Text: ev.Turn.Text}))
	case ev.Type == proto.EvTool && ev.Tool.Status != proto.ToolInProgress:
		p.a.printf("%s", render.Tool(ev.Tool))
	case ev.Type == proto.EvError:
		p.a.printf("! %s\n", text.OneLine(ev.Err.Message, 500))
	case ev.Type == proto.EvPermission || ev.Type == proto.EvQuestion || ev.Type == proto.EvPlan:
		p.a.printf("? the session asks: craze asks shows it\n")
	case ev.Type == proto.EvAsk && ev.Ask.Outcome != proto.OutcomeAutomatic:
		p.a.printf("? %s by %s\n", text.OneLine(ev.Ask.Outcome, 80), text.OneLine(ev.Ask.By, 80))
	case ev.Type == proto.EvDone && ev.StopReason == proto.StopCancelled:
		p.a.printf("- cancelled\n")
	}
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
		return exitErr{exitEnded, "the session's host is gone"}
	}
	return nil
}
