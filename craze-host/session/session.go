package session

import (
	"context"
	"errors"
	"time"

	"craze/craze-host/agent"
	"craze/craze-host/eventlog"
	"craze/shared/proto"
	"craze/shared/transcript"
)

// ErrClosed says the session has ended and answers nothing more.
var ErrClosed = errors.New("session closed")

// inboxSize is how many inputs may wait. Agent output comes many updates to
// an input, so this is slack for scheduling, not a buffer for a slow session.
const inboxSize = 64

// Config is what a session is made of. Info, Log and Now are required.
type Config struct {
	// Info is the session's document as far as it is known before the start.
	Info proto.Info
	// Log receives every event. The session is its only writer.
	Log *eventlog.Log
	// Now is the clock, read once an input.
	Now func() time.Time
	// OnIndex is told, from the session's goroutine, what the session index
	// should hold. It must not block. Nil tells no one.
	OnIndex func(IndexRow)
	// OnNote is told lines for the journal that are no events. It must not
	// block. Nil tells no one.
	OnNote func(Note)
}

// IndexRow is what the index should say of this session.
type IndexRow struct {
	ProviderSessionID string
	Title             string
	Pinned            bool
	UpdatedAt         time.Time
}

// Note is a journal line that is no event.
type Note struct {
	Type string // "session", "prompt", "prompt_end" or "diag"
	At   time.Time
	Turn string
	Text string // the prompt as typed, the diagnostic, or the provider's session id
	End  string // a prompt's stop reason or error class
	Err  string
	Took time.Duration // a prompt's
}

// Session is one session. Its exported methods are safe for any goroutine.
type Session struct {
	cfg   Config
	inbox chan input
	done  chan struct{} // closed when Run has returned
	ready chan struct{} // closed when the start has ended, well or not

	// Run's alone.
	st    state
	fold  *transcript.State
	agent agent.Agent
	again []input // inputs the loop gave itself, taken before the inbox
	begun bool    // ready is closed
}

// New makes a session that has not started. Run starts it.
func New(cfg Config) *Session {
	return &Session{
		cfg: cfg, inbox: make(chan input, inboxSize),
		done: make(chan struct{}), ready: make(chan struct{}),
		st: newState(cfg.Info), fold: transcript.New(cfg.Info.Incarnation),
	}
}

// Deliver is the agent's Sink. It takes ownership of the slice, and waits
// while the inbox is full.
func (s *Session) Deliver(updates []agent.Update) {
	select {
	case s.inbox <- said{updates}:
	case <-s.done:
	}
}

// Ready is closed when the start has ended, well or not.
func (s *Session) Ready() <-chan struct{} { return s.ready }

// Done is closed when Run has returned.
func (s *Session) Done() <-chan struct{} { return s.done }

// Do runs one mutating command and returns its result: a *proto.PromptResult,
// a *proto.CancelResult or a *proto.Empty. A refusal is a *proto.Error. The
// same command id again gets the stored answer.
func (s *Session) Do(ctx context.Context, c Command) (any, error) {
	out := make(chan answer, 1)
	return s.ask(ctx, command{Command: c, out: out}, out)
}

// Row is the session's own row of sessions.list, with the log's head.
func (s *Session) Row(ctx context.Context) (proto.Row, uint64, error) {
	return read(ctx, s, func(s *Session, now time.Time) (proto.Row, error) { return s.row(now), nil })
}

// State answers session.state.
func (s *Session) State(ctx context.Context) (proto.StateResult, error) {
	r, seq, err := read(ctx, s, func(s *Session, _ time.Time) (proto.StateResult, error) { return s.stateResult(), nil })
	r.Seq = seq
	return r, err
}

// Asks lists the open asks, oldest first.
func (s *Session) Asks(ctx context.Context) ([]proto.AskSummary, uint64, error) {
	return read(ctx, s, func(s *Session, _ time.Time) ([]proto.AskSummary, error) { return s.st.asks.summaries(), nil })
}

