package wire

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"craze/shared/proto"
)

// ConnConfig is a connection's limits; a zero member is the protocol's.
type ConnConfig struct {
	MaxLine  int           // bytes of one line read; 0 is proto.InboundLineMax
	MaxQueue int           // bytes waiting to be written; 0 is proto.WriterQueueBytes
	Stall    time.Duration // a write that takes longer ends the connection; 0 is proto.WriteStall
}

// writeBatch is how much one write(2) carries when lines wait.
const writeBatch = 64 << 10

// Conn is one connection: lines in, lines out. ReadLine has one caller at a
// time; everything else may be called from any goroutine.
type Conn struct {
	rwc   io.ReadWriteCloser
	lines *LineReader
	out   *outbox
	stall time.Duration
	once  sync.Once
	wrote chan struct{} // closed when the writer has ended
}

// NewConn takes over rwc and starts its writer, which ends at Close, at a
// write that fails, or once Finish's last line is out. Wait waits for it.
func NewConn(rwc io.ReadWriteCloser, cfg ConnConfig) *Conn {
	if cfg.MaxLine == 0 {
		cfg.MaxLine = proto.InboundLineMax
	}
	if cfg.MaxQueue == 0 {
		cfg.MaxQueue = proto.WriterQueueBytes
	}
	if cfg.Stall == 0 {
		cfg.Stall = proto.WriteStall
	}
	c := &Conn{
		rwc: rwc, lines: NewLineReader(rwc, cfg.MaxLine), stall: cfg.Stall,
		out: newOutbox(cfg.MaxQueue - proto.WriterQueueReserved), wrote: make(chan struct{}),
	}
	go c.write()
	return c
}

// ReadLine gives the next line, as LineReader.Next does.
func (c *Conn) ReadLine() ([]byte, error) { return c.lines.Next() }

// Buffered gives what was read ahead of the last line.
func (c *Conn) Buffered() []byte { return c.lines.Buffered() }

// TrySend queues a frame if there is room. It reports whether it did; false
// with a nil error means the outbox is full.
func (c *Conn) TrySend(f Frame) (bool, error) {
	full, err := c.out.add(f, c.out.limit)
	return full == nil && err == nil, err
}

// Send queues a frame, waiting for room until ctx ends.
func (c *Conn) Send(ctx context.Context, f Frame) error {
	for {
		full, err := c.out.add(f, c.out.limit)
		if full == nil {
			return err
		}
		select {
		case <-full:
		case <-c.wrote:
			return ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// SendAll queues frames in order, as many at a time as there is room for,
// waiting for more until ctx ends.
func (c *Conn) SendAll(ctx context.Context, frames []Frame) error {
	for len(frames) > 0 {
		n, full, err := c.out.addSome(frames)
		if err != nil {
			return err
		}
		if frames = frames[n:]; len(frames) == 0 {
			return nil
		}
		select {
		case <-full:
		case <-c.wrote:
			return ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// SendFinal queues a short frame in the room kept for one.
func (c *Conn) SendFinal(f Frame) error {
	full, err := c.out.add(f, c.out.limit+proto.WriterQueueReserved)
	if full != nil {
		return ErrClosed
	}
	return err
}

// Queued is how many bytes wait to be written.
func (c *Conn) Queued() int { return c.out.queued() }

// Finish refuses more frames and closes the connection once those queued are
// written. It does not wait.
func (c *Conn) Finish() { c.out.end() }

// Close closes the connection at once; what is queued is lost. It is safe to
// call again.
func (c *Conn) Close() error {
	var err error
	c.once.Do(func() { err = c.rwc.Close() })
	drop(c.out.kill())
	return err
}

// Wait waits until the writer has ended.
func (c *Conn) Wait() { <-c.wrote }

// Done is closed when the writer has ended.
func (c *Conn) Done() <-chan struct{} { return c.wrote }

// write is the one writer.
func (c *Conn) write() {
	defer close(c.wrote)
	defer c.Close()
	var frames []Frame
	buf := make([]byte, 0, 4<<10)
	for range c.out.wake {
		for {
			var last bool
			frames, last = c.out.take(frames[:0], writeBatch)
			if len(frames) == 0 && !last {
				break
			}
			var err error
			if buf, err = c.writeOut(buf, frames); err != nil || last {
				return
			}
			clear(frames)
		}
	}
}

// writeOut writes frames in one go and gives their room back.
func (c *Conn) writeOut(buf []byte, frames []Frame) ([]byte, error) {
	size := 0
	buf = buf[:0]
	for _, f := range frames {
		buf = f.AppendTo(buf)
		size += f.Size()
	}
	if d, ok := c.rwc.(interface{ SetWriteDeadline(time.Time) error }); ok {
		if err := d.SetWriteDeadline(time.Now().Add(c.stall)); err != nil && !errors.Is(err, io.ErrClosedPipe) {
			drop(frames)
			return buf, err
		}
	}
	_, err := c.rwc.Write(buf)
	drop(frames)
	c.out.freed(size)
	if cap(buf) > keepLine {
		buf = nil
	}
	return buf, err
}

// drop tells each frame's owner that it is done with.
func drop(frames []Frame) {
	for _, f := range frames {
		if f.done != nil {
			f.done()
		}
	}
}
