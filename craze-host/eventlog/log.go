package eventlog

import (
	"sync"

	"craze/shared/proto"
)

// The ring's size. It must hold the largest budget, and one record more.
const (
	RingItems = 2 * proto.BudgetItemsMax
	RingBytes = proto.BudgetBytesMax + proto.MaxRecordBytes
	// ringStart is the ring's first allocation; it doubles up to RingItems,
	// so that an idle session holds next to nothing.
	ringStart = 64
	// chunkBytes is one allocation for the bodies of many small records.
	chunkBytes = 32 << 10
)

// Record is one event with its place. A nil Body marks a record whose event
// was over proto.MaxRecordBytes: it has its seq and cannot be sent.
type Record struct {
	Seq  uint64
	Body []byte
	end  int64 // bytes of all records up to and with this one
}

// Log is one incarnation's stream.
type Log struct {
	incarnation string
	chunk       []byte // Append's alone: the unused rest of the last allocation

	mu    sync.Mutex
	ring  []Record // indexed by (seq-1) mod len, len a power of two
	low   uint64   // the oldest seq held; head+1 when none is
	head  uint64
	total int64 // bytes of every record ever appended
	held  int64 // bytes in the ring
	subs  map[*Sub]struct{}
	ended bool
	lag   bool // a subscription had used lagPart of its budget at the last append
}

// New makes an empty log for one incarnation.
func New(incarnation string) *Log {
	return &Log{incarnation: incarnation, ring: make([]Record, ringStart), low: 1, subs: map[*Sub]struct{}{}}
}

// Incarnation names the run this log belongs to.
func (l *Log) Incarnation() string { return l.incarnation }

// Head is the last committed seq, 0 before the first.
func (l *Log) Head() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head
}

// Append commits one event and returns its seq. It has one caller. An event
// that cannot be encoded, or is too large, takes its seq all the same and is
// omitted from every subscription.
func (l *Log) Append(ev *proto.Event) uint64 {
	body := l.encode(ev)
	l.mu.Lock()
	defer l.mu.Unlock()
	if int(l.head-l.low+1) == len(l.ring) {
		l.grow()
	}
	l.head++
	l.total += int64(len(body))
	l.held += int64(len(body))
	l.ring[l.at(l.head)] = Record{Seq: l.head, Body: body, end: l.total}
	for l.held > RingBytes && l.low < l.head {
		l.evict()
	}
	l.lag = false
	for s := range l.subs {
		s.grew()
	}
	return l.head
}

// lagPart is the share of a budget, one in so many, past which a subscription
// counts as lagging.
const lagPart = 8

// Lagging reports whether, at the last append, some subscription's reader was
// well behind. A writer that has more to append does well to let the readers'
// goroutines run first; it need not, and never waits for them.
func (l *Log) Lagging() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lag
}

// encode gives ev's body, cut from the current chunk. Bodies that share a
// chunk live as long as the youngest of them, which the ring bounds.
func (l *Log) encode(ev *proto.Event) []byte {
	b, err := proto.AppendEvent(l.chunk, ev)
	if err != nil || len(b) > proto.MaxRecordBytes {
		return nil
	}
	if len(b) > cap(l.chunk) { // it did not fit and was moved
		l.chunk = make([]byte, 0, chunkBytes)
		if len(b) <= chunkBytes/4 {
			b = append(l.chunk, b...)
		} else {
			return b[:len(b):len(b)]
		}
	}
	l.chunk = b[len(b):]
	return b[:len(b):len(b)]
}

func (l *Log) at(seq uint64) uint64 { return (seq - 1) & uint64(len(l.ring)-1) }

func (l *Log) evict() {
	r := &l.ring[l.at(l.low)]
	l.held -= int64(len(r.Body))
	*r = Record{}
	l.low++
}

// grow makes room for one record: a larger ring, or the oldest record's place.
func (l *Log) grow() {
	if len(l.ring) >= RingItems {
		l.evict()
		return
	}
	old := l.ring
	l.ring = make([]Record, 2*len(old))
	for _, r := range old {
		l.ring[l.at(r.Seq)] = r
	}
}

// End closes the stream: every subscription gets what it has not taken, then
// ErrEnded.
func (l *Log) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	for s := range l.subs {
		s.wake()
	}
}
