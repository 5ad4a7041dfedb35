package client

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"craze/shared/proto"
	"craze/shared/sock"
	"craze/shared/wire"
)

const (
	// MaxDials is how many dials one reconnect makes at most.
	MaxDials = 3
	// RedialWindow bounds one reconnect, all its dials and hellos together.
	RedialWindow = 10 * time.Second
	// MaxReattaches is how many times a stream attaches again before it has
	// been in step once more.
	MaxReattaches = 8
	// redialPause is waited between two dials of one reconnect.
	redialPause = 100 * time.Millisecond
)

// ErrGone says nobody listens where the session was: its host has ended.
var ErrGone = errors.New("the session's host is gone")

// SessionConfig names a session and how to reach its host.
type SessionConfig struct {
	Config
	SessionID string
}

// Session speaks to one session, across lost connections. Its methods are safe
// for any goroutine; it has at most one Stream at a time.
type Session struct {
	cfg SessionConfig

	mu      sync.Mutex // held while reconnecting, so that one does it for all
	conn    *Conn
	epoch   int // counts connections
	command uint64
	closed  bool
}

// OpenSession connects to the session's host.
func OpenSession(ctx context.Context, cfg SessionConfig) (*Session, error) {
	cfg.Want = proto.KindHost
	c, err := Connect(ctx, cfg.Config)
	if err != nil {
		return nil, gone(err)
	}
	return &Session{cfg: cfg, conn: c, epoch: 1}, nil
}

func gone(err error) error {
	if errors.Is(err, sock.ErrNobody) {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	return err
}

// Hello is what the host said at the latest hello.
func (s *Session) Hello() proto.HelloResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn.Hello()
}

// Close closes the connection. A Stream ends with it.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.conn.Close()
}

// current is the connection in use and its epoch.
func (s *Session) current() (*Conn, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn, s.epoch
}

// reconnect replaces the connection of an epoch that was lost. It reports
// whether the host resumed the client id, which is what makes a resend safe.
func (s *Session) reconnect(ctx context.Context, lost int) (*Conn, int, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, 0, false, ErrDisconnected
	}
	if s.epoch != lost { // another caller has done it
		return s.conn, s.epoch, s.resumed(), nil
	}
	ctx, cancel := context.WithTimeout(ctx, RedialWindow)
	defer cancel()
	old := s.conn.Hello()
	resume := &proto.Resume{ClientID: old.ClientID, Token: old.Token}
	var err error
	for dial := range MaxDials {
		if dial > 0 && !pause(ctx, redialPause) {
			break
		}
		var c *Conn
		if c, err = connect(ctx, s.cfg.Config, resume); err != nil {
			if errors.Is(err, sock.ErrNobody) {
				break // a host that is gone does not come back under its id
			}
			continue
		}
		// The lost connection is closed; nothing more can be said of it.
		_ = s.conn.Close()
		if c.Hello().Endpoint.HostID != old.Endpoint.HostID {
			err = errors.Join(ErrGone, c.Close())
			break
		}
		s.conn = c
		s.epoch++
		if !s.resumed() {
			s.command = 0 // a fresh client id counts its own commands
		}
		return c, s.epoch, s.resumed(), nil
	}
	return nil, 0, false, errors.Join(ErrDisconnected, gone(err))
}

func (s *Session) resumed() bool {
	r := s.conn.Hello().Resumed
	return r != nil && *r
}

func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// read makes a call that changes nothing, again after a lost connection.
func (s *Session) read(ctx context.Context, m proto.Method, params, result any) error {
	for range MaxDials {
		c, epoch := s.current()
		err := c.Call(ctx, m, params, result)
		if !errors.Is(err, ErrDisconnected) {
			return err
		}
		if _, _, _, rerr := s.reconnect(ctx, epoch); rerr != nil {
			return rerr
		}
	}
	return ErrDisconnected
}

// run sends one command. It is sent again after a lost connection only to a
// host that resumed this client.
func (s *Session) run(ctx context.Context, m proto.Method, params func(commandID string) any, result any) error {
	s.mu.Lock()
	s.command++
	id := strconv.FormatUint(s.command, 10)
	c, epoch := s.conn, s.epoch
	s.mu.Unlock()
	enc, err := wire.Encode(params(id))
	if err != nil {
		return err
	}
	for range MaxDials {
		err = c.call(ctx, m, enc, result)
		if !errors.Is(err, ErrDisconnected) {
			return err
		}
		var resumed bool
		var rerr error
		if c, epoch, resumed, rerr = s.reconnect(ctx, epoch); rerr != nil {
			return rerr
		}
		if !resumed {
			return ErrResumeLost
		}
	}
	return err
}

func (s *Session) named() proto.SessionParams { return proto.SessionParams{SessionID: s.cfg.SessionID} }

// State reads session.state.
func (s *Session) State(ctx context.Context) (proto.StateResult, error) {
	var r proto.StateResult
	err := s.read(ctx, proto.MethodState, s.named(), &r)
	return r, err
}

// Row reads the session's row.
func (s *Session) Row(ctx context.Context) (proto.Row, error) {
	var r proto.ListResult
	if err := s.read(ctx, proto.MethodList, proto.Empty{}, &r); err != nil {
		return proto.Row{}, err
	}
	if len(r.Sessions) == 0 {
		return proto.Row{}, errors.New("the host lists no session")
	}
	return r.Sessions[0], nil
}

// Asks lists the open asks.
func (s *Session) Asks(ctx context.Context) ([]proto.AskSummary, error) {
	var r proto.AsksResult
	err := s.read(ctx, proto.MethodAsksList, s.named(), &r)
	return r.Asks, err
}

// Ask reads one ask in full.
func (s *Session) Ask(ctx context.Context, id string) (proto.Ask, error) {
	var r proto.AskGetResult
	err := s.read(ctx, proto.MethodAsksGet, proto.AskGetParams{SessionID: s.cfg.SessionID, AskID: id}, &r)
	return r.Ask, err
}

// Prompt sends a prompt in mode queue.
func (s *Session) Prompt(ctx context.Context, text string) (proto.PromptResult, error) {
	var r proto.PromptResult
	err := s.run(ctx, proto.MethodPrompt, func(id string) any {
		return proto.PromptParams{SessionID: s.cfg.SessionID, CommandID: id, Text: text, Mode: proto.ModeQueue}
	}, &r)
	return r, err
}

// Cancel cancels a turn; "" is whatever runs.
func (s *Session) Cancel(ctx context.Context, turn string) (proto.CancelResult, error) {
	var r proto.CancelResult
	err := s.run(ctx, proto.MethodCancel, func(id string) any {
		return proto.CancelParams{SessionID: s.cfg.SessionID, CommandID: id, TurnID: turn}
	}, &r)
	return r, err
}

// Answer answers an ask.
func (s *Session) Answer(ctx context.Context, ask string, a proto.Answer) error {
	return s.run(ctx, proto.MethodAsksAnswer, func(id string) any {
		return proto.AnswerParams{SessionID: s.cfg.SessionID, CommandID: id, AskID: ask, Answer: a}
	}, nil)
}

// Stop ends the session and its host. The answer is a receipt.
func (s *Session) Stop(ctx context.Context) error {
	return s.run(ctx, proto.MethodStop, func(id string) any {
		return proto.CommandParams{SessionID: s.cfg.SessionID, CommandID: id}
	}, nil)
}
