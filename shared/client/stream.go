package client

import (
	"context"
	"errors"
	"fmt"
	"io"

	"craze/shared/proto"
	"craze/shared/transcript"
)

// Item is one thing a Stream gives. The set is closed.
type Item interface{ item() }

// Restored is a snapshot to start from, or to start from again: what was
// folded before it is to be forgotten.
type Restored struct {
	Info  proto.Info
	State *transcript.State // the receiver's
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

// Ready says how a start has ended that the stream has not told of: one that
// was still running at the attach, or whose stream goes on behind a cursor.
type Ready struct {
	Info        proto.Info
	StartFailed bool
	Err         string
}

// Lost says the connection was lost and is being made again. A Restored or a
// Synced follows, or the error that ends the stream.
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
	Cursor *proto.Cursor // the place behind which to go on
}

// Stream is a session's events. Next has one caller at a time.
type Stream struct {
	s      *Session
	opt    AttachOptions
	link   link
	sub    string       // the attachment; "" while there is none
	cursor proto.Cursor // the last event given
	held   bool         // cursor is worth resuming from
	ready  bool
	begun  bool // there was an attachment
	said   bool // Lost was given since the latest
	again  int  // attaches since the stream was last in step, the first not counted

	batch []note // taken and not yet given from at on
	at    int
	out   Item // to be given next
	over  bool

	// do is what the stream does next. A step that its context ended is taken
	// up again by the next call, with req where it waits for an answer.
	do  func(*Stream, context.Context) error
	req *request
}

// Attach puts the session's connection on its stream. The first item is a
// Restored, unless a cursor was honoured. An Attach that its context ends
// costs the session its connection, which the next call makes again.
func (s *Session) Attach(ctx context.Context, opt AttachOptions) (*Stream, error) {
	if opt.Budget.MaxItems == 0 {
		opt.Budget.MaxItems = proto.BudgetItemsMax
	}
	if opt.Budget.MaxBytes == 0 {
		opt.Budget.MaxBytes = proto.BudgetBytesMax
	}
	st := &Stream{s: s, opt: opt, link: s.current(), do: (*Stream).attach}
	if opt.Cursor != nil {
		st.cursor, st.held = *opt.Cursor, true
	}
	for !st.begun {
		if err := st.do(st, ctx); err != nil {
			st.abandon()
			return nil, err
		}
	}
	return st, nil
}

// Cursor is the place of the last event given.
func (st *Stream) Cursor() proto.Cursor { return st.cursor }

// Next gives the next item, waiting for it. After Ended, and after an error
// that could not be mended, it gives io.EOF. A context that ends loses
// nothing: the next call goes on.
func (st *Stream) Next(ctx context.Context) (Item, error) {
	for {
		if it := st.out; it != nil {
			st.out = nil
			return it, nil
		}
		if st.over {
			return nil, io.EOF
		}
		if err := st.do(st, ctx); err != nil {
			if gaveUp(ctx, err) {
				return nil, ctx.Err()
			}
			st.over = true
			st.abandon()
			return nil, err
		}
	}
}

// gaveUp reports whether an error is only that the caller's context ended.
func gaveUp(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, ErrNoAnswer))
}

// follow gives what the attachment brings.
func (st *Stream) follow(ctx context.Context) error {
	if st.at == len(st.batch) {
		var err error
		st.batch, err = st.link.conn.notes.take(ctx, st.batch)
		st.at = 0
		if errors.Is(err, io.EOF) {
			return st.lost(st.link.conn.lostError())
		}
		if err != nil {
			return err
		}
	}
	n := st.batch[st.at]
	st.batch[st.at] = note{}
	st.at++
	if n.sub != st.sub && !n.behind {
		return nil // of an attachment that is over
	}
	return st.note(n)
}

func (st *Stream) note(n note) error {
	switch it := n.item.(type) {
	case Event:
		if n.seq != st.cursor.Seq+1 {
			return st.letGo(false)
		}
		st.cursor.Seq = n.seq
	case Synced:
		st.again = 0
	case Ready:
		st.ready = true
	case nil:
		if n.reset != "" {
			return st.reset(n.reset)
		}
		return st.letGo(n.behind && st.ready) // else an event that cannot be decoded
	default:
		return fmt.Errorf("a notification gave a %T", it)
	}
	st.out = n.item
	return nil
}

// reset does what an attachment's end asks for. The host has ended it.
func (st *Stream) reset(reason proto.ResetReason) error {
	st.sub = ""
	switch reason {
	case proto.ResetClosed, proto.ResetReplaced:
		st.end(reason)
		return nil
	case proto.ResetSlow:
		st.held = st.ready
		if !st.ready {
			st.opt.When = proto.WhenReady
		}
	default:
		st.held = false
	}
	return st.attachAgain()
}

func (st *Stream) end(reason proto.ResetReason) { st.out, st.over = Ended{reason}, true }

// Close detaches. The session's connection stays, unless ctx ends first. It is
// not to be called while Next is.
func (st *Stream) Close(ctx context.Context) error {
	if st.over {
		return nil
	}
	st.over = true
	if st.sub == "" || st.req != nil {
		st.abandon()
		return nil
	}
	st.link.conn.notes.drop()
	defer st.link.conn.notes.keep()
	p := proto.DetachParams{SessionID: st.s.cfg.SessionID, Subscription: st.sub}
	err := st.link.conn.Call(ctx, proto.MethodDetach, p, nil)
	if gaveUp(ctx, err) {
		st.link.conn.abort()
	}
	if errors.Is(err, ErrDisconnected) {
		return nil // what is lost is detached
	}
	return err
}
