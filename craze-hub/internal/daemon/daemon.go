// Package daemon is one hub's life: the lock that makes it the only one of its
// craze directory, its socket and record, and the order in which it starts and
// ends.
//
// A hub starts by taking its lock, then binds, then says in its record where
// it is. It ends IdleExit after the last host and the last client have gone,
// or on a signal: the socket closes, splices are half-closed, creates are given
// teardownWait, and the record, the socket and the lock go in that order. No
// session ends with it.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"craze/craze-hub/internal/create"
	"craze/craze-hub/internal/roster"
	"craze/craze-hub/internal/server"
	"craze/craze-hub/internal/watch"
	"craze/shared/proto"
	"craze/shared/registry"
	"craze/shared/sock"
	"craze/shared/spawn"
)

const (
	// IdleExit is how long a hub with no host and no client stays.
	IdleExit = 60 * time.Second
	// idleChecks is how many times that is looked at in that time: a look
	// costs microseconds.
	idleChecks = 6
	// teardownWait bounds the creates in flight as the hub ends.
	teardownWait = 10 * time.Second
)

// Config is a hub's launch.
type Config struct {
	Home     string
	CrazeDir string
	Environ  []string
	Version  string
	Log      io.Writer
	Ready    io.WriteCloser // the spawner's pipe, or nil
	IdleExit time.Duration  // 0 is IdleExit
}

// hub is a running hub.
type hub struct {
	cfg  Config
	log  zerolog.Logger
	reg  *registry.Registry
	lock *registry.HubLock
	sock *sock.Listener
	rec  registry.HubRecord
}

// Run runs a hub until ctx ends or it has been idle. It is
// registry.ErrHubRunning when another serves this craze directory.
func Run(ctx context.Context, cfg Config) error {
	if cfg.IdleExit == 0 {
		cfg.IdleExit = IdleExit
	}
	h := &hub{cfg: cfg, log: zerolog.New(cfg.Log).With().Timestamp().Logger()}
	err := h.acquire()
	h.tell(err)
	if err != nil {
		return errors.Join(err, h.release())
	}
	h.log.Info().Str("hub", h.rec.HubID).Int("pid", h.rec.PID).Msg("hub started")
	err = errors.Join(h.serve(ctx), h.release())
	h.log.Info().Err(err).Msg("hub stopped")
	return err
}

// tell writes the ready line.
func (h *hub) tell(err error) {
	if h.cfg.Ready == nil {
		return
	}
	r := spawn.Ready{OK: true, HostID: h.rec.HubID, Socket: h.rec.Socket, Version: h.cfg.Version}
	if errors.Is(err, registry.ErrHubRunning) {
		r = spawn.Ready{Held: &spawn.Held{}}
	} else if err != nil {
		r = spawn.Ready{Error: err.Error()}
	}
	if werr := errors.Join(spawn.WriteReady(h.cfg.Ready, r), h.cfg.Ready.Close()); werr != nil {
		h.log.Warn().Err(werr).Msg("the spawner was not told of the start")
	}
}

func (h *hub) acquire() error {
	var err error
	if h.reg, err = registry.Open(h.cfg.Home); err != nil {
		return err
	}
	ns := sock.Namespace(h.cfg.CrazeDir)
	if h.lock, err = h.reg.HubLock(ns); err != nil {
		return err
	}
	base, err := sock.Base(sock.EnvFrom(os.Getenv))
	if err != nil {
		return err
	}
	path, err := sock.HubPath(base, ns)
	if err != nil {
		return err
	}
	if h.sock, err = sock.Listen(path); err != nil {
		return err
	}
	id, err := registry.NewHostID()
	if err != nil {
		return err
	}
	h.rec = registry.HubRecord{
		Protocol: proto.Version, HubID: id, PID: os.Getpid(), StartedAt: time.Now().UTC(),
		Socket: h.sock.Path(), CrazeVersion: h.cfg.Version,
	}
	return h.lock.Write(h.rec)
}

