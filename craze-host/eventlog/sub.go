package eventlog

import (
	"context"
	"errors"

	"craze/shared/proto"
)

// How a subscription ends.
var (
	ErrSlow    = errors.New("subscription fell behind its budget")
	ErrOmitted = errors.New("a record was too large to send")
	ErrEnded   = errors.New("the stream has ended")
)

// Budget bounds what a subscription may leave untaken. A zero member is the
// protocol's default; each is cut to the protocol's maximum.
type Budget struct {
	Items int
	Bytes int
}

func (b Budget) bounded() Budget {
	if b.Items <= 0 {
		b.Items = proto.BudgetItemsDefault
	}
	if b.Bytes <= 0 {
		b.Bytes = proto.BudgetBytesDefault
	}
	return Budget{min(b.Items, proto.BudgetItemsMax), min(b.Bytes, proto.BudgetBytesMax)}
}

// Sub is one subscription: a place in the log, and a budget. Next has one
// caller at a time; Close may be called from anywhere.
type Sub struct {
	log    *Log
	budget Budget
	woken  chan struct{}

	// All below is guarded by log.mu.
	pos     uint64 // the last seq taken
	taken   int64  // the log's bytes up to pos
	waiting bool
	err     error
}

// Subscribe starts a subscription behind the log's head: the first record it
// gets is the next one committed.
func (l *Log) Subscribe(b Budget) *Sub {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.add(l.head, l.total, b)
}

// Resume starts a subscription behind a cursor. A cursor it cannot honour is
// refused with the reason, and no subscription is made.
func (l *Log) Resume(c proto.Cursor, b Budget) (*Sub, proto.CursorReason) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b = b.bounded()
	taken := l.total
	switch {
	case c.Incarnation != l.incarnation:
		return nil, proto.CursorForeign
	case c.Seq > l.head:
		return nil, proto.CursorFuture
	case c.Seq+1 < l.low:
		return nil, proto.CursorEvicted
	case c.Seq < l.head:
		next := l.ring[l.at(c.Seq+1)]
		taken = next.end - int64(len(next.Body))
	}
	if l.head-c.Seq > uint64(b.Items) || l.total-taken > int64(b.Bytes) {
		return nil, proto.CursorBacklog
	}
	return l.add(c.Seq, taken, b), ""
}

func (l *Log) add(pos uint64, taken int64, b Budget) *Sub {
	s := &Sub{log: l, budget: b.bounded(), woken: make(chan struct{}, 1), pos: pos, taken: taken}
	l.subs[s] = struct{}{}
	return s
}

// grew checks the budget after an append, and wakes a waiting reader.
func (s *Sub) grew() {
	items, bytes := s.log.head-s.pos, s.log.total-s.taken
	if s.err == nil && (items > uint64(s.budget.Items) || bytes > int64(s.budget.Bytes)) {
		s.err = ErrSlow
	}
	if s.err == nil && (items > uint64(s.budget.Items/lagPart) || bytes > int64(s.budget.Bytes/lagPart)) {
		s.log.lag = true
	}
	if s.waiting {
		s.wake()
	}
}

func (s *Sub) wake() {
	s.waiting = false
	select {
	case s.woken <- struct{}{}:
	default: // a wake is already waiting
	}
}

// Next appends the records that wait, at most cap(into) of them, and waits
// for the first if there is none. An error is final and comes alone: ErrSlow,
// ErrOmitted (after the records before it), ErrEnded (after the last), or
// ctx's.
func (s *Sub) Next(ctx context.Context, into []Record) ([]Record, error) {
	for {
		got, err := s.take(into)
		if len(got) > len(into) || err != nil {
			return got, err
		}
		select {
		case <-s.woken:
		case <-ctx.Done():
			return into, ctx.Err()
		}
	}
}

func (s *Sub) take(into []Record) ([]Record, error) {
	l := s.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.err != nil {
		return into, s.err
	}
	start := len(into)
	for s.pos < l.head && len(into) < cap(into) {
		r := l.ring[l.at(s.pos+1)]
		if r.Body == nil {
			if len(into) == start {
				s.err = ErrOmitted
			}
			return into, s.err
		}
		into = append(into, r)
		s.pos, s.taken = r.Seq, r.end
	}
	if len(into) == start {
		if l.ended {
			s.err = ErrEnded
		}
		s.waiting = true
	}
	return into, s.err
}

// Close ends the subscription. It is safe to call again.
func (s *Sub) Close() {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	delete(s.log.subs, s)
	if s.err == nil {
		s.err = ErrEnded
	}
	s.wake()
}
