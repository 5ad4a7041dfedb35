package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"craze/craze-host/control"
	"craze/craze-host/eventlog"
	"craze/craze-host/internal/journal"
	"craze/craze-host/session"
	"craze/shared/config"
	"craze/shared/proto"
	"craze/shared/registry"
	"craze/shared/sock"
	"craze/shared/spawn"
)

// host is one host while it runs.
type host struct {
	cfg  Config
	log  zerolog.Logger
	info proto.Info

	reg   *registry.Registry
	life  *registry.Lifetime
	claim *registry.Claim
	sock  *sock.Listener

	events  *eventlog.Log
	session *session.Session
	control *control.Server
	journal *journal.Writer // nil when it is off
	index   chan session.IndexRow
	orphans orphans

	stop chan struct{} // a session.stop, or the session's own end
	once sync.Once

	mu       sync.Mutex // the entry is written by a client's stop and by Run
	entry    registry.Entry
	stopping bool
}

// Run runs one host until session.stop, a signal on sigs, ctx's end, or the
// loss of its socket or entry. A failure before the host was listed is told to
// the spawner and returned.
func Run(ctx context.Context, cfg Config, sigs <-chan os.Signal) error {
	h := &host{
		cfg: cfg, log: zerolog.New(cfg.Log).With().Timestamp().Logger(),
		stop: make(chan struct{}), index: make(chan session.IndexRow, indexQueue),
	}
	if err := h.acquire(); err != nil {
		h.tell(failed(err))
		return errors.Join(err, h.release())
	}
	h.build()
	h.tell(spawn.Ready{
		OK: true, HostID: h.info.HostID, Socket: h.sock.Path(), CrazeSessionID: h.info.SessionID, Version: cfg.Version,
	})
	h.log.Info().Str("host", h.info.HostID).Str("session", h.info.SessionID).
		Str("provider", cfg.Provider.ID).Int("pid", os.Getpid()).Msg("host started")
	err := h.serve(ctx, sigs)
	err = errors.Join(err, h.release())
	h.log.Info().Err(err).Msg("host stopped")
	return err
}

// failed is the ready line of a host that could not start.
func failed(err error) spawn.Ready {
	if held, ok := errors.AsType[*registry.HeldError](err); ok {
		return spawn.Ready{Held: &spawn.Held{HostID: held.HostID, PID: held.PID}}
	}
	return spawn.Ready{Error: err.Error()}
}

// tell writes the ready line, once, and closes the pipe.
func (h *host) tell(r spawn.Ready) {
	if h.cfg.Ready == nil {
		return
	}
	err := errors.Join(spawn.WriteReady(h.cfg.Ready, r), h.cfg.Ready.Close())
	if err != nil {
		h.log.Warn().Err(err).Msg("the spawner was not told of the start")
	}
	h.cfg.Ready = nil
}

// acquire takes the locks, binds the socket and lists the host.
func (h *host) acquire() error {
	var err error
	if h.cfg.HostID == "" {
		if h.cfg.HostID, err = registry.NewHostID(); err != nil {
			return err
		}
	}
	if h.info, err = newInfo(h.cfg); err != nil {
		return err
	}
	if h.reg, err = registry.Open(h.cfg.Home); err != nil {
		return err
	}
	if h.life, err = h.reg.Lock(h.info.HostID); err != nil {
		return err
	}
	if h.claim, err = h.reg.Claim(h.info.SessionID, h.info.HostID); err != nil {
		return err
	}
	if err = h.listen(); err != nil {
		return fmt.Errorf("control socket: %w", err)
	}
	h.entry = registry.Entry{
		Protocol: proto.Version, HostID: h.info.HostID, PID: os.Getpid(), StartedAt: h.info.StartedAt,
		Socket: h.sock.Path(), CrazeSessionID: h.info.SessionID, Incarnation: h.info.Incarnation,
		Provider: h.cfg.Provider.ID, Workspace: h.cfg.Workspace,
		RequestID: h.cfg.RequestID, RequestHash: h.cfg.RequestHash,
	}
	return h.life.Write(h.entry)
}

func (h *host) listen() error {
	base, err := sock.Base(sock.EnvFrom(os.Getenv))
	if err != nil {
		return err
	}
	path, err := sock.HostPath(base, sock.Namespace(h.cfg.CrazeDir), h.info.HostID)
	if err != nil {
		return err
	}
	h.sock, err = sock.Listen(path)
	return err
}

// newInfo is the session's document before its start, with the ids it keeps.
func newInfo(cfg Config) (proto.Info, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return proto.Info{}, fmt.Errorf("mint the session's id: %w", err)
	}
	inc, err := uuid.NewV7()
	if err != nil {
		return proto.Info{}, fmt.Errorf("mint the incarnation: %w", err)
	}
	return proto.Info{
		SessionID: id.String(), Incarnation: inc.String(), HostID: cfg.HostID, Workspace: cfg.Workspace,
		Provider:     proto.Provider{Name: cfg.Provider.ID, Label: cfg.Provider.Label},
		Capabilities: proto.SessionCaps{Stop: true, RowFacts: true},
		RetryHorizon: proto.Horizon(), PermissionMode: cfg.PermissionMode, StartedAt: time.Now().UTC(),
	}, nil
}

// build makes the session, its log, its journal and its server.
func (h *host) build() {
	h.events = eventlog.New(h.info.Incarnation)
	if h.cfg.Journal {
		h.journal = journal.New(journal.Config{
			Path: config.JournalDir(h.cfg.CrazeDir, h.cfg.Workspace) + "/" +
				config.JournalFile(h.info.StartedAt, h.info.Incarnation),
			Header: h.header(), Log: h.events,
			Failed: func(err error) { h.log.Error().Err(err).Msg("journalling has stopped") },
		})
	}
	h.session = session.New(session.Config{
		Info: h.info, Log: h.events, Now: time.Now, OnIndex: h.onIndex, OnNote: h.onNote,
	})
	h.control = control.New(control.Config{
		Session: h.session, Log: h.events, Info: h.info, Version: h.cfg.Version, PID: os.Getpid(),
		Stopping: h.markStopping, Stop: h.beginStop,
	})
}

// beginStop asks Run to end the host. It may be called any number of times.
func (h *host) beginStop() { h.once.Do(func() { close(h.stop) }) }

// markStopping says in the registry that the host is going, before anything of
// it can be seen.
func (h *host) markStopping() {
	h.rewrite(func(e *registry.Entry) { e.Stopping = true })
}

// rewrite changes the entry. A write that fails is logged and the host goes
// on: the entry as it stands still finds it.
func (h *host) rewrite(change func(*registry.Entry)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(&h.entry)
	if h.entry.Stopping && h.stopping {
		return
	}
	h.stopping = h.entry.Stopping
	if err := h.life.Write(h.entry); err != nil {
		h.log.Warn().Err(err).Msg("the registry entry could not be rewritten")
	}
}

// release gives back what acquire took, in the order a reader relies on: the
// entry first, the lifetime lock last.
func (h *host) release() error {
	var errs []error
	if h.life != nil {
		errs = append(errs, h.life.Unlink())
	}
	if h.claim != nil {
		errs = append(errs, h.claim.Release())
	}
	if h.sock != nil {
		errs = append(errs, h.sock.Close())
	}
	if h.life != nil {
		errs = append(errs, h.reg.RemovePgids(h.info.HostID), h.life.Release())
	}
	if h.reg != nil {
		errs = append(errs, h.reg.Close())
	}
	return errors.Join(errs...)
}
