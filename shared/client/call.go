package client

import (
	"context"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"

	"craze/shared/proto"
	"craze/shared/wire"
)

// Call sends one request and decodes its result into result, which may be nil.
// A refusal is a *proto.Error; a lost connection is ErrDisconnected, and a
// context that ended first ErrNoAnswer. Either way the call may have been
// carried out.
func (c *Conn) Call(ctx context.Context, m proto.Method, params, result any) error {
	enc, err := wire.Encode(params)
	if err != nil {
		return err
	}
	r, err := c.start(ctx, m, enc)
	if err != nil {
		return err
	}
	defer r.forget()
	return r.wait(ctx, result)
}

// Command makes a mutating call under the connection's next command id, which
// params is given.
func (c *Conn) Command(ctx context.Context, m proto.Method, params func(commandID string) any, result any) error {
	c.mu.Lock()
	c.command++
	id := commandID(c.command)
	c.mu.Unlock()
	return c.Call(ctx, m, params(id), result)
}

func commandID(n uint64) string { return strconv.FormatUint(n, 10) }

// request is a call that was sent. Its wait may be given up and taken up
// again until forget.
type request struct {
	c      *Conn
	id     uint64
	method proto.Method
	out    chan wire.Message // one message, or closed when the connection is lost
}

// start sends a request. After an error nothing was sent, and nothing will be.
func (c *Conn) start(ctx context.Context, m proto.Method, params []byte) (*request, error) {
	r := &request{c: c, method: m, out: make(chan wire.Message, 1)}
	if !c.begin(r) {
		return nil, c.lostError()
	}
	line := wire.AppendRequest(nil, r.id, m, params)
	if len(line)-1 > c.lineMax() {
		r.forget()
		return nil, wire.LineTooLong() // its answer would name no id
	}
	if err := c.wire.Send(ctx, wire.Line(line)); err != nil {
		r.forget()
		if ctx.Err() != nil {
			return nil, unanswered{ctx.Err()}
		}
		return nil, c.lostError()
	}
	return r, nil
}

// lineMax is the longest line the endpoint takes, in bytes.
func (c *Conn) lineMax() int {
	if n := c.hello.Limits.InboundLine; n > 0 {
		return n
	}
	return proto.InboundLineMax
}

// wait gives the answer. An answer that has come is preferred to a context
// that has ended.
func (r *request) wait(ctx context.Context, result any) error {
	select {
	case msg, ok := <-r.out:
		return r.settle(msg, ok, result)
	case <-ctx.Done():
	}
	select {
	case msg, ok := <-r.out:
		return r.settle(msg, ok, result)
	default:
		return unanswered{ctx.Err()}
	}
}

func (r *request) settle(msg wire.Message, ok bool, result any) error {
	switch {
	case !ok:
		return r.c.lostError()
	case msg.Err != nil:
		return msg.Err
	case result == nil:
		return nil
	}
	if err := json.Unmarshal(msg.Result, result); err != nil {
		return fmt.Errorf("%s: the answer cannot be read: %w", r.method, err)
	}
	return nil
}

// begin names a request and expects its answer. It reports whether the
// connection still has one to give.
func (c *Conn) begin(r *request) bool {
	defer c.notes.wake() // the reader must not wait for one who waits for it
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		return false
	}
	c.next++
	r.id = c.next
	c.calls[r.id] = r.out
	return true
}

// forget lets the answer go by.
func (r *request) forget() {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	delete(r.c.calls, r.id)
}

// answer hands a reply to its call. One to nothing of ours is passed over: it
// may be of a call that was given up.
func (c *Conn) answer(msg wire.Message) {
	id, err := strconv.ParseUint(string(msg.ID), 10, 64)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if out, ok := c.calls[id]; ok {
		out <- msg // buffered for one, and the entry goes with it
		delete(c.calls, id)
	}
}
