package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"time"

	"craze/craze-host/acp"
	"craze/craze-host/agent"
	"craze/craze-host/internal/journal"
	"craze/craze-host/session"
	"craze/shared/config"
	"craze/shared/proto"
	"craze/shared/registry"
	"craze/shared/spawn"
	"craze/shared/text"
)

// serve runs the host until it is to stop, then takes it down.
func (h *host) serve(ctx context.Context, sigs <-chan os.Signal) error {
	actx, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	var running, writing sync.WaitGroup
	writing.Go(h.writeIndex) // ends as the index channel closes
	jctx, dropJournal := context.WithCancel(context.WithoutCancel(ctx))
	defer dropJournal()
	if h.journal != nil {
		writing.Go(func() { h.journal.Run(jctx) }) // ends with the log
	}
	running.Go(h.accept) // ends as the socket closes
	if err := h.orphans.adopt(); err != nil {
		h.log.Warn().Err(err).Send()
	}
	running.Go(func() { h.orphans.reap(actx) })         // ends with kill
	running.Go(func() { h.runSession(actx) })           // ends with the agent, or kill
	running.Go(func() { h.onReady(h.session.Ready()) }) // ends with the start
	h.await(ctx, sigs)
	h.takeDown(sigs, kill)
	err := h.sock.Close()
	running.Wait()
	close(h.index)
	flushed := time.AfterFunc(journalWait, dropJournal)
	writing.Wait()
	flushed.Stop()
	return err
}

func (h *host) accept() {
	if err := h.control.Serve(h.sock); err != nil && !errors.Is(err, net.ErrClosed) {
		h.log.Error().Err(err).Msg("the control socket is gone")
		h.beginStop()
	}
}

// runSession starts the agent and runs the session on it. An agent that cannot
// be started is a start that failed, like one that refuses.
func (h *host) runSession(ctx context.Context) {
	a, err := h.startAgent(ctx)
	var seam agent.Agent
	if err != nil {
		fail := proto.EventErr{Message: text.OneLine(err.Error(), failCells), Class: proto.ErrOther}
		h.session.Deliver([]agent.Update{agent.StartFailed{Err: fail}, agent.Exited{}})
	} else {
		seam = a
	}
	err = h.session.Run(ctx, seam)
	if a != nil {
		a.Close()
		a.Wait()
		if n := h.orphans.end(h.info.HostID); n > 0 {
			h.log.Info().Int("processes", n).Msg("ended what the agent left behind")
		}
	}
	h.log.Info().Err(err).Msg("session over")
	h.beginStop()
}

// failCells bounds a start's failure as it is shown.
const failCells = 500

func (h *host) startAgent(ctx context.Context) (*acp.Agent, error) {
	if h.cfg.ArgvErr != nil {
		return nil, h.cfg.ArgvErr
	}
	argv := h.cfg.Argv
	if h.cfg.PermissionMode == proto.PermBypass {
		argv = append(argv[:len(argv):len(argv)], h.cfg.Provider.BypassArgs...)
	}
	return acp.Start(ctx, acp.Config{
		Argv: argv, Env: h.agentEnv(), Dir: h.cfg.Workspace, AuthMethod: h.cfg.Provider.AuthMethod,
		Start: acp.StartSettings{Model: h.cfg.Model, Effort: h.cfg.Effort, Fast: h.cfg.Fast}, Version: h.cfg.Version,
		StderrLog: h.cfg.Stderr, OnGroup: h.recordGroup, Sink: h.session.Deliver,
	})
}

// agentEnv is the host's environment with the provider's own variables last,
// where they win.
func (h *host) agentEnv() []string {
	env := append([]string(nil), h.cfg.Environ...)
	for k, v := range h.cfg.Provider.Env {
		env = append(env, k+"="+v)
	}
	return append(env, spawn.MarkVar+"="+h.info.HostID)
}

// recordGroup writes down the agent's process group, for whoever must clean up
// after a host that was killed.
func (h *host) recordGroup(pgid int) error {
	h.orphans.agent.Store(int64(pgid)) // the leader's own id
	line, err := spawn.GroupLine(pgid)
	if err != nil {
		return fmt.Errorf("record the agent's process group: %w", err)
	}
	return h.reg.WritePgids(h.info.HostID, []byte(line))
}

