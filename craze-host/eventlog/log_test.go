package eventlog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"craze/shared/proto"
)

func chunk(i int) *proto.Event {
	return &proto.Event{Type: proto.EvText, Text: fmt.Sprintf("chunk-%d", i)}
}

func seqs(rs []Record) []uint64 {
	var out []uint64
	for _, r := range rs {
		out = append(out, r.Seq)
	}
	return out
}

func TestASubscriptionStartsAtTheNextRecord(t *testing.T) {
	l := New("inc")
	l.Append(chunk(1))
	s := l.Subscribe(Budget{})
	l.Append(chunk(2))
	l.Append(chunk(3))
	got, err := s.Next(t.Context(), make([]Record, 0, 8))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint64{2, 3}, seqs(got)); diff != "" {
		t.Error(diff)
	}
}

func TestASubscriptionOverItsBudgetEnds(t *testing.T) {
	for name, b := range map[string]Budget{"items": {Items: 3}, "bytes": {Bytes: 100}} {
		t.Run(name, func(t *testing.T) {
			l := New("inc")
			slow, other := l.Subscribe(b), l.Subscribe(Budget{})
			for i := range 4 {
				l.Append(chunk(i))
			}
			if _, err := slow.Next(t.Context(), make([]Record, 0, 8)); !errors.Is(err, ErrSlow) {
				t.Errorf("err = %v, want ErrSlow", err)
			}
			got, err := other.Next(t.Context(), make([]Record, 0, 8))
			if err != nil || len(got) != 4 {
				t.Errorf("the other got %d, %v", len(got), err)
			}
		})
	}
}

func TestAResumeIsRefusedWithTheReason(t *testing.T) {
	l := New("inc")
	for i := range RingItems + 10 {
		l.Append(chunk(i))
	}
	head := l.Head()
	for _, tt := range []struct {
		name string
		c    proto.Cursor
		b    Budget
		want proto.CursorReason
	}{
		{"another incarnation", proto.Cursor{Incarnation: "other", Seq: head}, Budget{}, proto.CursorForeign},
		{"past the head", proto.Cursor{Incarnation: "inc", Seq: head + 1}, Budget{}, proto.CursorFuture},
		{"before the ring", proto.Cursor{Incarnation: "inc", Seq: 1}, Budget{Items: proto.BudgetItemsMax}, proto.CursorEvicted},
		{"more than the budget", proto.Cursor{Incarnation: "inc", Seq: head - 11}, Budget{Items: 10}, proto.CursorBacklog},
		{"at the head", proto.Cursor{Incarnation: "inc", Seq: head}, Budget{}, ""},
		{"within", proto.Cursor{Incarnation: "inc", Seq: head - 10}, Budget{Items: 10}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, reason := l.Resume(tt.c, tt.b)
			if reason != tt.want || (s == nil) != (tt.want != "") {
				t.Errorf("reason %q, sub %v", reason, s)
			}
		})
	}
}

func TestARecordTooLargeEndsTheSubscriptionAfterThoseBefore(t *testing.T) {
	l := New("inc")
	s := l.Subscribe(Budget{Bytes: proto.BudgetBytesMax})
	l.Append(chunk(1))
	l.Append(&proto.Event{Type: proto.EvText, Text: strings.Repeat("x", proto.MaxRecordBytes)})
	l.Append(chunk(3))
	got, err := s.Next(t.Context(), make([]Record, 0, 8))
	if err != nil || len(got) != 1 {
		t.Fatalf("%d records, %v", len(got), err)
	}
	if _, err = s.Next(t.Context(), got[:0]); !errors.Is(err, ErrOmitted) {
		t.Errorf("err = %v", err)
	}
}

func TestAnEndedLogDrainsFirst(t *testing.T) {
	l := New("inc")
	s := l.Subscribe(Budget{})
	l.Append(chunk(1))
	l.End()
	if got, err := s.Next(t.Context(), make([]Record, 0, 8)); err != nil || len(got) != 1 {
		t.Fatalf("%d records, %v", len(got), err)
	}
	if _, err := s.Next(t.Context(), make([]Record, 0, 8)); !errors.Is(err, ErrEnded) {
		t.Errorf("err = %v", err)
	}
}

func TestAWaitingReaderIsWokenByAppendCloseAndContext(t *testing.T) {
	l := New("inc")
	s := l.Subscribe(Budget{})
	got := make(chan error, 1)
	go func() {
		_, err := s.Next(context.Background(), make([]Record, 0, 1))
		got <- err
	}()
	l.Append(chunk(1))
	if err := <-got; err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := s.Next(context.Background(), make([]Record, 0, 1))
		got <- err
	}()
	s.Close()
	if err := <-got; !errors.Is(err, ErrEnded) {
		t.Fatal(err)
	}
}

// TestEveryReaderGetsEveryRecordOnce appends and reads in any interleaving,
// across ring growth, and resumes at random places.
func TestEveryReaderGetsEveryRecordOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := New("inc")
		s := l.Subscribe(Budget{Items: proto.BudgetItemsMax})
		var want, got uint64
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0, 1:
				for range rapid.IntRange(1, 100).Draw(t, "n") {
					want = l.Append(chunk(int(want)))
				}
			case 2:
				if got == want {
					continue
				}
				rs, err := s.Next(context.Background(), make([]Record, 0, rapid.IntRange(1, 80).Draw(t, "batch")))
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range rs {
					if r.Seq != got+1 {
						t.Fatalf("seq %d after %d", r.Seq, got)
					}
					ev, err := proto.DecodeEvent(r.Body)
					if err != nil || ev.Text != fmt.Sprintf("chunk-%d", got) {
						t.Fatalf("seq %d holds %q, %v", r.Seq, ev.Text, err)
					}
					got = r.Seq
				}
			case 3:
				s.Close()
				var reason proto.CursorReason
				if s, reason = l.Resume(proto.Cursor{Incarnation: "inc", Seq: got}, Budget{Items: proto.BudgetItemsMax}); reason != "" {
					t.Fatalf("resume at %d of %d: %s", got, want, reason)
				}
			}
		}
	})
}

func BenchmarkAppendToEightReaders(b *testing.B) {
	l := New("inc")
	for range 8 {
		l.Subscribe(Budget{})
	}
	ev := chunk(1)
	b.ReportAllocs()
	for b.Loop() {
		l.Append(ev)
	}
}
