package cli

import (
	"context"

	ucli "github.com/urfave/cli/v2"

	"craze/shared/client"
)

func (a *app) send(c *ucli.Context) error {
	if c.NArg() == 0 {
		return usage("send takes a session and a text; craze-cli help send")
	}
	words, err := a.prompt(c.Args().Slice()[1:])
	if err != nil {
		return err
	}
	if words == "" {
		return usage("send takes a text, as arguments or on stdin")
	}
	t, err := a.open(c.Context, c.Args().First())
	if err != nil {
		return err
	}
	defer t.Close()
	if c.Bool("wait") {
		return timed(c, func() error { return a.sendAndWait(c, t, words) })
	}
	ctx, cancel := context.WithTimeout(c.Context, callWait)
	defer cancel()
	r, err := t.Prompt(ctx, words)
	if err != nil {
		return err
	}
	switch {
	case a.json:
		a.printJSON(r)
	case r.Queued != nil:
		a.printf("queued %s for %s\n", r.Queued.ID, short(t.id))
	default:
		a.printf("sent to %s\n", short(t.id))
	}
	return nil
}

func (a *app) wait(c *ucli.Context, t *target) error {
	return timed(c, func() error {
		st, err := t.Attach(c.Context, client.AttachOptions{})
		if err != nil {
			return startFailed(err)
		}
		return a.waitOn(c, t, st, &facts{})
	})
}

func (a *app) cancel(c *ucli.Context, t *target) error {
	ctx, stop := context.WithTimeout(c.Context, callWait)
	defer stop()
	r, err := t.Cancel(ctx, "")
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(r)
	} else {
		a.printf("cancelling %s of %s\n", r.Turn, short(t.id))
	}
	return nil
}
