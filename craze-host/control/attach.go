package control

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"craze/craze-host/eventlog"
	"craze/craze-host/session"
	"craze/shared/proto"
	"craze/shared/wire"
)

// forwardBatch is how many records move from a subscription to the outbox at
// a time.
const forwardBatch = 256

// attachment is a connection's place on the stream. Its forwarder moves
// records from the subscription to the connection's outbox, and waits only
// for room there.
type attachment struct {
	id     string
	c      *conn
	sub    *eventlog.Sub
	cutoff uint64 // once passed, synchronized is sent
	synced bool
	done   chan struct{} // closed when the forwarder has ended
	cancel context.CancelFunc

	mu      sync.Mutex
	passed  uint64        // the last seq handed to the outbox
	changed chan struct{} // closed and replaced as passed grows
}

// attach answers session.attach and starts the forwarder.
func (c *conn) attach(ctx context.Context, req wire.Request) {
	p, refusal := decodeNamed(c, req, func(p *proto.AttachParams) string { return p.SessionID })
	if refusal == nil {
		refusal = checkAttach(p)
	}
	if refusal == nil && !c.claim() {
		refusal = proto.Refuse(proto.CodeBadRequest, proto.ReasonAlreadyAttached, "this connection is attached already")
	}
	if refusal != nil {
		c.reply(req.ID, nil, refusal)
		return
	}
	result, a, refusal := c.open(ctx, p)
	if refusal != nil {
		c.unclaim()
		c.reply(req.ID, nil, refusal)
		return
	}
	fctx, cancel := context.WithCancel(ctx)
	a.cancel = cancel
	c.settle(a)
	c.reply(req.ID, result, nil)
	c.streams.Add(1)
	go func() { // ends with the subscription or the connection; serve waits for it
		defer c.streams.Done()
		a.forward(fctx)
	}()
	if !result.Ready {
		c.streams.Add(1)
		go func() { // ends with the start, the attachment or the connection
			defer c.streams.Done()
			a.oweReady(fctx)
		}()
	}
}

func checkAttach(p *proto.AttachParams) *proto.Error {
	if p.When != "" && p.When != proto.WhenReady && p.When != proto.WhenNow {
		return proto.BadParams(proto.ReasonBadRequest, "params.when is ready or now")
	}
	if b := p.Budget; b != nil && (b.MaxItems < 0 || b.MaxBytes < 0 || b.SnapshotBytes < 0) {
		return proto.BadParams(proto.ReasonBadRequest, "params.budget is not negative")
	}
	return nil
}

// claim takes the connection's one place for an attachment.
func (c *conn) claim() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.att != nil || c.claimed {
		return false
	}
	c.claimed = true
	return true
}

func (c *conn) unclaim() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.claimed = false
}

func (c *conn) settle(a *attachment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.claimed, c.att = false, a
}

// open subscribes, once the session is ready where that was asked for, and
// makes the reply.
func (c *conn) open(ctx context.Context, p *proto.AttachParams) (*proto.AttachResult, *attachment, *proto.Error) {
	if c.srv.closing.Load() {
		return nil, nil, closingRefusal()
	}
	if p.When != proto.WhenNow {
		if refusal := c.awaitReady(ctx); refusal != nil {
			return nil, nil, refusal
		}
	}
	want := proto.Budget{}
	if p.Budget != nil {
		want = *p.Budget
	}
	at, err := c.srv.cfg.Session.Attach(ctx, p.Cursor, eventlog.Budget{Items: want.MaxItems, Bytes: want.MaxBytes})
	if err != nil {
		_, refusal := result(nil, err)
		return nil, nil, refusal
	}
	refusal := startRefusal(p.When, at)
	res := &proto.AttachResult{Session: at.Info, Ready: at.Ready, After: at.After, Reset: at.Refused}
	if at.View != nil && refusal == nil {
		res.Snapshot, refusal = encodeView(*at.View, want.SnapshotBytes, "")
	}
	if refusal == nil && c.srv.closing.Load() {
		refusal = closingRefusal()
	}
	if refusal != nil {
		at.Sub.Close()
		return nil, nil, refusal
	}
	a := &attachment{
		id: c.nextSub(), c: c, sub: at.Sub, cutoff: at.Cutoff, passed: at.After.Seq,
		done: make(chan struct{}), changed: make(chan struct{}),
	}
	res.Subscription = a.id
	return res, a, nil
}

func closingRefusal() *proto.Error {
	return proto.Refuse(proto.CodeUnavailable, proto.ReasonClosing, "the session is closing")
}

func startRefusal(when proto.When, at session.Attachment) *proto.Error {
	if when == proto.WhenNow || at.Err == "" {
		return nil
	}
	e := proto.Refuse(proto.CodeNotAccepting, proto.ReasonStartFailed, "the session did not start")
	e.Data.Cause = at.Err
	return e
}

func (c *conn) awaitReady(ctx context.Context) *proto.Error {
	ctx, cancel := context.WithTimeout(ctx, proto.ReadyWait)
	defer cancel()
	select {
	case <-c.srv.cfg.Session.Ready():
		return nil
	case <-ctx.Done():
		return proto.Refuse(proto.CodeUnavailable, proto.ReasonNotReady, "the session is not ready yet; attach again")
	}
}

func (c *conn) nextSub() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subs++
	return fmt.Sprintf("s-%d", c.subs)
}

