package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"craze/shared/proto"
)

const (
	bigText = 64 << 10
	// bigMost is how many big events a queue of these tests holds.
	bigMost    = 16
	smallQueue = 2 * bigMost * bigText
)

// openSmall opens a session whose queue is small.
func (r *rig) openSmall() *Session {
	r.t.Helper()
	s := r.open()
	q := s.current().conn.notes
	q.mu.Lock()
	defer q.mu.Unlock()
	q.limit = smallQueue
	return s
}

func big(seq uint64) string { return fmt.Sprint(seq) + strings.Repeat("x", bigText) }

// follow reads events up to seq last, holding that each comes once, and gives
// what else came.
func follow(t *testing.T, st *Stream, last uint64) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var other []string
	seq := uint64(1)
	for seq < last {
		it, err := st.Next(ctx)
		if err != nil {
			t.Fatalf("after %d: %v", seq, err)
		}
		e, ok := it.(Event)
		if !ok {
			other = append(other, say(it))
			continue
		}
		if seq++; e.Seq != seq || !strings.HasPrefix(e.Event.Text, fmt.Sprintf("%dx", seq)) {
			t.Fatalf("seq %d in the place of %d", e.Seq, seq)
		}
	}
	return other
}

func TestAStreamThatIsNotReadStopsItsSocketAlone(t *testing.T) {
	const (
		events = 3 * bigMost
		stuck  = time.Second / 4 // a write that takes so long is not being read
	)
	var sent atomic.Uint64
	full := make(chan bool, 1)
	s := newRig(t, func(p *peer) {
		start(p)
		for seq := uint64(2); seq < 2+events; seq++ {
			p.pushes(append(eventLine("s-1", seq, chunkBody(big(seq))), '\n'), stuck, func() {
				select {
				case full <- true:
				default: // it was said
				}
			})
			sent.Store(seq)
		}
		p.drain()
	}).openSmall()
	st, err := s.Attach(t.Context(), AttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	<-full
	if n := sent.Load(); n < 2 || n > bigMost+2 {
		t.Errorf("%d events of %d bytes went in", n, bigText)
	}
	if diff := cmp.Diff(started, follow(t, st, 1+events)); diff != "" {
		t.Error(diff)
	}
}

// pushes writes a line, however long it takes, and says whenever that is long.
func (p *peer) pushes(line []byte, long time.Duration, say func()) {
	for len(line) > 0 {
		if p.conn.SetWriteDeadline(time.Now().Add(long)) != nil {
			panic(over{}) // the client is gone, as it may be
		}
		n, err := p.conn.Write(line)
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			panic(over{}) // the client is gone, as it may be
		}
		if err != nil {
			say()
		}
		line = line[n:]
	}
	if p.conn.SetWriteDeadline(time.Time{}) != nil {
		panic(over{}) // it has all it waited for, and is gone
	}
}

// behind is a host that sends big events while a call waits behind them.
func behind(events uint64) func(*peer) {
	return func(p *peer) {
		start(p)
		req := p.expect(proto.MethodSync, "")
		for seq := uint64(2); seq < 2+events; seq++ {
			p.event("s-1", seq, big(seq))
		}
		p.reply(req, `{"seq":9}`)
		req = p.expect(proto.MethodDetach, `{"sessionId":"s","subscription":"s-1"}`)
		for range events {
			p.event("s-1", 99, big(99)) // what was on its way
		}
		p.reply(req, "{}")
	}
}

func TestACallIsAnsweredThoughItsStreamIsNotRead(t *testing.T) {
	const events = 2 * bigMost
	var at proto.AttachParams
	s := newRig(t, func(p *peer) {
		behind(events)(p)
		req := p.expect(proto.MethodAttach, "")
		if err := json.Unmarshal(req.Params, &at); err != nil || at.Cursor == nil {
			p.fail("%s", req.Params)
		}
		p.reply(req, attached("s-2", true, at.Cursor.Seq, false))
		for seq := at.Cursor.Seq + 1; seq < 2+events; seq++ {
			p.event("s-2", seq, big(seq))
		}
		p.drain()
	}).openSmall()
	st, err := s.Attach(t.Context(), AttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if seq, err := s.Sync(t.Context()); seq != 9 || err != nil {
		t.Fatalf("%d %v", seq, err)
	}
	if diff := cmp.Diff(started, follow(t, st, 1+events)); diff != "" {
		t.Error(diff)
	}
}

func TestACloseOfAFullStreamIsAnswered(t *testing.T) {
	s := newRig(t, func(p *peer) {
		behind(2 * bigMost)(p)
		p.reply(p.expect(proto.MethodSync, ""), `{"seq":10}`)
		p.drain()
	}).openSmall()
	st, err := s.Attach(t.Context(), AttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if seq, err := s.Sync(t.Context()); seq != 10 || err != nil {
		t.Fatalf("%d %v", seq, err)
	}
}

func TestACloseThatIsGivenUpCostsTheConnection(t *testing.T) {
	s := newRig(t, func(p *peer) {
		start(p)
		p.drain()
	}, func(p *peer) {
		p.hello(resume1)
		p.reply(p.expect(proto.MethodSync, ""), `{"seq":1}`)
		p.drain()
	}).open()
	st, err := s.Attach(t.Context(), AttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := st.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := s.Sync(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestASessionsCloseEndsItsStream(t *testing.T) {
	s := newRig(t, func(p *peer) {
		start(p)
		p.drain()
	}).open()
	st, err := s.Attach(t.Context(), AttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	read(t, st, "synced 1")
	told := make(chan []string)
	go func() { told <- read(t, st, "") }() // ends with the close
	s.Close()
	if got := <-told; got[len(got)-1] != "error: "+ErrDisconnected.Error() {
		t.Errorf("%q", got)
	}
}
