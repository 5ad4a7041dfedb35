package cli

import (
	"context"
	"errors"
	"io"

	ucli "github.com/urfave/cli/v2"

	"craze/shared/client"
	"craze/shared/proto"
)

// follow reads a stream until the wait is over.
func (a *app) follow(ctx context.Context, t *target, st *client.Stream, f *facts) (outcome, error) {
	joined, synced := false, false
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
			if joined {
				f.missed(it.State.Queue())
			}
			joined, synced = true, false
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

// waitOn follows a stream until the wait is over, prints what it brought, and
// ends the command with its code.
func (a *app) waitOn(c *ucli.Context, t *target, st *client.Stream, f *facts) error {
	for {
		o, err := a.follow(c.Context, t, st, f)
		if err != nil && errors.Is(c.Context.Err(), context.DeadlineExceeded) {
			o, err = timedOut, nil
		}
		if err != nil {
			return err
		}
		var ask *proto.Ask
		if o == asking {
			if ask, err = openAsk(c.Context, t, f.asks[0]); err != nil {
				return startFailed(err)
			}
			if ask == nil { // answered meanwhile: the wait goes on
				f.unask(f.asks[0])
				continue
			}
		}
		return a.report(c, t, f, result{Outcome: o, Ask: ask})
	}
}

// openAsk is an ask in full while it is open, or nil. One the host no longer
// knows is over too.
func openAsk(ctx context.Context, t *target, id string) (*proto.Ask, error) {
	ask, err := t.Ask(ctx, id)
	if errors.Is(err, proto.Refuse(proto.CodeUnknownAsk, "", "")) {
		return nil, nil
	}
	if err != nil || ask.Status != proto.AskOpen {
		return nil, err
	}
	return &ask, nil
}

// timed bounds a whole wait by --timeout: the session's start and the prompt's
// way to it are part of it.
func timed(c *ucli.Context, run func() error) error {
	d := c.Duration("timeout")
	if d <= 0 {
		return run()
	}
	ctx, cancel := context.WithTimeout(c.Context, d)
	defer cancel()
	c.Context = ctx
	err := run()
	if _, settled := errors.AsType[exitErr](err); !settled && err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return exitErr{code: exitTimeout, msg: timeoutWords}
	}
	return err
}
