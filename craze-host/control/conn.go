package control

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"craze/shared/proto"
	"craze/shared/sock"
	"craze/shared/wire"
)

// conn is one connection. Its reader is the goroutine of serve; each request
// but hello is answered by a goroutine of its own, at most
// proto.RequestsPerConn of them.
type conn struct {
	srv     *Server
	rwc     io.ReadWriteCloser
	wire    *wire.Conn
	slots   chan struct{}  // a token per request admitted and not yet answered
	calls   sync.WaitGroup // requests being answered
	streams sync.WaitGroup // the attachment's goroutines
	client  *client        // set by hello, before any other request is admitted

	mu       sync.Mutex
	att      *attachment // the one that has not ended, or nil
	claimed  bool        // an attach is being made
	halfShut bool        // the peer sends no more
	subs     int
}

func newConn(s *Server, rwc io.ReadWriteCloser) *conn {
	return &conn{
		srv: s, rwc: rwc, wire: wire.NewConn(rwc, wire.ConnConfig{}),
		slots: make(chan struct{}, proto.RequestsPerConn),
	}
}

// serve reads until the peer sends no more, then sees the connection out.
func (c *conn) serve() {
	ctx, cancel := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, func() { c.wire.Close() })
	defer stop()
	go func() { // ends with the writer; a connection that cannot be written to is over
		<-c.wire.Done()
		cancel()
	}()
	for c.read(ctx) {
	}
	c.seeOut(ctx)
	cancel()
	c.calls.Wait()
	c.streams.Wait()
	c.wire.Close()
	c.wire.Wait()
}

// read admits one line. It reports whether there may be another.
func (c *conn) read(ctx context.Context) bool {
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	line, err := c.wire.ReadLine()
	switch {
	case errors.Is(err, wire.ErrLineTooLong):
		c.send(wire.AppendError(nil, nil, wire.LineTooLong()))
		return true
	case err != nil:
		<-c.slots
		return false
	case len(line) == 0: // a blank line asks nothing
		<-c.slots
		return true
	}
	req, refusal := wire.ParseRequest(line)
	if refusal != nil {
		c.send(wire.AppendError(nil, req.ID, refusal))
		return true
	}
	c.dispatch(ctx, req)
	return true
}

// goneCheck is how often a half-closed connection is asked whether its peer is
// still there to read.
const goneCheck = time.Second

// seeOut answers what was admitted and, for a peer that only half-closed,
// goes on with its attachment until that ends or the peer has gone.
func (c *conn) seeOut(ctx context.Context) {
	c.mu.Lock()
	c.halfShut = true
	att := c.att
	c.mu.Unlock()
	answered := make(chan struct{})
	go func() { // ends when every call has answered, which ctx makes them
		c.calls.Wait()
		close(answered)
	}()
	tick := time.NewTicker(goneCheck)
	defer tick.Stop()
	ended := attachedDone(att, c.rwc)
	for answered != nil || ended != nil {
		select {
		case <-answered:
			answered = nil
		case <-ended:
			ended = nil
		case <-ctx.Done():
			return
		case <-tick.C:
			if sock.PeerGone(c.rwc) {
				return
			}
		}
	}
	c.wire.Finish()
	select {
	case <-c.wire.Done():
	case <-ctx.Done():
	}
}

// attachedDone is what a half-closed connection still waits for: its
// attachment's end. A kind of connection that has no halves has gone.
func attachedDone(att *attachment, rwc io.ReadWriteCloser) <-chan struct{} {
	if _, halves := rwc.(interface{ CloseWrite() error }); att == nil || !halves {
		return nil
	}
	return att.done
}

// finish lets the connection end once nothing is owed on it: an attached one
// ends with its stream.
func (c *conn) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.att == nil && !c.claimed {
		c.wire.Finish()
	}
}

func (c *conn) attached() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return (c.att != nil || c.claimed) && !c.halfShut
}

// send queues the answer to a request, whose slot is free once it is written.
func (c *conn) send(line []byte) {
	f := wire.Line(line).WithDone(func() { <-c.slots })
	if ok, err := c.wire.TrySend(f); ok || err != nil {
		if err != nil {
			<-c.slots
		}
		return
	}
	// The outbox is full of events: this request's own goroutine waits, and
	// its slot with it.
	if err := c.wire.Send(context.Background(), f); err != nil {
		<-c.slots
	}
}

// reply answers a request with a result or a refusal.
func (c *conn) reply(id jsontext.Value, result any, refusal *proto.Error) {
	if refusal != nil {
		c.send(wire.AppendError(nil, id, refusal))
		return
	}
	body, err := wire.Encode(result)
	if err != nil {
		c.send(wire.AppendError(nil, id, proto.Refuse(proto.CodeFailed, proto.ReasonFailed, "the answer could not be encoded")))
		return
	}
	line := wire.AppendResult(nil, id, body)
	if len(line)-1 > proto.OutboundLineMax {
		line = wire.AppendError(nil, id, proto.Refuse(proto.CodeFailed, proto.ReasonResponseTooLarge,
			"the answer is over %d bytes", proto.OutboundLineMax))
	}
	c.send(line)
}
