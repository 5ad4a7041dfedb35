package client

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"

	"craze/shared/proto"
	"craze/shared/transcript"
)

// Item is one thing a Stream gives. The set is closed.
type Item interface{ item() }

// Restored is a snapshot to start from, or to start from again: what was
// folded before it is to be forgotten.
type Restored struct {
	Info  proto.Info
	State *transcript.State
	Ready bool
	Seq   uint64
}

// Event is the next record.
type Event struct {
	Seq   uint64
	Event proto.Event
	Body  []byte // as the host sent it; the receiver's to keep
}

// Synced says the stream has come to where the session was at the attach.
type Synced struct{ Seq uint64 }

// Ready says how a start has ended that was still running at the attach.
type Ready struct {
	Info        proto.Info
	StartFailed bool
	Err         string
}

// Lost says the connection was lost and is being made again.
type Lost struct{ Err error }

// Ended says the session is over; io.EOF follows.
type Ended struct{ Reason proto.ResetReason }

func (Restored) item() {}
func (Event) item()    {}
func (Synced) item()   {}
func (Ready) item()    {}
func (Lost) item()     {}
func (Ended) item()    {}

// AttachOptions say how to attach. The zero value waits for the session's
// start and takes the host's largest budget.
type AttachOptions struct {
	When   proto.When
	Budget proto.Budget
	Cursor *proto.Cursor
}

// Stream is a session's events. Next has one caller at a time.
type Stream struct {
	s       *Session
	opt     AttachOptions
	conn    *Conn
	epoch   int
	sub     string
	cursor  proto.Cursor // the last event given
	held    bool         // cursor is worth resuming from
	ready   bool
	again   int // attaches since the stream was last in step
	pending []note
	out     []Item
	over    bool
}

// Attach puts the session's connection on its stream. The first item is a
// Restored, unless a cursor was honoured.
func (s *Session) Attach(ctx context.Context, opt AttachOptions) (*Stream, error) {
	if opt.Budget.MaxItems == 0 {
		opt.Budget.MaxItems = proto.BudgetItemsMax
	}
	if opt.Budget.MaxBytes == 0 {
		opt.Budget.MaxBytes = proto.BudgetBytesMax
	}
	st := &Stream{s: s, opt: opt}
	if opt.Cursor != nil {
		st.cursor, st.held = *opt.Cursor, true
	}
	st.conn, st.epoch = s.current()
	err := st.attach(ctx)
	if errors.Is(err, ErrDisconnected) {
		err = st.reconnect(ctx)
	}
	if err != nil {
		return nil, err
	}
	return st, nil
}

// attach makes one attachment on the current connection, behind the cursor if
// one is held.
func (st *Stream) attach(ctx context.Context) error {
	if st.again++; st.again > MaxReattaches {
		return fmt.Errorf("the stream was reset %d times in a row: %w", MaxReattaches, ErrDisconnected)
	}
	p := proto.AttachParams{SessionID: st.s.cfg.SessionID, When: st.opt.When, Budget: &st.opt.Budget}
	if st.held {
		p.Cursor = &st.cursor
	}
	var r proto.AttachResult
	if err := st.conn.Call(ctx, proto.MethodAttach, p, &r); err != nil {
		return err
	}
	st.sub, st.ready = r.Subscription, r.Ready
	st.cursor, st.held = r.After, true
	if r.Snapshot == nil {
		return nil
	}
	state, err := transcript.Restore(r.Snapshot)
	if err != nil {
		return fmt.Errorf("the host's snapshot cannot be read: %w", err)
	}
	st.out = append(st.out, Restored{Info: r.Session, State: state, Ready: r.Ready, Seq: r.After.Seq})
	return nil
}

// Cursor is the place of the last event given.
func (st *Stream) Cursor() proto.Cursor { return st.cursor }

// Next gives the next item, waiting for it. After Ended, and after an error
// that could not be mended, it gives io.EOF.
func (st *Stream) Next(ctx context.Context) (Item, error) {
	for {
		if len(st.out) > 0 {
			it := st.out[0]
			st.out = st.out[1:]
			return it, nil
		}
		if st.over {
			return nil, io.EOF
		}
		if err := st.fill(ctx); err != nil {
			st.over = st.over || ctx.Err() == nil
			return nil, err
		}
	}
}

