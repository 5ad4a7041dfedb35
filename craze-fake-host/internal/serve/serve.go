// Package serve runs the real control server over a real session whose agent
// is the stub, on a socket, until it is told to quit.
//
// It owns the host's socket, its registry entry where it is listed, and the
// order of their end. Everything about it but the incarnation is fixed, so
// that a script against it gives the same lines everywhere.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"craze/craze-fake-host/internal/stub"
	"craze/craze-host/control"
	"craze/craze-host/eventlog"
	"craze/craze-host/session"
	"craze/shared/proto"
	"craze/shared/registry"
	"craze/shared/sock"
	"craze/shared/wire"
)

// What the fake host says of itself.
const (
	Version   = "0.0.0-fakehost"
	helloPID  = 4242
	workspace = "/work"
	// drainWait is how long clients are given to read what they are owed.
	drainWait = 2 * time.Second
)

// Config says where to serve. Exactly one of Socket and Registry is set.
type Config struct {
	Socket    string // serve here, listed nowhere
	Registry  string // bind and list as a host does; this stands for HOME
	HostID    string
	SessionID string
	Ops       io.Reader // one op a line, until its end
	Out       io.Writer // the ready line
	Log       io.Writer // bad ops are told here
}

type readyLine struct {
	Socket    string `json:"socket"`
	SessionID string `json:"sessionId"`
	HostID    string `json:"hostId"`
}

// Run serves until the ops end, a quit op, or ctx's end.
func Run(ctx context.Context, cfg Config) error {
	inc, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("mint the incarnation: %w", err)
	}
	h := host{cfg: cfg, info: proto.Info{
		SessionID: cfg.SessionID, Incarnation: inc.String(), HostID: cfg.HostID, Workspace: workspace,
		Provider: proto.Provider{Label: "cursor"}, RetryHorizon: proto.Horizon(),
	}}
	l, unlist, err := h.bind()
	if err != nil {
		return err
	}
	defer unlist()
	return h.serve(ctx, l)
}

type host struct {
	cfg  Config
	info proto.Info
}

func (h host) serve(ctx context.Context, l *sock.Listener) error {
	log := eventlog.New(h.info.Incarnation)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	now := func() time.Time { return start }
	s := session.New(session.Config{Info: h.info, Log: log, Now: now})
	a := stub.New()
	srv := control.New(control.Config{
		Session: s, Log: log, Info: h.info, Version: Version, PID: helloPID, Token: tokens(),
	})
	done := make(chan error, 1)
	go func() { done <- s.Run(context.WithoutCancel(ctx), a) }() // ends with the stub's Exited
	pumped := make(chan struct{})
	go func() { // ends with the stub
		defer close(pumped)
		a.Pump(s.Deliver)
	}()
	accepted := make(chan struct{})
	go func() { // ends as l is closed
		defer close(accepted)
		if err := srv.Serve(l); err != nil && !errors.Is(err, net.ErrClosed) {
			fmt.Fprintln(h.cfg.Log, "craze-fake-host:", err)
		}
	}()
	err := h.script(ctx, a, s)
	err = errors.Join(err, l.Close(), s.Close(context.WithoutCancel(ctx)))
	dctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainWait)
	defer cancel()
	srv.Shutdown(dctx)
	<-accepted
	<-pumped
	return errors.Join(err, <-done)
}

// script prints the ready line and does the ops.
func (h host) script(ctx context.Context, a *stub.Agent, s *session.Session) error {
	select {
	case <-s.Ready():
	case <-ctx.Done():
		return nil
	}
	path := h.cfg.Socket
	line, err := json.Marshal(readyLine{Socket: path, SessionID: h.info.SessionID, HostID: h.info.HostID})
	if err != nil {
		return fmt.Errorf("write the ready line: %w", err)
	}
	if _, err := h.cfg.Out.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write the ready line: %w", err)
	}
	lines := wire.NewLineReader(h.cfg.Ops, proto.InboundLineMax)
	for ctx.Err() == nil {
		b, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read ops: %w", err)
		}
		if len(b) == 0 {
			continue
		}
		var op stub.Op
		if err := json.Unmarshal(b, &op); err != nil {
			fmt.Fprintln(h.cfg.Log, "craze-fake-host: an op is a JSON object with a name")
			continue
		}
		if op.Name == "quit" {
			return nil
		}
		if err := a.Do(op); err != nil {
			fmt.Fprintln(h.cfg.Log, "craze-fake-host:", err)
		}
	}
	return nil
}

// bind listens, and lists the host where it is to be listed.
func (h *host) bind() (*sock.Listener, func(), error) {
	if h.cfg.Registry == "" {
		l, err := sock.ListenAt(h.cfg.Socket)
		return l, func() {}, err
	}
	return h.list()
}

func (h *host) list() (*sock.Listener, func(), error) {
	reg, err := registry.Open(h.cfg.Registry)
	if err != nil {
		return nil, nil, err
	}
	life, err := reg.Lock(h.cfg.HostID)
	if err != nil {
		return nil, nil, errors.Join(err, reg.Close())
	}
	l, err := h.listenListed()
	if err != nil {
		return nil, nil, errors.Join(err, life.Release(), reg.Close())
	}
	err = life.Write(registry.Entry{
		Protocol: proto.Version, HostID: h.cfg.HostID, PID: os.Getpid(), StartedAt: time.Now().UTC(),
		Socket: h.cfg.Socket, CrazeSessionID: h.cfg.SessionID, Incarnation: h.info.Incarnation,
		ProviderSessionID: stub.Start().ProviderSessionID, Workspace: workspace, Ready: true,
	})
	unlist := func() {
		if err := errors.Join(life.Unlink(), life.Release(), reg.Close()); err != nil {
			fmt.Fprintln(h.cfg.Log, "craze-fake-host: unlist:", err)
		}
	}
	if err != nil {
		err = errors.Join(err, l.Close())
		unlist()
		return nil, nil, err
	}
	return l, unlist, nil
}

func (h *host) listenListed() (*sock.Listener, error) {
	base, err := sock.Base(sock.EnvFrom(os.Getenv))
	if err != nil {
		return nil, err
	}
	dir := os.Getenv("CRAZE_HOME")
	if dir == "" {
		dir = filepath.Join(h.cfg.Registry, ".craze")
	}
	h.cfg.Socket, err = sock.HostPath(base, sock.Namespace(dir), h.cfg.HostID)
	if err != nil {
		return nil, err
	}
	return sock.Listen(h.cfg.Socket)
}
