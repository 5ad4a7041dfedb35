package transcript

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"craze/shared/proto"
)

func fresh(lim limits) *State {
	s := New("inc-1")
	s.lim = lim
	return s
}

func foldFrom(s *State, events []*proto.Event, from int) {
	for i := from; i < len(events); i++ {
		s.Fold(uint64(i+1), events[i])
	}
}

func encoded(t require, s *State, budget int) []byte {
	t.Helper()
	out, err := s.Cut(s.Seq()).Encode(budget, "")
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	return out
}

// require is what *testing.T and *rapid.T share.
type require interface {
	Helper()
	Fatalf(format string, args ...any)
}

func restored(t require, data []byte, lim limits) *State {
	t.Helper()
	s, err := restore(data, lim)
	if err != nil {
		t.Fatalf("restore %s: %v", data, err)
	}
	return s
}

// With room for everything, a State restored at any point and folded on
// encodes to the very bytes of the State that folded the whole stream.
func TestFoldingOnFromAWholeSnapshotIsFoldingTheStream(t *testing.T) {
	for name, lim := range map[string]limits{"never trimmed": roomy, "trimmed": small} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				events := stream(t)
				at := len(events) * rapid.SampledFrom([]int{0, 20, 50, 80, 100}).Draw(t, "cut") / 100
				whole := fresh(lim)
				foldFrom(whole, events[:at], 0)
				data := encoded(t, whole, proto.SnapshotMax)
				again := restored(t, data, lim)
				if got := encoded(t, again, proto.SnapshotMax); !bytes.Equal(got, data) {
					t.Fatalf("encoding again differs:\n%s\n%s", data, got)
				}
				foldFrom(whole, events, at)
				foldFrom(again, events, at)
				want, got := encoded(t, whole, proto.SnapshotMax), encoded(t, again, proto.SnapshotMax)
				if !bytes.Equal(want, got) {
					t.Fatalf("folding on differs:\nwant %s\n got %s", want, got)
				}
				if whole.Doing() != again.Doing() {
					t.Fatalf("doing %q, restored %q", whole.Doing(), again.Doing())
				}
			})
		})
	}
}

// With a small budget a snapshot keeps to it, restores, and folds on to the
// same sections and, as far as its window reaches, the same entries.
func TestAWindowedSnapshotFoldsOnToTheSameWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lim := rapid.SampledFrom([]limits{roomy, small}).Draw(t, "limits")
		events := stream(t)
		at := len(events) * rapid.SampledFrom([]int{0, 20, 50, 80, 100}).Draw(t, "cut") / 100
		first := rapid.SampledFrom([]string{"", "a1", "a3", "nobody"}).Draw(t, "first")
		percent := rapid.SampledFrom([]int{2, 20, 40, 50, 60, 70, 80, 90, 95, 99}).Draw(t, "percent")
		whole := fresh(lim)
		foldFrom(whole, events[:at], 0)
		budget := max(1, len(encoded(t, whole, proto.SnapshotMax))*percent/100)
		v := whole.Cut(whole.Seq())
		data, err := v.Encode(budget, first)
		if errors.Is(err, ErrTooLarge) {
			if _, plain := v.Encode(budget, ""); !errors.Is(plain, ErrTooLarge) {
				t.Fatalf("refused for its size only with an agent named")
			}
			return
		}
		if err != nil {
			t.Fatalf("encode: %v", err)
		}
		if len(data) > budget {
			t.Fatalf("%d bytes in a budget of %d", len(data), budget)
		}
		again := restored(t, data, lim)
		if got := encoded(t, again, proto.SnapshotMax); !bytes.Equal(got, data) {
			t.Fatalf("encoding again differs:\n%s\n%s", data, got)
		}
		exact := listsWhole(again, whole)
		foldFrom(whole, events, at)
		foldFrom(again, events, at)
		compareSections(t, whole, again)
		if exact {
			compareWindows(t, whole, again)
		}
	})
}

// listsWhole reports whether a restored State knows of every entry: none was
// dropped for want of room even in a ledger.
func listsWhole(again, whole *State) bool {
	same := func(id string) bool { return again.look(id) != nil && again.look(id).dropped == whole.look(id).dropped }
	return same("") && !slices.ContainsFunc(whole.subOrder, func(id string) bool { return !same(id) })
}

func compareSections(t require, whole, again *State) {
	t.Helper()
	want, got := whole.sections, again.sections
	if got.settings.Slash == nil { // it yields to the budget, with or without its mark
		want.settings.Slash, want.settings.Truncated.Slash, got.settings.Truncated.Slash = nil, false, false
	}
	if diff := cmp.Diff(headOf(want), headOf(got)); diff != "" {
		t.Fatalf("sections differ (-whole +restored):\n%s", diff)
	}
}

func compareWindows(t require, whole, again *State) {
	t.Helper()
	for _, id := range append([]string{""}, whole.subOrder...) {
		w, a := whole.look(id), again.look(id)
		if a == nil {
			t.Fatalf("sub-agent %q is gone", id)
		}
		if w.size != a.size || w.dropped != a.dropped || len(w.entries) != len(a.ledger)+len(a.entries) {
			t.Fatalf("%q: size %d, %d dropped, %d entries; restored size %d, %d dropped, %d omitted, %d entries", id,
				w.size, w.dropped, len(w.entries), a.size, a.dropped, len(a.ledger), len(a.entries))
		}
		for i, o := range a.ledger {
			if o.bytes != w.entries[i].size {
				t.Fatalf("%q: omitted %d weighs %d, not %d", id, i, o.bytes, w.entries[i].size)
			}
		}
		for i, e := range a.entries {
			want, _ := w.entries[len(a.ledger)+i].append(nil)
			if got, _ := e.append(nil); !bytes.Equal(want, got) {
				t.Fatalf("%q: entry differs:\nwant %s\n got %s", id, want, got)
			}
		}
	}
}

func headOf(s sections) string {
	v := View{sections: s}
	out, _ := json.Marshal(v.head(), codec)
	return string(out)
}
