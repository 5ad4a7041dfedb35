package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	ucli "github.com/urfave/cli/v2"

	"craze/shared/client"
	"craze/shared/config"
	"craze/shared/proto"
	"craze/shared/registry"
	"craze/shared/sock"
	"craze/shared/spawn"
)

const (
	// hubWait bounds having a hub: a dial, or a start and a dial.
	hubWait = 10 * time.Second
	// hubPoll is how often a hub that another process starts is dialled.
	hubPoll = 50 * time.Millisecond
	// callWait bounds a call that a host answers from memory.
	callWait = 20 * time.Second
	// shortID is how much of a session's id is shown.
	shortID = 8
	// stdinMax is the most of stdin that is a prompt: what one line may hold.
	stdinMax = proto.InboundLineMax / 2
)

// kind is how these commands name themselves to a host.
const kind = "cli"

func short(id string) string { return id[max(0, len(id)-shortID):] }

func (a *app) registry() (*registry.Registry, error) {
	return registry.Open(a.env.Getenv("HOME"))
}

// find is the live host a word names.
func (a *app) find(word string) (registry.Host, error) {
	reg, err := a.registry()
	if err != nil {
		return registry.Host{}, err
	}
	defer reg.Close()
	hosts, err := reg.Hosts()
	if err != nil {
		return registry.Host{}, err
	}
	h, err := registry.Match(hosts, word)
	if amb, ok := errors.AsType[*registry.AmbiguousError](err); ok {
		return h, fmt.Errorf("more than one session goes by that: %s", strings.Join(amb.IDs, ", "))
	}
	if err != nil {
		return h, errors.New("no running session goes by that; craze ps lists them")
	}
	return h, nil
}

// one takes a command's one argument, which names a session.
func one(c *ucli.Context) (string, error) {
	if c.NArg() != 1 || c.Args().First() == "" {
		return "", usage("%s takes one session; craze-cli help %s", c.Command.Name, c.Command.Name)
	}
	return c.Args().First(), nil
}

// onSession makes a command of what is done with the one session it names.
func (a *app) onSession(run func(*ucli.Context, *target) error) func(*ucli.Context) error {
	return func(c *ucli.Context) error {
		word, err := one(c)
		if err != nil {
			return err
		}
		t, err := a.open(c.Context, word)
		if err != nil {
			return err
		}
		defer t.Close()
		return run(c, t)
	}
}

// target is a session and a connection to its host.
type target struct {
	*client.Session
	id    string
	entry registry.Entry
}

// open connects to the host of the session a word names.
func (a *app) open(ctx context.Context, word string) (*target, error) {
	h, err := a.find(word)
	if err != nil {
		return nil, err
	}
	return a.openEntry(ctx, h.Entry)
}

func (a *app) openEntry(ctx context.Context, e registry.Entry) (*target, error) {
	s, err := client.OpenSession(ctx, client.SessionConfig{
		Config:    client.Config{Dial: client.Socket(e.Socket), Kind: kind, Version: a.env.Version},
		SessionID: e.CrazeSessionID,
	})
	if errors.Is(err, client.ErrGone) {
		return nil, errors.New("that session's host has just ended")
	}
	if err != nil {
		return nil, err
	}
	return &target{Session: s, id: e.CrazeSessionID, entry: e}, nil
}

// hub connects to the hub of this craze directory, started where there is
// none.
func (a *app) hub(ctx context.Context) (*client.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, hubWait)
	defer cancel()
	raw, err := a.hubPath()
	if err != nil {
		return nil, err
	}
	cfg := client.Config{Dial: client.Socket(raw), Kind: kind, Version: a.env.Version, Want: proto.KindHub}
	var c *client.Conn
	err = a.withHub(ctx, func() (err error) {
		c, err = client.Connect(ctx, cfg)
		return err
	})
	return c, wrapHub(err)
}

// withHub dials until somebody is there, and starts a hub while nobody is. One
// that another process starts may hold the name a moment before it listens.
func (a *app) withHub(ctx context.Context, dial func() error) error {
	tick := time.NewTicker(hubPoll)
	defer tick.Stop()
	for {
		err := dial()
		if !errors.Is(err, sock.ErrNobody) {
			return err
		}
		if err := a.startHub(ctx); err != nil {
			return err
		}
		if err = dial(); !errors.Is(err, sock.ErrNobody) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
	}
}

func wrapHub(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the hub cannot be reached: %w", err)
}

func (a *app) hubPath() (string, error) {
	dir, err := config.Dir(a.env.Getenv)
	if err != nil {
		return "", err
	}
	base, err := sock.Base(sock.EnvFrom(a.env.Getenv))
	if err != nil {
		return "", err
	}
	return sock.HubPath(base, sock.Namespace(dir))
}

// startHub starts a hub and leaves it. Another that starts at the same moment
// is as good.
func (a *app) startHub(ctx context.Context) error {
	dir, err := config.Dir(a.env.Getenv)
	if err != nil {
		return err
	}
	binary, err := spawn.Sibling("craze-hub")
	if err != nil {
		return err
	}
	_, _, err = spawn.StartHub(ctx, spawn.HubOptions{Binary: binary, Env: config.HandOn(a.env.Environ, dir)})
	if _, held := errors.AsType[*spawn.HeldError](err); held {
		return nil
	}
	return err
}

// prompt is the text of a command: its arguments, or stdin where that is no
// terminal.
func (a *app) prompt(words []string) (string, error) {
	if len(words) > 0 {
		return strings.Join(words, " "), nil
	}
	if a.env.StdinTTY {
		return "", nil
	}
	b, err := io.ReadAll(io.LimitReader(a.env.Stdin, stdinMax+1))
	if err != nil {
		return "", fmt.Errorf("read stdin: %w", err)
	}
	if len(b) > stdinMax {
		return "", fmt.Errorf("stdin holds more than %d bytes; put it in a file and name that", stdinMax)
	}
	return strings.TrimSpace(string(b)), nil
}
