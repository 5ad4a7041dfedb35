package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"craze/shared/proto"
	"craze/shared/sock"
	"craze/shared/wire"
)

// lineSlack is read beyond the protocol's limit for an endpoint's line, so
// that a limit raised a little is not a lost connection.
const lineSlack = 1 << 20

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
	Name    string             // the client's name, for a person; free text
	Version string             // the client's craze version
	Want    proto.EndpointKind // refuse any other; "" takes either
}

// Conn is one connection that has said hello. Its methods are safe for any
// goroutine.
type Conn struct {
	wire  *wire.Conn
	hello proto.HelloResult // does not change once the Conn is handed out
	notes *notes
	done  chan struct{} // closed when the reader has ended

	mu      sync.Mutex
	next    uint64 // the last request id
	command uint64 // the last command id
	calls   map[uint64]chan wire.Message
	cause   error // why the connection was lost; set with calls made nil
}

// Connect dials and says hello. Where nobody listens, or whoever does is on its
// way out, the error is sock.ErrNobody.
func Connect(ctx context.Context, cfg Config) (*Conn, error) { return connect(ctx, cfg, nil) }

func connect(ctx context.Context, cfg Config, resume *proto.Resume) (*Conn, error) {
	raw, err := cfg.Dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	c := open(raw)
	err = c.sayHello(ctx, cfg, resume)
	if err == nil {
		return c, nil
	}
	_ = c.Close() // it is given up for the error that is returned
	if errors.Is(err, errClosing) {
		err = fmt.Errorf("%w: %w", sock.ErrNobody, err)
	}
	return nil, err
}

func open(raw io.ReadWriteCloser) *Conn {
	c := &Conn{
		wire:  wire.NewConn(raw, wire.ConnConfig{MaxLine: proto.OutboundLineMax + lineSlack}),
		notes: newNotes(), done: make(chan struct{}), calls: map[uint64]chan wire.Message{},
	}
	go c.read() // ends with the connection; Close waits for it
	return c
}

// Hello is what the endpoint said of itself.
func (c *Conn) Hello() proto.HelloResult { return c.hello }

// Done is closed when the connection is lost or closed.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Close closes the connection and waits for its goroutines. Calls in flight
// end with ErrDisconnected. It is safe to call again.
func (c *Conn) Close() error {
	err := c.wire.Close()
	c.notes.close()
	c.wire.Wait()
	<-c.done
	return err
}

// abort ends the connection as if it had been lost. It does not wait.
func (c *Conn) abort() {
	_ = c.wire.Close() // the reader finds out and tells everyone
	c.notes.close()
}

// read matches replies and queues notifications until the connection ends.
func (c *Conn) read() {
	defer close(c.done)
	var events eventReader
	for {
		line, err := c.wire.ReadLine()
		if err == nil {
			err = c.take(&events, line)
		}
		if err != nil {
			c.lost(err)
			return
		}
	}
}

// take does what one line says. An error is of the connection: nothing behind
// a line that cannot be read can be trusted.
func (c *Conn) take(events *eventReader, line []byte) error {
	if n, ok := events.read(line); ok {
		return c.notes.add(n, c.awaited)
	}
	msg, err := wire.ParseMessage(line)
	if err != nil {
		return errUnreadable
	}
	if msg.Method == "" {
		c.answer(msg)
		return nil
	}
	if n, ok := parseNote(msg); ok {
		return c.notes.add(n, c.awaited)
	}
	return nil // a notification this build does not know
}

// awaited reports whether a reply is waited for.
func (c *Conn) awaited() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.calls) > 0
}

var errUnreadable = errors.New("a line of the other side could not be read")

// lost ends every call in flight.
func (c *Conn) lost(cause error) {
	_ = c.wire.Close() // of no more use; its writer ends with it
	c.notes.end()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, out := range c.calls {
		close(out)
	}
	c.calls, c.cause = nil, cause
}

// lostError is ErrDisconnected with what is known of the cause. The cause is
// not wrapped: io.EOF means the end of a stream to a Stream's reader.
func (c *Conn) lostError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil || errors.Is(c.cause, io.EOF) || errors.Is(c.cause, net.ErrClosed) || errors.Is(c.cause, io.ErrClosedPipe) {
		return ErrDisconnected
	}
	return fmt.Errorf("%w: %v", ErrDisconnected, c.cause)
}

var _ io.Closer = (*Conn)(nil)
