package acp

import (
	"os"
	"sync"
	"time"
)

// outbox is the bounded queue of lines for the agent, and its one writer.
type outbox struct {
	w      *os.File
	stall  time.Duration
	failed func(error) // told once of a write that failed
	wake   chan struct{}

	mu     sync.Mutex
	queue  [][]byte
	bytes  int
	ending bool // no more lines; what is queued is still written
	dead   bool // nothing more is written
}

func newOutbox(w *os.File, stall time.Duration, failed func(error)) *outbox {
	return &outbox{w: w, stall: stall, failed: failed, wake: make(chan struct{}, 1)}
}

// add queues one line, newline included. It never waits.
func (o *outbox) add(line []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.ending || o.dead:
		return ErrGone
	case len(line) > writeMax:
		return ErrTooLong
	case len(o.queue) >= outboxItems || o.bytes+len(line) > outboxBytes:
		return ErrFull
	}
	o.queue = append(o.queue, line)
	o.bytes += len(line)
	o.signal()
	return nil
}

// finish refuses more lines; the writer closes the pipe after the last.
func (o *outbox) finish() { o.stop(&o.ending) }

// kill drops what is queued.
func (o *outbox) kill() { o.stop(&o.dead) }

func (o *outbox) stop(flag *bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	*flag = true
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default: // a wake already waits
	}
}

// take gives the first queued line, which counts until done. last says that
// none will come.
func (o *outbox) take() (line []byte, last bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dead {
		o.queue = nil
		return nil, true
	}
	if len(o.queue) == 0 {
		return nil, o.ending
	}
	line = o.queue[0]
	o.queue[0] = nil
	o.queue = o.queue[1:]
	return line, false
}

func (o *outbox) done(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bytes -= len(line)
}

// run writes until finish, kill or a write that fails, then closes the pipe.
func (o *outbox) run() {
	defer func() { _ = o.w.Close() }() // an earlier close by the process's end is fine
	for range o.wake {
		for {
			line, last := o.take()
			if last {
				return
			}
			if line == nil {
				break
			}
			if err := o.write(line); err != nil {
				o.kill()
				o.failed(err)
				return
			}
			o.done(line)
		}
	}
}

func (o *outbox) write(line []byte) error {
	if err := o.w.SetWriteDeadline(time.Now().Add(o.stall)); err != nil {
		return err
	}
	_, err := o.w.Write(line)
	return err
}