// fill turns the next notification into items.
func (st *Stream) fill(ctx context.Context) error {
	if len(st.pending) == 0 {
		got, err := st.conn.notes.next(ctx)
		if errors.Is(err, io.EOF) {
			return st.lose(ctx)
		}
		if err != nil {
			return err
		}
		st.pending = got
	}
	n := st.pending[0]
	st.pending = st.pending[1:]
	if n.method == proto.NoteEvent {
		return st.event(ctx, n)
	}
	return st.note(ctx, n)
}

// lose says the connection is lost, then makes it again.
func (st *Stream) lose(ctx context.Context) error {
	if len(st.out) == 0 && !st.lostSaid() {
		st.out = append(st.out, Lost{ErrDisconnected})
		return nil
	}
	return st.reconnect(ctx)
}

// lostSaid reports whether Lost has been given for this connection.
func (st *Stream) lostSaid() bool {
	said := st.sub == ""
	st.sub = ""
	return said
}

func (st *Stream) reconnect(ctx context.Context) error {
	for {
		c, epoch, _, err := st.s.reconnect(ctx, st.epoch)
		if err != nil {
			return err
		}
		st.conn, st.epoch, st.pending = c, epoch, nil
		if err = st.attach(ctx); !errors.Is(err, ErrDisconnected) || st.again > MaxReattaches {
			return err
		}
	}
}

// event gives a record that follows the last one. One of an earlier
// subscription is passed over; a hole means the stream cannot be trusted.
func (st *Stream) event(ctx context.Context, n note) error {
	if n.sub == "" {
		var p proto.EventNote
		if err := json.Unmarshal(n.params, &p); err != nil {
			return fmt.Errorf("an event cannot be read: %w", err)
		}
		n.sub, n.seq, n.params = p.Subscription, p.Seq, p.Event
	}
	if n.sub != st.sub {
		return nil
	}
	ev, err := proto.DecodeEvent(n.params)
	if err != nil || n.seq != st.cursor.Seq+1 {
		return st.reattach(ctx, false)
	}
	st.cursor.Seq = n.seq
	st.out = append(st.out, Event{Seq: n.seq, Event: ev, Body: n.params})
	return nil
}

// reattach attaches again on the same connection.
func (st *Stream) reattach(ctx context.Context, keep bool) error {
	if !keep && st.sub != "" {
		// The old attachment may have ended by itself; the attach tells.
		_ = st.conn.Call(ctx, proto.MethodDetach, proto.DetachParams{SessionID: st.s.cfg.SessionID, Subscription: st.sub}, nil)
	}
	st.held = keep
	err := st.attach(ctx)
	if errors.Is(err, ErrDisconnected) && st.again <= MaxReattaches {
		return st.reconnect(ctx)
	}
	return err
}

func (st *Stream) note(ctx context.Context, n note) error {
	switch n.method {
	case proto.NoteSynchronized:
		var p proto.SyncedNote
		if json.Unmarshal(n.params, &p) == nil && p.Subscription == st.sub {
			st.again = 0
			st.out = append(st.out, Synced{p.Seq})
		}
	case proto.NoteReady:
		var p proto.ReadyNote
		if json.Unmarshal(n.params, &p) == nil && p.Subscription == st.sub {
			st.ready = true
			st.out = append(st.out, Ready{p.Session, p.StartFailed, p.Err})
		}
	case proto.NoteReset:
		var p proto.ResetNote
		if json.Unmarshal(n.params, &p) == nil && p.Subscription == st.sub {
			return st.reset(ctx, p.Reason)
		}
	}
	return nil // a notification this build does not know
}

func (st *Stream) reset(ctx context.Context, reason proto.ResetReason) error {
	switch reason {
	case proto.ResetClosed, proto.ResetReplaced:
		st.over = true
		st.out = append(st.out, Ended{reason})
		return nil
	case proto.ResetSlow:
		if !st.ready {
			st.opt.When = proto.WhenReady
		}
		st.sub = "" // the host has ended it
		return st.reattach(ctx, st.ready)
	}
	st.sub = ""
	return st.reattach(ctx, false)
}

// Close detaches. The session's connection stays.
func (st *Stream) Close(ctx context.Context) error {
	if st.over || st.sub == "" {
		return nil
	}
	st.over = true
	return st.conn.Call(ctx, proto.MethodDetach, proto.DetachParams{SessionID: st.s.cfg.SessionID, Subscription: st.sub}, nil)
}
