package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"craze/shared/proto"
	"craze/shared/sock"
	"craze/shared/wire"
)

const (
	// QueueBytes is how much of a stream may wait unread before the socket is
	// left alone: one largest snapshot and the events behind it.
	QueueBytes = 32 << 20
	// lineSlack is read beyond the protocol's limit for an endpoint's line, so
	// that a limit raised a little is not a lost connection.
	lineSlack = 1 << 20
	// helloRetry is how often a host that is not serving yet is asked again.
	helloRetry = 50 * time.Millisecond
	// helloWait bounds all of those.
	helloWait = 10 * time.Second
)

// Refusals a client gives itself, for errors.Is.
var (
	ErrDisconnected = &proto.Error{Message: "the connection was lost", Data: proto.ErrorData{Code: proto.CodeDisconnected}}
	ErrResumeLost   = &proto.Error{
		Message: "the connection was lost before the answer came, and the command may have run: look at the session",
		Data:    proto.ErrorData{Code: proto.CodeResumeLost},
	}
)

// Dial makes a connection whose peer has been checked.
type Dial func(context.Context) (net.Conn, error)

// Socket dials a socket's path.
func Socket(path string) Dial {
	return func(ctx context.Context) (net.Conn, error) { return sock.Dial(ctx, path) }
}

// Config says who speaks and to what.
type Config struct {
	Dial    Dial
	Kind    string             // the client's kind: "cli", "tui", "hub"; "" is "client"
	Version string             // the client's craze version
	Want    proto.EndpointKind // refuse any other; "" takes either
}

// Conn is one connection that has said hello. Its methods are safe for any
// goroutine.
type Conn struct {
	wire  *wire.Conn
	raw   net.Conn
	hello proto.HelloResult
	notes *notes
	done  chan struct{} // closed when the reader has ended

	mu      sync.Mutex
	next    uint64
	command uint64
	calls   map[uint64]chan wire.Message // nil once the connection is lost
}

// Connect dials and says hello.
func Connect(ctx context.Context, cfg Config) (*Conn, error) {
	return connect(ctx, cfg, nil)
}

func connect(ctx context.Context, cfg Config, resume *proto.Resume) (*Conn, error) {
	raw, err := cfg.Dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	c := open(raw)
	if err := c.sayHello(ctx, cfg, resume); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func open(raw net.Conn) *Conn {
	c := &Conn{
		raw: raw, wire: wire.NewConn(raw, wire.ConnConfig{MaxLine: proto.OutboundLineMax + lineSlack}),
		notes: newNotes(), done: make(chan struct{}), calls: map[uint64]chan wire.Message{},
	}
	go c.read() // ends with the connection; Close waits for it
	return c
}

func (c *Conn) sayHello(ctx context.Context, cfg Config, resume *proto.Resume) error {
	kind := cfg.Kind
	if kind == "" {
		kind = "client"
	}
	p := proto.HelloParams{
		Protocols: []int{proto.Version}, Client: proto.ClientInfo{Kind: kind, Version: cfg.Version}, Resume: resume,
	}
	ctx, cancel := context.WithTimeout(ctx, helloWait)
	defer cancel()
	for {
		err := c.Call(ctx, proto.MethodHello, p, &c.hello)
		if !errors.Is(err, proto.Refuse(proto.CodeUnavailable, proto.ReasonNotReady, "")) {
			if err == nil && cfg.Want != "" && c.hello.Endpoint.Kind != cfg.Want {
				return fmt.Errorf("hello: a %s answered where a %s was expected", c.hello.Endpoint.Kind, cfg.Want)
			}
			return wrap("hello", err)
		}
		t := time.NewTimer(helloRetry)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return wrap("hello", err)
		}
	}
}

func wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", op, err)
}

// Hello is what the endpoint said of itself.
func (c *Conn) Hello() proto.HelloResult { return c.hello }

// Done is closed when the connection is lost or closed.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Close closes the connection and waits for its goroutines. Calls in flight
// end with ErrDisconnected.
func (c *Conn) Close() error {
	err := c.wire.Close()
	c.notes.close()
	c.wire.Wait()
	<-c.done
	return err
}

// Call sends one request and decodes its result into result, which may be nil.
// A refusal is a *proto.Error; a lost connection is ErrDisconnected.
func (c *Conn) Call(ctx context.Context, m proto.Method, params, result any) error {
	enc, err := wire.Encode(params)
	if err != nil {
		return err
	}
	return c.call(ctx, m, enc, result)
}

func (c *Conn) call(ctx context.Context, m proto.Method, params []byte, result any) error {
	out := make(chan wire.Message, 1)
	id, ok := c.begin(out)
	if !ok {
		return ErrDisconnected
	}
	defer c.forget(id)
	if err := c.wire.Send(ctx, wire.Line(wire.AppendRequest(nil, id, m, params))); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return ErrDisconnected
	}
	select {
	case msg, open := <-out:
		if !open {
			return ErrDisconnected
		}
		return decode(m, msg, result)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func decode(m proto.Method, msg wire.Message, result any) error {
	if msg.Err != nil {
		return msg.Err
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(msg.Result, result); err != nil {
		return fmt.Errorf("%s: the answer cannot be read: %w", m, err)
	}
	return nil
}

func (c *Conn) begin(out chan wire.Message) (uint64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		return 0, false
	}
	c.next++
	c.calls[c.next] = out
	return c.next, true
}

func (c *Conn) forget(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, id)
}

// read matches replies and queues notifications until the connection ends.
func (c *Conn) read() {
	defer close(c.done)
	defer c.lost()
	for {
		line, err := c.wire.ReadLine()
		if errors.Is(err, wire.ErrLineTooLong) {
			return // what it said cannot be known, so nothing behind it can
		}
		if err != nil {
			return
		}
		if n, ok := parseEvent(line); ok {
			if !c.notes.add(n) {
				return
			}
			continue
		}
		msg, err := wire.ParseMessage(line)
		if err != nil {
			return
		}
		if msg.Method != "" {
			if !c.notes.add(note{method: msg.Method, params: msg.Params}) {
				return
			}
			continue
		}
		c.answer(msg)
	}
}

func (c *Conn) answer(msg wire.Message) {
	id, err := strconv.ParseUint(string(msg.ID), 10, 64)
	if err != nil {
		return // a reply to nothing of ours
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if out, ok := c.calls[id]; ok {
		out <- msg // buffered for one, and the endpoint answers once
		delete(c.calls, id)
	}
}

// lost ends every call in flight.
func (c *Conn) lost() {
	// The connection is of no more use; its writer ends with it.
	_ = c.wire.Close()
	c.notes.end()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, out := range c.calls {
		close(out)
	}
	c.calls = nil
}

// Commands are counted from 1 by the client id, which outlives a connection.
func (c *Conn) nextCommand() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.command++
	return strconv.FormatUint(c.command, 10)
}

var _ io.Closer = (*Conn)(nil)
