package client

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/go-json-experiment/json"

	"craze/shared/proto"
	"craze/shared/wire"
)

const (
	// QueueBytes is how much memory a stream's unread notifications may take
	// before the socket is left alone. One past it alone still goes in.
	QueueBytes = 32 << 20
	// noteCost is what a notification takes beside its bytes: its place in the
	// queue and a decoded event without its strings.
	noteCost = 640
	// keepNotes is the queue's capacity kept between two bursts.
	keepNotes = 4 << 10
	// takeMost is how many are handed over at a time: enough to make the
	// handing over cheap, few enough that room is given back soon.
	takeMost = 256
)

// note is one notification of a subscription.
type note struct {
	sub    string
	seq    uint64            // an event's
	item   Item              // nil for an event that cannot be decoded, and where the rest says more
	reset  proto.ResetReason // "" unless it is a reset
	behind bool              // events from here on were thrown away
	bytes  int               // as it was read
}

// cost is what a note takes while it waits: its bytes, what was decoded from
// them, and itself.
func (n *note) cost() int { return 2*n.bytes + noteCost }

// parseNote reads a notification. It reports whether it is one that a stream
// wants.
func parseNote(msg wire.Message) (note, bool) {
	n := note{bytes: len(msg.Params)}
	var err error
	switch msg.Method {
	case proto.NoteEvent:
		var p proto.EventNote
		err = json.Unmarshal(msg.Params, &p)
		n.sub, n.seq, n.item = p.Subscription, p.Seq, decodeItem(p.Seq, p.Event)
	case proto.NoteSynchronized:
		var p proto.SyncedNote
		err = json.Unmarshal(msg.Params, &p)
		n.sub, n.item = p.Subscription, Synced{p.Seq}
	case proto.NoteReady:
		var p proto.ReadyNote
		err = json.Unmarshal(msg.Params, &p)
		n.sub, n.item = p.Subscription, Ready{p.Session, p.StartFailed, p.Err}
	case proto.NoteReset:
		var p proto.ResetNote
		err = json.Unmarshal(msg.Params, &p)
		n.sub, n.reset = p.Subscription, p.Reason
	default:
		return n, false
	}
	return n, err == nil && n.sub != ""
}

// decodeItem is nil for a body that is no event.
func decodeItem(seq uint64, body []byte) Item {
	ev, err := proto.DecodeEvent(body)
	if err != nil {
		return nil
	}
	return Event{Seq: seq, Event: ev, Body: body}
}

// notes is the queue between the reader and the stream, bounded in bytes.
type notes struct {
	more chan struct{} // 1-buffered: something to read
	room chan struct{} // 1-buffered: something was read

	mu       sync.Mutex
	limit    int // QueueBytes
	queue    []note
	head     int // queue[:head] has been taken
	size     int // cost of what is queued and of what was taken last
	taken    int // the latter
	dropping bool
	ended    bool // the connection is lost: no more will come
	gone     bool // the connection was closed by us: no one will read
}

func newNotes() *notes {
	return &notes{limit: QueueBytes, more: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

func poke(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default: // it is awake already
	}
}

var errUnread = errors.New("nobody reads any more")

// add queues a note, waiting for room. It fails once there will be no reader.
// Where a reply is awaited it does not wait, since whoever awaits it may be the
// one who would read: the stream falls behind instead, and goes on from its
// cursor.
func (q *notes) add(n note, awaited func() bool) error {
	for {
		done, err := q.tryAdd(&n)
		if done || err != nil {
			return err
		}
		if awaited() {
			q.fallBehind(n.sub)
			return nil
		}
		<-q.room
	}
}

// wake makes a waiting add look again.
func (q *notes) wake() { poke(q.room) }

func (q *notes) fallBehind(sub string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queue = append(q.queue, note{sub: sub, behind: true})
	q.size += noteCost
	q.dropping = true
	poke(q.more)
}

func (q *notes) tryAdd(n *note) (bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.gone:
		return false, errUnread
	case q.dropping:
		return true, nil
	case q.size > 0 && q.size+n.cost() > q.limit:
		return false, nil
	}
	q.queue = append(q.queue, *n)
	q.size += n.cost()
	poke(q.more)
	return true, nil
}

// take moves what is queued into into, waiting for the first, and gives back
// the room of what was taken before. io.EOF is the lost connection, after
// everything that came before it.
func (q *notes) take(ctx context.Context, into []note) ([]note, error) {
	for {
		got, ended := q.tryTake(into[:0])
		if len(got) > 0 {
			return got, nil
		}
		if ended {
			return got, io.EOF
		}
		select {
		case <-q.more:
		case <-ctx.Done():
			return got, ctx.Err()
		}
	}
}

func (q *notes) tryTake(into []note) (got []note, ended bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.size -= q.taken
	q.taken = 0
	n := min(len(q.queue)-q.head, takeMost)
	part := q.queue[q.head : q.head+n]
	for i := range part {
		q.taken += part[i].cost()
	}
	into = append(into, part...)
	clear(part)
	q.head += n
	if q.head == len(q.queue) {
		q.queue, q.head = q.queue[:0], 0
		if cap(q.queue) > keepNotes {
			q.queue = nil
		}
	} else if q.head > len(q.queue)/2 {
		rest := copy(q.queue, q.queue[q.head:])
		clear(q.queue[rest:])
		q.queue, q.head = q.queue[:rest], 0
	}
	poke(q.room)
	return into, q.ended || q.gone
}

// drop throws away what is queued and what comes, until keep: the attachment
// it is of is being given up, and its events must not stop the reply that says
// so.
func (q *notes) drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queue, q.head, q.size, q.taken, q.dropping = nil, 0, 0, 0, true
	poke(q.room)
}

// keep ends drop.
func (q *notes) keep() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dropping = false
}

// end says no more will come.
func (q *notes) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	poke(q.more)
}

// close says no one reads any more.
func (q *notes) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.gone = true
	poke(q.room)
	poke(q.more)
}
