package cli

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"

	ucli "github.com/urfave/cli/v2"

	"craze/shared/client"
	"craze/shared/proto"
	"craze/shared/text"
)

func (a *app) new(c *ucli.Context) error {
	p, err := a.createParams(c)
	if err != nil {
		return err
	}
	wait := c.Bool("wait")
	words, err := a.prompt(c.Args().Slice())
	if err != nil {
		return err
	}
	if wait && words == "" {
		return usage("new --wait waits for an answer, so it takes a prompt")
	}
	if wait {
		return timed(c, func() error { return a.createAndWait(c, p, words) })
	}
	p.Prompt = words
	r, err := a.create(c.Context, p)
	if err != nil {
		return err
	}
	return a.started(p, r)
}

func (a *app) createAndWait(c *ucli.Context, p proto.CreateParams, words string) error {
	r, err := a.create(c.Context, p)
	if err != nil {
		return startFailed(err)
	}
	a.notef("started %s in %s\n", short(r.Session.SessionID), text.Tilde(p.Cwd, a.env.Getenv("HOME")))
	t, err := a.open(c.Context, r.Session.HostID)
	if err != nil {
		return err
	}
	defer t.Close()
	return a.sendAndWait(c, t, words)
}

func (a *app) createParams(c *ucli.Context) (proto.CreateParams, error) {
	var p proto.CreateParams
	dir, err := filepath.Abs(c.String("C"))
	if err != nil {
		return p, fmt.Errorf("the directory: %w", err)
	}
	p = proto.CreateParams{Cwd: dir, Provider: c.String("provider"), Model: c.String("model"), Effort: c.String("effort")}
	if p.Provider == "" {
		p.Provider = a.env.Getenv("CRAZE_PROVIDER")
	}
	if c.Bool("fast") && c.Bool("no-fast") {
		return p, usage("--fast and --no-fast exclude each other")
	}
	if c.Bool("fast") || c.Bool("no-fast") {
		fast := c.Bool("fast")
		p.Fast = &fast
	}
	if c.Bool("no-force") {
		p.PermissionMode = proto.PermPrompt
	}
	id := make([]byte, 8)
	rand.Read(id)
	p.RequestID = "new-" + hex.EncodeToString(id)
	return p, nil
}

// create asks the hub for a session. A connection that is lost is tried once
// more under the same request id, which names the same session.
func (a *app) create(ctx context.Context, p proto.CreateParams) (proto.CreateResult, error) {
	var r proto.CreateResult
	var err error
	for range 2 {
		var hub *client.Conn
		if hub, err = a.hub(ctx); err != nil {
			return r, err
		}
		r, err = hub.Create(ctx, p)
		err = errors.Join(err, hub.Close())
		if !errors.Is(err, client.ErrDisconnected) {
			return r, err
		}
	}
	return r, err
}

func (a *app) started(p proto.CreateParams, r proto.CreateResult) error {
	if a.json {
		a.printJSON(r)
	} else {
		a.printf("started %s in %s\n", short(r.Session.SessionID), text.Tilde(p.Cwd, a.env.Getenv("HOME")))
	}
	switch r.Prompt {
	case proto.FirstRefused, proto.FirstUnknown:
		why := r.Prompt
		if r.PromptError != nil {
			why = r.PromptError.Error()
		}
		return exitErr{code: exitError, msg: "the session runs, but its first prompt was not taken: " + why}
	}
	return nil
}

// sendAndWait sends a prompt and waits for its turn. It attaches first, so
// that nothing of the answer is missed.
func (a *app) sendAndWait(c *ucli.Context, t *target, words string) error {
	st, err := t.Attach(c.Context, client.AttachOptions{})
	if err != nil {
		return startFailed(err)
	}
	r, err := t.Prompt(c.Context, words)
	if err != nil {
		return startFailed(err)
	}
	f := &facts{turn: r.Turn}
	if r.Queued != nil {
		f.row = r.Queued.ID
	}
	return a.waitOn(c, t, st, f)
}
