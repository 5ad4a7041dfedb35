package transcript

import (
	"fmt"
	"testing"

	"craze/shared/proto"
)

// sizes are the streams the benchmarks fold: a glance, a day's work, and a
// session that never ends.
var sizes = [...]int{10, 1_000, 100_000}

// history is a State of n events: short answers, each followed by a tool.
func history(n int) *State {
	s := New("bench")
	for i := range n {
		ev := &proto.Event{Type: proto.EvText, Text: "A sentence of about the usual length, twice over. ", At: t0}
		if i%4 == 3 {
			ev = &proto.Event{Type: proto.EvTool, At: t0, Tool: &proto.Tool{ID: fmt.Sprint("call-", i), Title: "ls -l", Status: proto.ToolCompleted}}
		}
		s.Fold(uint64(i+1), ev)
	}
	return s
}

func bySize(b *testing.B, run func(*testing.B, *State)) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := history(n)
			b.ReportAllocs()
			run(b, s)
		})
	}
}

func BenchmarkFoldChunk(b *testing.B) {
	bySize(b, func(b *testing.B, s *State) {
		ev := &proto.Event{Type: proto.EvText, Text: "a few more words ", At: t0}
		seq := s.Seq()
		for b.Loop() {
			seq++
			s.Fold(seq, ev)
		}
	})
}

func BenchmarkFoldTool(b *testing.B) {
	bySize(b, func(b *testing.B, s *State) {
		ev := &proto.Event{Type: proto.EvTool, At: t0, Tool: &proto.Tool{ID: "call-3", Title: "ls", Status: proto.ToolCompleted}}
		seq := s.Seq()
		for b.Loop() {
			seq++
			s.Fold(seq, ev)
		}
	})
}

func BenchmarkCut(b *testing.B) {
	bySize(b, func(b *testing.B, s *State) {
		for b.Loop() {
			s.Cut(1)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	bySize(b, func(b *testing.B, s *State) {
		v := s.Cut(s.Seq())
		for b.Loop() {
			if _, err := v.Encode(0, ""); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkRestore(b *testing.B) {
	bySize(b, func(b *testing.B, s *State) {
		data, err := s.Cut(s.Seq()).Encode(0, "")
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := Restore(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestAChunkAllocatesNothing(t *testing.T) {
	s := history(1000)
	ev := &proto.Event{Type: proto.EvText, Text: "a few more words ", At: t0}
	s.Fold(1001, ev)
	if n := testing.AllocsPerRun(20_000, func() { s.Fold(1002, ev); s.Doing() }); n > 0 {
		t.Errorf("%v allocations a chunk", n)
	}
}