// onReady lists the host as ready once its start has gone well.
func (h *host) onReady(ready <-chan struct{}) {
	<-ready // Run's session opens the gate on every way out
	st, err := h.session.State(context.Background())
	if err != nil || st.StartFailed || st.Activity == proto.ActClosing {
		return
	}
	info, err := h.session.Info(context.Background())
	if err != nil {
		return
	}
	h.rewrite(func(e *registry.Entry) { e.Ready, e.ProviderSessionID = true, info.ProviderSessionID })
	if !h.cfg.SaveProvider {
		return
	}
	if err := config.SaveProvider(h.cfg.CrazeDir, h.cfg.Provider.ID); err != nil {
		h.log.Warn().Err(err).Msg("the provider was not saved as the default")
	}
}

// await returns when the host is to stop, and says why in the log.
func (h *host) await(ctx context.Context, sigs <-chan os.Signal) {
	tick := time.NewTicker(vanishCheck)
	defer tick.Stop()
	for {
		select {
		case <-h.stop:
			return
		case s := <-sigs:
			h.log.Info().Str("signal", s.String()).Msg("stopping on a signal")
			return
		case <-ctx.Done():
			return
		case <-tick.C:
			if h.sock.Vanished() || h.life.Vanished() {
				h.log.Warn().Msg("stopping: the socket or the registry entry is gone, so no one can reach this host")
				return
			}
		}
	}
}

// takeDown ends the session and its clients. The package comment gives the
// order.
func (h *host) takeDown(sigs <-chan os.Signal, kill context.CancelFunc) {
	h.beginStop()
	h.control.Refuse()
	h.markStopping()
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	if err := h.session.Close(ctx); err != nil {
		h.log.Error().Err(err).Msg("the session took no close")
	}
	drained := make(chan struct{})
	go func() { // ends within drainWait; waited for below
		defer close(drained)
		dctx, cancel := context.WithTimeout(context.Background(), drainWait)
		defer cancel()
		h.control.Shutdown(dctx)
	}()
	select {
	case <-h.session.Done():
	case <-ctx.Done():
		h.log.Warn().Msg("the agent did not end in time and is killed")
	case <-sigs:
		h.log.Warn().Msg("a second signal: the agent is killed")
	}
	kill()
	<-drained
}

func (h *host) onIndex(r session.IndexRow) {
	select {
	case h.index <- r:
	default:
		h.log.Warn().Msg("an index row was dropped: the disk does not keep up")
	}
}

func (h *host) onNote(n session.Note) {
	if h.journal == nil {
		return
	}
	h.journal.Note(journal.Line{
		Type: n.Type, At: n.At, Turn: n.Turn, Text: n.Text, End: n.End, Err: n.Err, TookMs: n.Took.Milliseconds(),
	})
}

// writeIndex keeps this session's row of the index.
func (h *host) writeIndex() {
	ix := config.OpenIndex(h.cfg.CrazeDir)
	for r := range h.index {
		err := ix.Upsert(config.Row{
			SessionID: r.ProviderSessionID, Provider: h.cfg.Provider.ID, Cwd: h.cfg.Workspace,
			Title: text.Title(r.Title), Pinned: r.Pinned, CrazeID: h.info.SessionID,
			CreatedAt: h.info.StartedAt, UpdatedAt: r.UpdatedAt,
		})
		if err != nil {
			h.log.Warn().Err(err).Msg("the session index was not written")
		}
	}
}

func (h *host) header() journal.Header {
	binary := ""
	if len(h.cfg.Argv) > 0 {
		binary = h.cfg.Argv[0]
	}
	return journal.Header{
		Type: "header", Version: 1, EventCodec: proto.EventCodec, Incarnation: h.info.Incarnation,
		CrazeVersion: h.cfg.Version, OS: runtime.GOOS, Arch: runtime.GOARCH, Provider: h.cfg.Provider.ID,
		Binary: binary, Workspace: h.cfg.Workspace, Force: h.cfg.PermissionMode == proto.PermBypass,
		PID: os.Getpid(), At: h.info.StartedAt,
	}
}
