package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	ucli "github.com/urfave/cli/v2"

	"craze/shared/client"
	"craze/shared/proto"
)

const (
	// stopWait is how long a stopped host may take to be gone: its agent's two
	// graces, its clients' and its own.
	stopWait = 15 * time.Second
	// stopPoll is how often that is looked at.
	stopPoll = 20 * time.Millisecond
)

// startFailed gives a failed attach its code: a start that failed, or a
// session that ended under it.
func startFailed(err error) error {
	if errors.Is(err, client.ErrGone) {
		return exitErr{code: exitEnded, msg: "the session's host is gone", err: err}
	}
	if errors.Is(err, proto.Refuse(proto.CodeNotAccepting, proto.ReasonStartFailed, "")) {
		return exitErr{code: exitFailed, msg: err.Error(), err: err}
	}
	return err
}

func (a *app) stop(c *ucli.Context, t *target) error {
	ctx, cancel := context.WithTimeout(c.Context, stopWait)
	defer cancel()
	err := t.Stop(ctx)
	if err != nil && !errors.Is(err, client.ErrDisconnected) && !errors.Is(err, client.ErrGone) {
		return err // of a lost connection the end itself tells
	}
	if err := a.gone(ctx, t.entry.HostID); err != nil {
		return fmt.Errorf("the stop was taken, but the host has not ended: %w", err)
	}
	if a.json {
		a.printJSON(struct {
			Session string `json:"session"`
			Stopped bool   `json:"stopped"`
		}{t.id, true})
	} else {
		a.printf("stopped %s\n", short(t.id))
	}
	return nil
}

// gone waits until a host's lifetime lock is free.
func (a *app) gone(ctx context.Context, hostID string) error {
	reg, err := a.registry()
	if err != nil {
		return err
	}
	defer reg.Close()
	tick := time.NewTicker(stopPoll)
	defer tick.Stop()
	for {
		live, err := reg.Live(hostID)
		if err != nil || !live {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
