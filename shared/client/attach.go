package client

import (
	"context"
	"errors"
	"fmt"

	"craze/shared/proto"
	"craze/shared/transcript"
	"craze/shared/wire"
)

// MaxReattaches is how many times a stream attaches again before it has been
// in step once more. Past it the host is taken to be past mending.
const MaxReattaches = 8

// attachAgain makes an attach the next step, unless there were too many.
func (st *Stream) attachAgain() error {
	if st.again++; st.again > MaxReattaches {
		return fmt.Errorf("the stream was made again %d times and did not come into step: %w", MaxReattaches, ErrDisconnected)
	}
	st.do = (*Stream).attach
	return nil
}

// attach makes one attachment on the current connection, behind the cursor if
// one is held.
func (st *Stream) attach(ctx context.Context) error {
	if st.req == nil {
		p := proto.AttachParams{SessionID: st.s.cfg.SessionID, When: st.opt.When, Budget: &st.opt.Budget}
		if st.held {
			p.Cursor = &st.cursor
		}
		st.link.conn.notes.keep()
		if err := st.send(ctx, proto.MethodAttach, p); err != nil {
			return st.refused(ctx, err)
		}
	}
	var r proto.AttachResult
	if err := st.answer(ctx, &r); err != nil {
		return st.refused(ctx, err)
	}
	return st.attached(r)
}

// attached goes on from where the host says.
func (st *Stream) attached(r proto.AttachResult) error {
	told := st.ready
	st.sub, st.ready, st.said, st.do = r.Subscription, r.Ready, false, (*Stream).follow
	if len(r.Snapshot) == 0 {
		if !st.held || r.After != st.cursor {
			return st.letGo(false) // it goes on from a place that nobody asked for
		}
		st.begun = true
		if r.Ready && !told {
			st.out = Ready{Info: r.Session}
		}
		return nil
	}
	state, err := transcript.Restore(r.Snapshot)
	if err != nil {
		return fmt.Errorf("the host's snapshot cannot be read: %w", err)
	}
	st.cursor, st.held, st.begun = r.After, true, true
	st.out = Restored{Info: r.Session, State: state, Ready: r.Ready, Seq: r.After.Seq}
	return nil
}

// refused does what an attach that was not answered well asks for.
func (st *Stream) refused(ctx context.Context, err error) error {
	switch {
	case gaveUp(ctx, err):
		return err // to be taken up again
	case errors.Is(err, ErrDisconnected):
		return st.lost(err)
	case st.begun && errors.Is(err, errClosing):
		st.end(proto.ResetClosed)
		return nil
	case errors.Is(err, errClosing), !errors.Is(err, errMomentary) && !errors.Is(err, errAttached):
		return err
	}
	if st.attachAgain() != nil {
		return err // the host's word says more
	}
	st.do = (*Stream).rest
	return nil
}

var (
	errClosing   = proto.Refuse(proto.CodeUnavailable, proto.ReasonClosing, "")
	errMomentary = proto.Refuse(proto.CodeUnavailable, "", "") // any reason
	errAttached  = proto.Refuse(proto.CodeBadRequest, proto.ReasonAlreadyAttached, "")
)

// rest waits a moment before an attach.
func (st *Stream) rest(ctx context.Context) error {
	if !pause(ctx, redialPause) {
		return ctx.Err()
	}
	st.do = (*Stream).attach
	return nil
}

// letGo gives up an attachment that cannot be trusted, or that is too far
// behind, for another: behind the cursor, or with a snapshot. What it still
// brings is thrown away, or it could stop the replies.
func (st *Stream) letGo(keep bool) error {
	st.batch, st.at, st.held = st.batch[:0], 0, keep
	st.link.conn.notes.drop()
	st.do = (*Stream).detach
	return nil
}

// detach ends the attachment, for another.
func (st *Stream) detach(ctx context.Context) error {
	if st.req == nil {
		p := proto.DetachParams{SessionID: st.s.cfg.SessionID, Subscription: st.sub}
		if err := st.send(ctx, proto.MethodDetach, p); err != nil {
			return st.detached(ctx, err)
		}
	}
	return st.detached(ctx, st.answer(ctx, nil))
}

// detached goes on however the detach was answered: an attachment may have
// ended by itself, and the attach that follows tells.
func (st *Stream) detached(ctx context.Context, err error) error {
	if gaveUp(ctx, err) {
		return err
	}
	st.sub = ""
	if errors.Is(err, ErrDisconnected) {
		return st.lost(err)
	}
	return st.attachAgain()
}

// lost says once that the connection is lost, and makes it again.
func (st *Stream) lost(err error) error {
	if st.begun && !st.said {
		st.out, st.said = Lost{err}, true
	}
	st.sub, st.batch, st.at = "", st.batch[:0], 0
	st.do = (*Stream).reconnect
	return nil
}

func (st *Stream) reconnect(ctx context.Context) error {
	l, err := st.s.reconnect(ctx, st.link)
	if err != nil {
		return err
	}
	st.link = l
	return st.attachAgain()
}

// send sends the request that a step waits for.
func (st *Stream) send(ctx context.Context, m proto.Method, params any) error {
	enc, err := wire.Encode(params)
	if err != nil {
		return err
	}
	st.req, err = st.link.conn.start(ctx, m, enc)
	return err
}

// answer waits for it. After a context that ended, it is still waited for.
func (st *Stream) answer(ctx context.Context, result any) error {
	err := st.req.wait(ctx, result)
	if !gaveUp(ctx, err) {
		st.req.forget()
		st.req = nil
	}
	return err
}

// abandon gives up the connection where it is attached, or may be. A stream
// that nobody reads would hold back every reply.
func (st *Stream) abandon() {
	if st.sub == "" && st.req == nil {
		return
	}
	if st.req != nil {
		st.req.forget()
		st.req = nil
	}
	st.sub = ""
	st.link.conn.abort()
}
