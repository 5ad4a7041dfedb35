// Package launch finds or starts the session that a view is to show.
//
// It reads the command line, the environment and the registry, and starts a
// host where one is asked for. The host it starts is detached and outlives it.
// It owns nothing once it has answered.
package launch

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"craze/shared/client"
	"craze/shared/config"
	"craze/shared/proto"
	"craze/shared/registry"
	"craze/shared/spawn"
)

// ErrUsage says the command line is wrong.
var ErrUsage = errors.New("usage")

// Launch is what to show.
type Launch struct {
	Socket    string
	SessionID string
}

// Open connects to the session.
func (l Launch) Open(ctx context.Context, version string) (*client.Session, error) {
	return client.OpenSession(ctx, client.SessionConfig{
		Config:    client.Config{Dial: client.Socket(l.Socket), Kind: "tui", Version: version},
		SessionID: l.SessionID,
	})
}

// Attach finds the running session that args name: --session ID, or the only
// one.
func Attach(args []string, getenv config.Getenv) (Launch, error) {
	fs := flag.NewFlagSet("attach", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	id := fs.String("session", "", "")
	if fs.Parse(args) != nil || fs.NArg() > 0 {
		return Launch{}, fmt.Errorf("%w: craze attach [--session ID]", ErrUsage)
	}
	reg, err := registry.Open(getenv("HOME"))
	if err != nil {
		return Launch{}, err
	}
	defer reg.Close()
	hosts, err := reg.Hosts()
	if err != nil {
		return Launch{}, err
	}
	var h registry.Host
	switch {
	case *id != "":
		if h, err = registry.Match(hosts, *id); err != nil {
			return Launch{}, errors.New("no one running session goes by that; craze ps lists them")
		}
	case len(hosts) == 1 && hosts[0].Err == nil:
		h = hosts[0]
	default:
		return Launch{}, fmt.Errorf("%d sessions run: name one with --session (craze ps lists them)", len(hosts))
	}
	return Launch{Socket: h.Entry.Socket, SessionID: h.Entry.CrazeSessionID}, nil
}

type options struct {
	workspace, provider, model string
	force, noForce             bool
}

func parse(args []string) (options, error) {
	var o options
	fs := flag.NewFlagSet("craze", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.workspace, "workspace", "", "")
	fs.StringVar(&o.provider, "provider", "", "")
	fs.StringVar(&o.model, "model", "", "")
	fs.BoolVar(&o.force, "force", false, "")
	fs.BoolVar(&o.noForce, "no-force", false, "")
	if fs.Parse(args) != nil || fs.NArg() > 0 || o.force && o.noForce {
		return o, fmt.Errorf("%w: craze [--workspace DIR] [--provider ID] [--model M] [--force|--no-force]", ErrUsage)
	}
	return o, nil
}

// Start starts a session in a host of its own.
func Start(ctx context.Context, args []string, getenv config.Getenv, environ []string) (Launch, error) {
	o, err := parse(args)
	if err != nil {
		return Launch{}, err
	}
	dir, err := config.Dir(getenv)
	if err != nil {
		return Launch{}, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	cfg, _, err := config.Load(dir)
	if err != nil {
		return Launch{}, err
	}
	p, err := cfg.Provider(first(o.provider, getenv("CRAZE_PROVIDER"), cfg.DefaultProvider(), "cursor"))
	if err != nil {
		return Launch{}, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	workspace, err := filepath.Abs(o.workspace)
	if err != nil {
		return Launch{}, err
	}
	return start(ctx, spawn.HostOptions{
		Env: config.HandOn(environ, dir), Workspace: workspace, Provider: p.ID, Model: o.model,
		AgentBin: getenv("CRAZE_AGENT_BIN"), PermissionMode: mode(o.noForce),
	}, getenv("HOME"))
}

func mode(ask bool) string {
	if ask {
		return proto.PermPrompt
	}
	return proto.PermBypass
}

func start(ctx context.Context, o spawn.HostOptions, home string) (Launch, error) {
	reg, err := registry.Open(home)
	if err != nil {
		return Launch{}, err
	}
	defer reg.Close()
	if o.HostID, err = registry.NewHostID(); err != nil {
		return Launch{}, err
	}
	if o.Binary, err = spawn.Sibling("craze-host"); err != nil {
		return Launch{}, err
	}
	o.Log = reg.LogPath(o.HostID + ".log")
	ready, _, err := spawn.StartHost(ctx, o)
	if err != nil {
		return Launch{}, fmt.Errorf("the session host could not start: %w (its log is %s)", err, o.Log)
	}
	return Launch{Socket: ready.Socket, SessionID: ready.CrazeSessionID}, nil
}

func first(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}

// Sibling is the binary that runs a subcommand of craze, with its arguments.
func Sibling(args []string) (path string, argv []string, err error) {
	name, rest := "craze-cli", args
	switch args[0] {
	case "serve":
		name, rest = "craze-host", args[1:]
	case "hub":
		name, rest = "craze-hub", args[1:]
	}
	path, err = spawn.Sibling(name)
	return path, append([]string{name}, rest...), err
}

// IsTerminal reports whether f is one.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