// forward moves records until the subscription ends, and says how it ended.
func (a *attachment) forward(ctx context.Context) {
	defer a.end()
	if !a.sync(ctx) {
		return
	}
	records := make([]eventlog.Record, 0, forwardBatch)
	frames := make([]wire.Frame, 0, forwardBatch)
	for {
		got, err := a.sub.Next(ctx, records[:0])
		if err != nil {
			a.reset(err)
			return
		}
		frames = frames[:0]
		for _, r := range got {
			frames = append(frames, wire.Event(a.id, r.Seq, r.Body))
			if r.Seq == a.cutoff && !a.synced {
				a.synced = true
				frames = append(frames, a.note(proto.NoteSynchronized, proto.SyncedNote{Subscription: a.id, Seq: r.Seq}))
			}
		}
		if a.c.wire.SendAll(ctx, frames) != nil {
			return
		}
		a.advance(got[len(got)-1].Seq)
	}
}

// sync says at once that an attachment which starts at its cutoff is there.
func (a *attachment) sync(ctx context.Context) bool {
	if a.passed < a.cutoff {
		return true
	}
	a.synced = true
	f := a.note(proto.NoteSynchronized, proto.SyncedNote{Subscription: a.id, Seq: a.cutoff})
	return a.c.wire.Send(ctx, f) == nil
}

func (a *attachment) note(m proto.Method, params any) wire.Frame {
	body, err := wire.Encode(params)
	if err != nil { // the notes are plain structs of strings and numbers
		panic(fmt.Sprintf("control: encode %s: %v", m, err))
	}
	return wire.Line(wire.AppendNote(nil, m, body))
}

// reset tells the client why its stream ended, unless it asked for the end.
func (a *attachment) reset(err error) {
	reason := proto.ResetReason("")
	switch {
	case errors.Is(err, eventlog.ErrSlow):
		reason = proto.ResetSlow
	case errors.Is(err, eventlog.ErrOmitted):
		reason = proto.ResetOmitted
	case errors.Is(err, eventlog.ErrEnded) && !a.detached():
		reason = proto.ResetClosed
	}
	if reason == "" {
		return
	}
	if a.c.wire.SendFinal(a.note(proto.NoteReset, proto.ResetNote{Subscription: a.id, Reason: reason})) != nil {
		a.c.wire.Close() // a client that cannot be told must not wait for more
	}
	if reason == proto.ResetClosed {
		a.c.wire.Finish()
	}
}

func (a *attachment) detached() bool {
	a.c.mu.Lock()
	defer a.c.mu.Unlock()
	return a.c.att != a
}

// end frees the connection's place and everyone who waits for this stream.
func (a *attachment) end() {
	a.cancel()
	a.sub.Close()
	a.c.mu.Lock()
	if a.c.att == a {
		a.c.att = nil
	}
	a.c.mu.Unlock()
	close(a.done)
}

func (a *attachment) advance(seq uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.passed = seq
	close(a.changed)
	a.changed = make(chan struct{})
}

// await waits until every record up to seq has been handed to the outbox, or
// the attachment has ended.
func (a *attachment) await(ctx context.Context, seq uint64) {
	for {
		a.mu.Lock()
		passed, changed := a.passed, a.changed
		a.mu.Unlock()
		if passed >= seq {
			return
		}
		select {
		case <-changed:
		case <-a.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

// barrier waits until this connection's attachment, if it has one, has been
// handed every record up to seq.
func (c *conn) barrier(ctx context.Context, seq uint64) {
	c.mu.Lock()
	a := c.att
	c.mu.Unlock()
	if a != nil {
		a.await(ctx, seq)
	}
}

// oweReady tells an attachment made before readiness how the start ended,
// once the stream has passed it.
func (a *attachment) oweReady(ctx context.Context) {
	select {
	case <-a.c.srv.cfg.Session.Ready():
	case <-a.done:
		return
	}
	at, err := a.c.srv.cfg.Session.State(ctx)
	if err != nil || at.Activity == proto.ActClosing {
		return // the stream ends with session_closed, and no ready is owed
	}
	info, err := a.c.srv.cfg.Session.Info(ctx)
	if err != nil {
		return
	}
	a.await(ctx, at.Seq)
	n := proto.ReadyNote{Subscription: a.id, Session: info, StartFailed: at.StartFailed}
	if at.StartFailed {
		n.Err = at.Err
	}
	select {
	case <-a.done: // reset first: the ready is dropped with it
	default:
		if a.c.wire.Send(ctx, a.note(proto.NoteReady, n)) != nil {
			return
		}
	}
}

// handleDetach ends an attachment at the client's wish.
func handleDetach(ctx context.Context, c *conn, req wire.Request) (any, *proto.Error) {
	p, refusal := decodeNamed(c, req, func(p *proto.DetachParams) string { return p.SessionID })
	if refusal != nil {
		return nil, refusal
	}
	c.mu.Lock()
	a := c.att
	if a != nil && a.id == p.Subscription {
		c.att, c.claimed = nil, true // the place is free once the forwarder has ended
	} else {
		a = nil
	}
	c.mu.Unlock()
	if a == nil {
		return nil, proto.Refuse(proto.CodeBadRequest, proto.ReasonBadRequest, "no such subscription on this connection")
	}
	a.cancel()
	select {
	case <-a.done:
	case <-ctx.Done():
	}
	c.unclaim()
	return proto.Empty{}, nil
}
