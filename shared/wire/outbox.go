package wire

import (
	"errors"
	"sync"
)

// ErrClosed says the connection takes no more lines.
var ErrClosed = errors.New("connection closed")

// outbox is the bounded queue between those who answer and the one writer.
type outbox struct {
	limit int // bytes, the reserve for a final line not counted
	wake  chan struct{}

	mu     sync.Mutex
	queue  []Frame
	head   int // queue[:head] has been taken
	bytes  int
	ending bool          // no more frames; what is queued is still written
	dead   bool          // nothing more is written
	room   chan struct{} // closed and replaced when bytes are freed
}

func newOutbox(limit int) *outbox {
	return &outbox{limit: limit, wake: make(chan struct{}, 1), room: make(chan struct{})}
}

// add queues f when it fits in limit (or the queue is empty, so that a line
// over the limit alone still goes). With no room it gives the channel that is
// closed when there may be some.
func (o *outbox) add(f Frame, limit int) (full <-chan struct{}, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ending || o.dead {
		return nil, ErrClosed
	}
	if o.bytes > 0 && o.bytes+f.Size() > limit {
		return o.room, nil
	}
	o.queue = append(o.queue, f)
	o.bytes += f.Size()
	o.signal()
	return nil, nil
}

// addSome queues as many of frames as fit. With some left over it gives the
// channel that is closed when there may be room.
func (o *outbox) addSome(frames []Frame) (n int, full <-chan struct{}, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ending || o.dead {
		return 0, nil, ErrClosed
	}
	for n < len(frames) && (o.bytes == 0 || o.bytes+frames[n].Size() <= o.limit) {
		o.bytes += frames[n].Size()
		n++
	}
	o.queue = append(o.queue, frames[:n]...)
	if n > 0 {
		o.signal()
	}
	return n, o.room, nil
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default: // a wake is already waiting
	}
}

// take removes frames of up to n bytes, at least one, into into. last says
// that none will follow.
func (o *outbox) take(into []Frame, n int) (frames []Frame, last bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	size, k := 0, o.head
	for k < len(o.queue) && (k == o.head || size+o.queue[k].Size() <= n) {
		size += o.queue[k].Size()
		k++
	}
	into = append(into, o.queue[o.head:k]...)
	clear(o.queue[o.head:k])
	o.head = k
	o.compact()
	return into, o.dead || (o.ending && len(o.queue) == 0)
}

// compact drops the taken part once it is most of the queue, so that taking
// costs a constant per frame however long the queue is.
func (o *outbox) compact() {
	if o.head <= len(o.queue)/2 {
		return
	}
	n := copy(o.queue, o.queue[o.head:])
	clear(o.queue[n:])
	o.queue, o.head = o.queue[:n], 0
	if n == 0 && cap(o.queue) > keepFrames {
		o.queue = nil
	}
}

// keepFrames is the queue's capacity kept between bursts.
const keepFrames = 1 << 12

// freed returns the bytes of written frames to the queue's room.
func (o *outbox) freed(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bytes -= n
	close(o.room)
	o.room = make(chan struct{})
}

// end refuses more frames; what is queued is still written.
func (o *outbox) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ending = true
	o.signal()
}

// kill refuses more frames and gives back what was never written.
func (o *outbox) kill() []Frame {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.dead = true
	lost := o.queue[o.head:]
	o.queue, o.head = nil, 0
	close(o.room)
	o.room = make(chan struct{})
	o.signal()
	return lost
}

func (o *outbox) queued() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes
}
