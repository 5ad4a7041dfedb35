package transcript

import (
	"bytes"
	"errors"
	"testing"

	"github.com/go-json-experiment/json"

	"craze/shared/proto"
)

// Whatever restores encodes, restores again, and is then stable.
func FuzzRestore(f *testing.F) {
	f.Add([]byte(freshSession))
	f.Add([]byte(`{"version":1,"finishSeq":1,"agents":[{"info":{"id":"a1","startedAt":"2026-01-01T00:00:00+01:00"},"finish":1}],"todos":[{}],"asks":[{"id":"k","body":{"plan":{}}}],"ended":[{}],"turn":{"id":"t"},"queue":[{"id":"q"}],"truncatedQueue":["q"],"main":{"dropped":3,"streamOpen":true,"omitted":[[9],[9,"t"]],"compacting":{"reason":"auto"},"entries":[{"id":"1.0","kind":"assistant","text":"x","open":true,"streaming":true,"cut":true}]},"subs":[{"id":"a1","streamOpen":true,"tailCut":true,"omittedRun":"thought","omitted":[[300]]}]}`))
	f.Add([]byte(`{"version":1,"settings":{"slash":{"items":[{"name":"x","source":"y","run":{"kind":"z"}}]},"usage":{},"truncated":{"config":true}},"main":{"entries":[{"kind":"tool","tool":{"id":"t","at":"9999-12-31T23:59:59-01:00"}},{"kind":"plan","plan":{"id":"p"}},{"kind":"error","err":{"code":1}}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Restore(data)
		if err != nil {
			return
		}
		out, err := s.Cut(s.Seq()).Encode(proto.SnapshotMax, "")
		if errors.Is(err, ErrTooLarge) {
			return
		}
		if err != nil {
			t.Fatalf("encode what %q restored: %v", data, err)
		}
		again := encoded(t, restored(t, out, defaultLimits()), proto.SnapshotMax)
		if !bytes.Equal(out, again) {
			t.Fatalf("not stable:\n%s\n%s", out, again)
		}
	})
}

// Whatever decodes as an event folds, twice, onto a State of any shape, and
// leaves one that encodes and restores.
func FuzzFold(f *testing.F) {
	for _, l := range []string{
		prompt, ended, hi, running, finished, freshSession,
		`{"type":"plan","plan":{"id":"p"}}`, `{"type":"ask","ask":{"id":"p","accepted":true,"body":{"plan":{}}}}`,
		`{"type":"subagent","subagent":{"id":"a1","endedAt":"0000-01-01T00:00:00+01:00"},"subagentChange":"finished"}`,
		`{"type":"queue","queue":{"id":"q"},"queueChange":"queued","queuePos":-7}`,
		`{"type":"meta","state":{"slash":{},"config":{"options":[{"id":"x"}]}}}`,
		`{"type":"question","question":{"id":"q","answers":{"a":["b"]}}}`,
		`{"type":"compaction","agent":"a1","compaction":{"phase":"ended","err":"x"}}`,
	} {
		f.Add([]byte(l), true)
	}
	f.Fuzz(func(t *testing.T, line []byte, onto bool) {
		var ev proto.Event
		if json.Unmarshal(line, &ev) != nil {
			return
		}
		s := fresh(small)
		if onto {
			foldLines(t, s, 0, prompt, running, hi, `{"type":"text","text":"x","agent":"a1"}`)
		}
		s.Fold(5, &ev)
		s.Fold(6, &ev)
		s.Doing()
		out := encoded(t, s, proto.SnapshotMax)
		if again := encoded(t, restored(t, out, small), proto.SnapshotMax); !bytes.Equal(out, again) {
			t.Fatalf("not stable:\n%s\n%s", out, again)
		}
	})
}
