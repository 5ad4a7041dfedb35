package client

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"sync"

	"craze/shared/proto"
)

// note is one notification: an event with its place, or any other's params.
type note struct {
	method proto.Method
	sub    string
	seq    uint64
	params []byte // an event's body, or the params
}

// notes is the queue between the reader and the stream, bounded in bytes.
type notes struct {
	mu    sync.Mutex
	queue []note
	bytes int
	ended bool          // the connection is lost: no more will come
	gone  bool          // the connection was closed by us: no one will read
	more  chan struct{} // 1-buffered: something to read
	room  chan struct{} // 1-buffered: something was read
}

func newNotes() *notes {
	return &notes{more: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

func poke(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default: // it is awake already
	}
}

// add queues a note, waiting for room. It reports whether there will be a
// reader.
func (q *notes) add(n note) bool {
	for {
		q.mu.Lock()
		if q.gone {
			q.mu.Unlock()
			return false
		}
		if q.bytes == 0 || q.bytes+len(n.params) <= QueueBytes {
			q.queue = append(q.queue, n)
			q.bytes += len(n.params)
			q.mu.Unlock()
			poke(q.more)
			return true
		}
		q.mu.Unlock()
		<-q.room
	}
}

// next takes everything queued, waiting for the first. io.EOF is the lost
// connection, after everything that came before it.
func (q *notes) next(ctx context.Context) ([]note, error) {
	for {
		q.mu.Lock()
		got, ended := q.queue, q.ended || q.gone
		q.queue, q.bytes = nil, 0
		q.mu.Unlock()
		if len(got) > 0 {
			poke(q.room)
			return got, nil
		}
		if ended {
			return nil, io.EOF
		}
		select {
		case <-q.more:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// end says no more will come.
func (q *notes) end() {
	q.mu.Lock()
	q.ended = true
	q.mu.Unlock()
	poke(q.more)
}

// close says no one reads any more.
func (q *notes) close() {
	q.mu.Lock()
	q.gone = true
	q.mu.Unlock()
	poke(q.room)
	poke(q.more)
}

// The shape in which a host of this build writes an event line.
var (
	eventHead = []byte(`{"jsonrpc":"2.0","method":"event","params":{"subscription":"`)
	eventSeq  = []byte(`","seq":`)
	eventBody = []byte(`,"event":`)
	eventTail = []byte(`}}`)
)

// parseEvent reads an event line of the shape this build's hosts write,
// without decoding it. Any other line is left to the decoder: false. A body
// that is not JSON is found when it is decoded.
func parseEvent(line []byte) (note, bool) {
	rest, ok := bytes.CutPrefix(line, eventHead)
	if !ok {
		return note{}, false
	}
	sub, rest, ok := bytes.Cut(rest, eventSeq)
	if !ok || !plainID(sub) {
		return note{}, false
	}
	digits, rest, ok := bytes.Cut(rest, eventBody)
	if !ok {
		return note{}, false
	}
	seq, err := strconv.ParseUint(string(digits), 10, 64)
	body, ok := bytes.CutSuffix(rest, eventTail)
	if err != nil || !ok || len(body) < 2 || body[0] != '{' || body[len(body)-1] != '}' {
		return note{}, false
	}
	return note{method: proto.NoteEvent, sub: string(sub), seq: seq, params: bytes.Clone(body)}, true
}

// plainID reports whether an id needs no unescaping.
func plainID(id []byte) bool {
	for _, b := range id {
		if b < ' ' || b == '"' || b == '\\' || b >= 0x7f {
			return false
		}
	}
	return len(id) > 0
}