// Ask gives one ask, open or lately resolved; unknown_ask for another.
func (s *Session) Ask(ctx context.Context, id string) (proto.Ask, error) {
	a, _, err := read(ctx, s, func(s *Session, _ time.Time) (proto.Ask, error) { return s.st.asks.full(id) })
	return a, err
}

// Info is the session's document as it stands.
func (s *Session) Info(ctx context.Context) (proto.Info, error) {
	i, _, err := read(ctx, s, func(s *Session, _ time.Time) (proto.Info, error) { return s.st.info, nil })
	return i, err
}

// View is the folded stream at the log's head, to be encoded by the caller.
func (s *Session) View(ctx context.Context) (transcript.View, error) {
	v, _, err := read(ctx, s, func(s *Session, _ time.Time) (transcript.View, error) {
		return s.fold.Cut(s.cfg.Log.Head()), nil
	})
	return v, err
}

// Attachment is a subscription and the place it starts from, made in one act.
type Attachment struct {
	Sub     *eventlog.Sub
	Info    proto.Info
	Ready   bool
	Err     string             // why the start failed; Ready is true then
	After   proto.Cursor       // where the subscription starts
	Cutoff  uint64             // the log's head as it was made
	View    *transcript.View   // nil when the cursor was honoured
	Refused proto.CursorReason // why a given cursor was not
}

// Attach subscribes at cursor, or at the head with a view to start from. Once
// the session is closing it is refused.
func (s *Session) Attach(ctx context.Context, cursor *proto.Cursor, b eventlog.Budget) (Attachment, error) {
	a, _, err := read(ctx, s, func(s *Session, _ time.Time) (Attachment, error) { return s.attach(cursor, b) })
	return a, err
}

// Close begins the session's end: it ends the turn and the asks on the
// stream, closes the agent, and ends the log. It waits only for the input to
// be taken; Done tells when all of it is over. Calling it again does nothing.
func (s *Session) Close(ctx context.Context) error {
	_, err := s.ask(ctx, closing{}, nil)
	if errors.Is(err, ErrClosed) {
		return nil
	}
	return err
}

// ask sends an input and, where out is not nil, waits for its answer.
func (s *Session) ask(ctx context.Context, in input, out <-chan answer) (any, error) {
	select {
	case s.inbox <- in:
	case <-s.done:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if out == nil {
		return nil, nil
	}
	select {
	case a := <-out:
		return a.result, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.done:
	}
	select {
	case a := <-out: // it was answered as the session ended
		return a.result, a.err
	default:
		return nil, ErrClosed
	}
}

// read runs f on the session's goroutine and gives its result with the log's
// head at that moment.
func read[T any](ctx context.Context, s *Session, f func(*Session, time.Time) (T, error)) (T, uint64, error) {
	type got struct {
		v   T
		seq uint64
	}
	out := make(chan answer, 1)
	v, err := s.ask(ctx, reading{func(s *Session, now time.Time) {
		v, err := f(s, now)
		out <- answer{got{v, s.cfg.Log.Head()}, err}
	}}, out)
	if err != nil {
		var zero T
		return zero, 0, err
	}
	g := v.(got)
	return g.v, g.seq, nil
}

func (s *Session) attach(cursor *proto.Cursor, b eventlog.Budget) (Attachment, error) {
	if s.st.closing {
		return Attachment{}, proto.Refuse(proto.CodeUnavailable, proto.ReasonClosing, "the session is closing")
	}
	log := s.cfg.Log
	a := Attachment{Info: s.st.info, Ready: s.st.started(), Cutoff: log.Head()}
	if s.st.startErr != nil {
		a.Err = s.st.startErr.Message
	}
	if cursor != nil {
		if a.Sub, a.Refused = log.Resume(*cursor, b); a.Sub != nil {
			a.After = *cursor
			return a, nil
		}
	}
	view := s.fold.Cut(a.Cutoff)
	a.View, a.Sub = &view, log.Subscribe(b)
	a.After = proto.Cursor{Incarnation: log.Incarnation(), Seq: a.Cutoff}
	return a, nil
}