func (h *hub) release() error {
	var errs []error
	if h.sock != nil {
		errs = append(errs, closed(h.sock.Close()))
	}
	if h.lock != nil {
		errs = append(errs, h.lock.Release())
	}
	if h.reg != nil {
		errs = append(errs, h.reg.Close())
	}
	return errors.Join(errs...)
}

func closed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func (h *hub) warn(err error) { h.log.Warn().Err(err).Send() }

// serve runs the parts and waits for all of them.
func (h *hub) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h.buryOld()
	r := roster.New(roster.Config{
		HubID: h.rec.HubID, Version: h.cfg.Version, Look: h.reg.Hosts, Log: h.warn, Died: h.bury,
		Changes: watch.Changes(ctx, h.reg.HostsDir(), h.warn),
	})
	c := create.New(create.Config{
		Registry: h.reg, CrazeDir: h.cfg.CrazeDir, Environ: h.cfg.Environ, Version: h.cfg.Version,
		Spawn: spawn.StartHost, Binary: func() (string, error) { return spawn.Sibling("craze-host") }, Log: h.warn,
	})
	s := server.New(server.Config{
		Endpoint: proto.Endpoint{Kind: proto.KindHub, HostID: h.rec.HubID, CrazeVersion: h.cfg.Version, PID: h.rec.PID},
		Roster:   r.List, Create: c.Create, Hosts: h.reg.Hosts,
	})
	var parts sync.WaitGroup
	parts.Go(func() { r.Run(ctx) })
	parts.Go(func() { // ends as the socket closes
		if err := s.Serve(ctx, h.sock); err != nil && !errors.Is(err, net.ErrClosed) {
			h.warn(err)
			cancel()
		}
	})
	h.untilIdle(ctx, r, s, c)
	err := closed(h.sock.Close())
	tctx, done := context.WithTimeout(context.Background(), teardownWait)
	defer done()
	c.Close(tctx)
	cancel()
	parts.Wait()
	return err
}

// untilIdle returns once nothing has needed the hub for IdleExit, or ctx ends,
// or its socket is gone, which makes it unreachable.
func (h *hub) untilIdle(ctx context.Context, r *roster.Roster, s *server.Server, c *create.Service) {
	tick := time.NewTicker(h.cfg.IdleExit / idleChecks)
	defer tick.Stop()
	quiet := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if h.sock.Vanished() {
			h.log.Warn().Msg("stopping: the hub's socket is gone")
			return
		}
		clients, since := s.Clients()
		if clients > 0 || c.Busy() > 0 || r.Count() > 0 {
			quiet = time.Now()
			continue
		}
		if since.After(quiet) {
			quiet = since
		}
		if time.Since(quiet) >= h.cfg.IdleExit {
			h.log.Info().Msg("stopping: no host and no client")
			return
		}
	}
}

// bury kills what a host that died left running: the process groups it wrote
// down for its agents.
func (h *hub) bury(hostID string) {
	lines, err := h.reg.ReadPgids(hostID)
	if errors.Is(err, fs.ErrNotExist) {
		return // it ended cleanly, or had no agent
	}
	if err != nil {
		h.warn(err)
		return
	}
	spawn.KillGroups(lines)
	spawn.KillMarked(hostID) // what the agent ran in sessions of its own
	h.log.Info().Str("host", hostID).Msg("a host died; its agents are ended")
	if err := h.reg.RemovePgids(hostID); err != nil {
		h.warn(err)
	}
}

// buryOld does the same for hosts that died while no hub ran.
func (h *hub) buryOld() {
	names, err := filepath.Glob(h.reg.LogPath("*.pgids"))
	if err != nil {
		h.warn(fmt.Errorf("look for dead hosts: %w", err))
		return
	}
	for _, n := range names {
		id := filepath.Base(n[:len(n)-len(".pgids")])
		if live, err := h.reg.Live(id); err == nil && !live {
			h.bury(id)
		}
	}
}
