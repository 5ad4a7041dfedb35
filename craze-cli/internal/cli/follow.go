package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	ucli "github.com/urfave/cli/v2"

	"craze/shared/client"
	"craze/shared/proto"
	"craze/shared/transcript"
)

// maxMessage is how much of a message is printed when nothing else is said.
const maxMessage = 16 << 10

// outcome is how a wait ends, once it has.
type outcome string

const (
	pending   outcome = ""
	done      outcome = "done"
	failed    outcome = "failed"
	cancelled outcome = "cancelled"
	asking    outcome = "ask"
	ended     outcome = "ended"
)

var codes = map[outcome]int{
	done: exitDone, failed: exitFailed, cancelled: exitCancelled, asking: exitAsks, ended: exitEnded,
}

// facts is what a wait knows of its session, all of it from the protocol.
type facts struct {
	turn    string // the turn that is waited for; "" is whatever runs last
	row     string // the queue row it waits in, until it is sent
	running string // the turn that runs
	queued  int
	asks    []string // open asks, oldest first
	over    bool     // the session has ended

	lastTurn string // the last turn that ended
	last     outcome
	err      string

	message strings.Builder // the last assistant text of the running or last turn
	kind    proto.EventType // of the last chunk
}

// settle says whether the wait is over, and how.
func (f *facts) settle() outcome {
	switch {
	case f.turn != "" && f.lastTurn == f.turn:
		return f.last
	case f.over:
		return ended
	case len(f.asks) > 0: // any stands in the way: no turn behind it can start
		return asking
	case f.turn != "" || f.row != "" || f.running != "" || f.queued > 0:
		return pending
	}
	return f.last
}

// restore takes a snapshot as the place to go on from.
func (f *facts) restore(s *transcript.State) {
	f.running, f.queued, f.asks = "", len(s.Queue()), nil
	if t, ok := s.Turn(); ok {
		f.running = t.ID
	}
	for _, a := range s.Asks() {
		f.asks = append(f.asks, a.ID)
	}
	message := s.LastAssistantText()
	f.kind = ""
	if n := s.Len(""); n > 0 {
		if e := s.At("", n-1); e.Kind == transcript.KindAssistant && e.Open {
			message, f.kind = e.Text, proto.EvText // more of it may come, or may not
		}
	}
	f.message.Reset()
	f.message.WriteString(message)
}

// fold takes one event.
func (f *facts) fold(ev *proto.Event) {
	switch ev.Type {
	case proto.EvTurn:
		f.foldTurn(ev.Turn)
	case proto.EvText, proto.EvThought, proto.EvTool, proto.EvUser:
		if ev.Agent == "" {
			f.chunk(ev)
		}
	case proto.EvQueue:
		f.foldQueue(ev)
	case proto.EvPermission:
		f.ask(ev.Permission.ID)
	case proto.EvQuestion:
		f.ask(ev.Question.ID)
	case proto.EvPlan:
		f.ask(ev.Plan.ID)
		f.message.Reset()
		f.message.WriteString(ev.Plan.Plan)
	case proto.EvAsk:
		f.unask(ev.Ask.ID)
	case proto.EvError:
		f.err = ev.Err.Message
	}
}

func (f *facts) foldTurn(t *proto.Turn) {
	if t.Phase == proto.TurnStarted {
		f.running, f.kind = t.ID, ""
		f.message.Reset()
		if f.row == "sent" {
			f.turn, f.row = t.ID, ""
		}
		return
	}
	f.running, f.lastTurn, f.last = "", t.ID, done
	switch {
	case t.Err != "" || t.ErrClass != "":
		f.last, f.err = failed, t.Err
	case t.StopReason == proto.StopCancelled:
		f.last = cancelled
	case t.StopReason == proto.StopClosing:
		f.last = ended
	}
	if f.turn == "" && t.Next != "" {
		f.running = t.Next // it starts in the same breath
	}
}

// chunk keeps the turn's last message: text that follows something else begins
// another.
func (f *facts) chunk(ev *proto.Event) {
	if ev.Type == proto.EvText {
		if f.kind != proto.EvText {
			f.message.Reset()
		}
		f.message.WriteString(ev.Text)
	}
	f.kind = ev.Type
}

func (f *facts) foldQueue(ev *proto.Event) {
	mine := f.row != "" && ev.Queue != nil && ev.Queue.ID == f.row
	switch ev.QueueChange {
	case proto.RowQueued:
		f.queued++
	case proto.RowSent:
		f.queued--
		if mine {
			f.row = "sent" // the turn that starts next is its own
		}
	case proto.RowRemoved:
		f.queued--
		if mine { // it will never run
			f.row, f.turn, f.lastTurn, f.last = "", ev.Queue.ID, ev.Queue.ID, cancelled
		}
	}
}

