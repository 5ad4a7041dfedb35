package client

import (
	"context"
	"errors"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"craze/shared/proto"
	"craze/shared/wire"
)

// SessionConfig names a session and how to reach its host. Dial is asked anew
// for each connection.
type SessionConfig struct {
	Config
	SessionID string
}

// Session speaks to one session, across lost connections. Its methods are safe
// for any goroutine; it has at most one Stream at a time.
type Session struct {
	cfg     SessionConfig
	running sync.WaitGroup // the redial under way

	mu      sync.Mutex
	link    link
	command uint64  // the last command id of link's client
	redial  *redial // nil unless one is under way
	closed  bool
}

// OpenSession connects to the session's host. ErrGone says nobody listens
// there.
func OpenSession(ctx context.Context, cfg SessionConfig) (*Session, error) {
	cfg.Want = proto.KindHost
	c, err := Connect(ctx, cfg.Config)
	if err != nil {
		return nil, gone(err)
	}
	return &Session{cfg: cfg, link: link{conn: c}}, nil
}

// Hello is what the host said at the latest hello.
func (s *Session) Hello() proto.HelloResult { return s.current().conn.Hello() }

// Close closes the connection and ends a redial. Calls in flight, and a Stream,
// end with ErrDisconnected. It is safe to call again.
func (s *Session) Close() error {
	s.mu.Lock()
	s.closed = true
	if s.redial != nil {
		s.redial.cancel()
	}
	s.mu.Unlock()
	s.running.Wait()
	return s.current().conn.Close()
}

func (s *Session) current() link {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link
}

// nextCommand names a command of the client that is connected.
func (s *Session) nextCommand() (link, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.command++
	return s.link, commandID(s.command)
}

// read makes a call that changes nothing, again after a lost connection.
func (s *Session) read(ctx context.Context, m proto.Method, params, result any) error {
	l := s.current()
	for range callTries {
		err := l.conn.Call(ctx, m, params, result)
		if !errors.Is(err, ErrDisconnected) {
			return err
		}
		if l, err = s.reconnect(ctx, l); err != nil {
			return err
		}
	}
	return ErrDisconnected
}

// run makes one command. After a lost connection it is sent again to a host
// that took this client back, under its id; and to any other only where it
// was never sent before, under an id of its own there.
func (s *Session) run(ctx context.Context, m proto.Method, params func(id string) any, result any) error {
	l, id := s.nextCommand()
	sent := false
	for range callTries {
		was, err := l.run(ctx, m, params(id), result)
		sent = sent || was
		if !errors.Is(err, ErrDisconnected) {
			return err
		}
		next, err := s.reconnect(ctx, l)
		switch {
		case err != nil:
			return err
		case next.client == l.client:
			l = next
		case sent:
			return ErrResumeLost
		default:
			l, id = s.nextCommand()
		}
	}
	return ErrDisconnected
}

// run makes a call, and reports whether it was sent.
func (l link) run(ctx context.Context, m proto.Method, params, result any) (sent bool, err error) {
	enc, err := wire.Encode(params)
	if err != nil {
		return false, err
	}
	r, err := l.conn.start(ctx, m, enc)
	if err != nil {
		return false, err
	}
	defer r.forget()
	return true, r.wait(ctx, result)
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

// Snapshot reads one snapshot of at most so many bytes, for transcript.Restore;
// 0 is the host's default.
func (s *Session) Snapshot(ctx context.Context, most int) (jsontext.Value, error) {
	p := proto.SnapshotParams{SessionID: s.cfg.SessionID}
	if most > 0 {
		p.Budget = &proto.SnapshotBudget{SnapshotBytes: most}
	}
	var r proto.SnapshotResult
	err := s.read(ctx, proto.MethodSnapshot, p, &r)
	return r.Snapshot, err
}

// Sync reads the log's committed head. A stream of this session has every
// event up to it on its way before the answer.
func (s *Session) Sync(ctx context.Context) (uint64, error) {
	var r proto.SyncResult
	err := s.read(ctx, proto.MethodSync, s.named(), &r)
	return r.Seq, err
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
	err := s.run(ctx, proto.MethodPrompt, promptParams(s.cfg.SessionID, text), &r)
	return r, err
}

// Cancel cancels a turn; "" is whatever runs.
func (s *Session) Cancel(ctx context.Context, turn string) (proto.CancelResult, error) {
	var r proto.CancelResult
	err := s.run(ctx, proto.MethodCancel, cancelParams(s.cfg.SessionID, turn), &r)
	return r, err
}

// Answer answers an ask.
func (s *Session) Answer(ctx context.Context, ask string, a proto.Answer) error {
	return s.run(ctx, proto.MethodAsksAnswer, answerParams(s.cfg.SessionID, ask, a), nil)
}

// Stop ends the session and its host. The answer is a receipt.
func (s *Session) Stop(ctx context.Context) error {
	return s.run(ctx, proto.MethodStop, stopParams(s.cfg.SessionID), nil)
}
