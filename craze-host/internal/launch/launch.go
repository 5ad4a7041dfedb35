// Package launch reads a host's command line, its environment and config.toml
// into what lifecycle runs.
//
// It opens the host's log and the spawner's pipe and owns them until Close. It
// starts nothing. Anything wrong with what was typed is ErrUsage; a provider
// whose binary is missing is not: its session is listed and says so.
package launch

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"craze/craze-host/internal/lifecycle"
	"craze/shared/config"
	"craze/shared/logfile"
	"craze/shared/proto"
	"craze/shared/registry"
	"craze/shared/spawn"
)

// ErrUsage says the command line is wrong.
var ErrUsage = errors.New("usage")

// Version is the craze version; the build sets it.
var Version = "dev"

// Launch is a parsed launch and the files it opened.
type Launch struct {
	Config lifecycle.Config
	closer []io.Closer
}

// Close closes the log.
func (l *Launch) Close() {
	for _, c := range l.closer {
		// The last lines are written; nothing is left to tell of a close.
		_ = c.Close()
	}
}

type flags struct {
	hostID, workspace, provider, model, effort, mode, requestID, requestHash, log, agentBin string
	fast, fastSet, force, noForce                                                           bool
	readyFD                                                                                 int
}

func (f *flags) set(args []string) error {
	fs := flag.NewFlagSet("craze-host", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	for name, to := range map[string]*string{
		"host-id": &f.hostID, "workspace": &f.workspace, "provider": &f.provider, "model": &f.model,
		"effort": &f.effort, "permission-mode": &f.mode, "request-id": &f.requestID,
		"request-hash": &f.requestHash, "log": &f.log, "agent-bin": &f.agentBin,
	} {
		fs.StringVar(to, name, "", "")
	}
	fs.BoolVar(&f.force, "force", false, "")
	fs.BoolVar(&f.noForce, "no-force", false, "")
	fs.IntVar(&f.readyFD, "ready-fd", 0, "")
	fs.BoolFunc("no-fast", "", func(string) error { f.fastSet, f.fast = true, false; return nil })
	fs.BoolFunc("fast", "", func(v string) error {
		on, err := strconv.ParseBool(v)
		f.fastSet, f.fast = true, on
		return err
	})
	if err := fs.Parse(args); err != nil || fs.NArg() > 0 {
		return fmt.Errorf("%w: craze-host [--workspace DIR] [--provider ID] [--model M] [--force|--no-force] [--log FILE]", ErrUsage)
	}
	if f.hostID != "" && !registry.ValidHostID(f.hostID) {
		return fmt.Errorf("%w: --host-id is twelve lower-case hex digits", ErrUsage)
	}
	switch {
	case f.force && f.noForce:
		return fmt.Errorf("%w: --force and --no-force exclude each other", ErrUsage)
	case f.noForce:
		f.mode = proto.PermPrompt
	case f.mode == "":
		f.mode = proto.PermBypass
	}
	if f.mode != proto.PermBypass && f.mode != proto.PermPrompt {
		return fmt.Errorf("%w: --permission-mode is bypass or prompt", ErrUsage)
	}
	return nil
}

// Parse reads a launch. A failure is also told to the spawner, where there is
// one.
func Parse(args []string, getenv config.Getenv, environ []string) (*Launch, error) {
	var f flags
	if err := f.set(args); err != nil {
		return nil, err
	}
	l := &Launch{}
	if f.readyFD > 2 {
		l.Config.Ready = os.NewFile(uintptr(f.readyFD), "ready")
	}
	err := l.fill(f, getenv, environ)
	if err != nil && l.Config.Ready != nil {
		err = errors.Join(err, spawn.WriteReady(l.Config.Ready, spawn.Ready{Error: err.Error()}))
	}
	return l, err
}

func (l *Launch) fill(f flags, getenv config.Getenv, environ []string) error {
	dir, err := config.Dir(getenv)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUsage, err)
	}
	cfg, warnings, err := config.Load(dir)
	if err != nil {
		warnings = append(warnings, err.Error())
	}
	if on, why := cfg.ControlSocketOn(getenv); !on {
		return fmt.Errorf("%w: the control socket is switched off, and a host exists to serve it (%s)", ErrUsage, why)
	}
	c := &l.Config
	c.Home, c.CrazeDir, c.Version = getenv("HOME"), dir, Version
	c.Environ = config.HandOn(environ, dir)
	c.HostID, c.Model, c.Effort, c.PermissionMode = f.hostID, f.model, f.effort, f.mode
	c.RequestID, c.RequestHash = f.requestID, f.requestHash
	if f.fastSet {
		c.Fast = &f.fast
	}
	if c.Workspace, err = workspace(f.workspace); err != nil {
		return fmt.Errorf("%w: %w", ErrUsage, err)
	}
	if c.Provider, err = provider(cfg, f.provider, getenv); err != nil {
		return fmt.Errorf("%w: %w", ErrUsage, err)
	}
	c.Argv, c.ArgvErr = cfg.Argv(c.Provider, config.Lookup{
		AgentBin: first(f.agentBin, getenv("CRAZE_AGENT_BIN")), Sibling: spawn.Sibling,
	})
	// The demo is a look around, not a choice of what to work with.
	c.SaveProvider = c.Provider.ID != config.Demo
	on, why := cfg.JournalOn(getenv)
	if c.Journal = on; why != "" {
		warnings = append(warnings, why)
	}
	if err := l.openLog(f.log); err != nil {
		return err
	}
	for _, w := range warnings {
		fmt.Fprintf(c.Log, `{"level":"warn","message":%q}`+"\n", w)
	}
	return nil
}

// workspace is where the session runs, absolute and there.
func workspace(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("workspace: %w", err)
	}
	info, err := os.Stat(abs)
	if err != nil || !info.IsDir() {
		return "", errors.New("the workspace is no directory")
	}
	return abs, nil
}

func provider(cfg config.Config, flagged string, getenv config.Getenv) (config.Provider, error) {
	id := first(flagged, getenv("CRAZE_PROVIDER"), cfg.DefaultProvider(), "cursor")
	return cfg.Provider(id)
}

// openLog opens the host's log. One in the log directory must be named for
// this host, is opened without following links, and is rotated; elsewhere it is
// whatever the person named; and with none the log goes to stderr.
func (l *Launch) openLog(path string) error {
	c := &l.Config
	c.Log, c.Stderr = os.Stderr, os.Stderr
	if path == "" {
		return nil
	}
	reg, err := registry.Open(c.Home)
	if err != nil {
		return err
	}
	l.closer = append(l.closer, reg)
	var w io.WriteCloser
	if name := filepath.Base(path); reg.LogPath(name) == path {
		if name != c.HostID+".log" {
			return fmt.Errorf("%w: a log in the log directory is named for its host", ErrUsage)
		}
		w, err = logfile.Open(reg, name, 0)
	} else {
		w, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	}
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	c.Log, c.Stderr = w, w
	l.closer = append([]io.Closer{w}, l.closer...)
	return nil
}

func first(ss ...string) string {
	for _, s := range ss {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}