func (f *facts) ask(id string) { f.asks = append(f.asks, id) }

func (f *facts) unask(id string) {
	for i, a := range f.asks {
		if a == id {
			f.asks = append(f.asks[:i:i], f.asks[i+1:]...)
			return
		}
	}
}

// follow reads a stream until the wait is over.
func (a *app) follow(ctx context.Context, t *target, st *client.Stream, f *facts) (outcome, error) {
	synced := false
	for {
		if o := f.settle(); synced && o != pending {
			return o, nil
		}
		if synced && f.settle() == pending && f.turn == "" && f.row == "" && f.running == "" && f.queued == 0 {
			return a.idleOutcome(ctx, t, f)
		}
		it, err := st.Next(ctx)
		if err != nil {
			return a.streamEnded(f, err)
		}
		switch it := it.(type) {
		case client.Restored:
			f.restore(it.State)
		case client.Event:
			f.fold(&it.Event)
		case client.Synced:
			synced = true
		case client.Lost:
			a.notef("craze: the connection was lost; reconnecting\n")
		case client.Ended:
			f.over = true
		}
	}
}

// streamEnded says how a wait ends whose stream has: with its session, as far
// as can be known.
func (a *app) streamEnded(f *facts, err error) (outcome, error) {
	switch {
	case errors.Is(err, io.EOF):
		f.over = true
		return f.settle(), nil
	case errors.Is(err, client.ErrGone):
		f.over, f.err = true, "the session's host is gone"
		return f.settle(), nil
	}
	return pending, err
}

// idleOutcome asks an idle session how its last turn ended.
func (a *app) idleOutcome(ctx context.Context, t *target, f *facts) (outcome, error) {
	s, err := t.State(ctx)
	if err != nil {
		return pending, err
	}
	switch {
	case s.LastTurn != nil:
		f.lastTurn, f.err = s.LastTurn.TurnID, s.LastTurn.Err
		return outcome(s.LastTurn.Outcome), nil
	case s.Activity == proto.ActError:
		f.err = s.Err
		return failed, nil
	}
	return done, nil
}

// result is what a wait prints as JSON.
type result struct {
	Session   string     `json:"session"`
	Turn      string     `json:"turn"`
	Outcome   outcome    `json:"outcome"`
	Message   string     `json:"message"`
	Truncated bool       `json:"truncated"`
	File      string     `json:"file,omitzero"`
	Ask       *proto.Ask `json:"ask,omitzero"`
	Err       string     `json:"err,omitzero"`
}

// waitOn follows a stream until the wait is over, prints what it brought, and
// ends the command with its code.
func (a *app) waitOn(c *ucli.Context, t *target, st *client.Stream, f *facts) error {
	ctx := c.Context
	if d := c.Duration("timeout"); d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	o, err := a.follow(ctx, t, st, f)
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return exitErr{exitTimeout, "the timeout passed; the session goes on"}
		}
		return err
	}
	return a.report(c, t, f, o)
}

func (a *app) report(c *ucli.Context, t *target, f *facts, o outcome) error {
	r := result{Session: t.id, Turn: f.turn, Outcome: o, Message: f.message.String()}
	for _, id := range []string{f.running, f.lastTurn} {
		if r.Turn == "" {
			r.Turn = id
		}
	}
	if o == failed || o == ended {
		r.Err = f.err
	}
	if o == asking {
		ask, err := t.Ask(c.Context, f.asks[0])
		if err != nil {
			return err
		}
		r.Ask = &ask
	}
	full := r.Message
	if most := c.Int("max-message"); most >= 0 && len(full) > most {
		file, err := a.keep(t, r.Turn, full)
		if err != nil {
			return fmt.Errorf("the message is long and could not be kept: %w", err)
		}
		r.Message, r.Truncated, r.File = head(full, most), true, file
	}
	a.show(t, r)
	return exitErr{code: codes[o]}
}

// head is at most n bytes of s, cut between characters.
func head(s string, n int) string {
	for n > 0 && n < len(s) && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:min(n, len(s))]
}

// keep writes a long message whole.
func (a *app) keep(t *target, turn, message string) (string, error) {
	reg, err := a.registry()
	if err != nil {
		return "", err
	}
	defer reg.Close()
	name := fmt.Sprintf("%s-%s-%s.md", short(t.id), short(t.entry.Incarnation), turn)
	return reg.WriteResult(name, []byte(message))
}
