package transcript

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"craze/shared/proto"
)

var t0 = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// parse decodes an event, and stamps it a second after the one before.
func parse(t *testing.T, i int, line string) *proto.Event {
	t.Helper()
	ev := new(proto.Event)
	if err := json.Unmarshal([]byte(line), ev); err != nil {
		t.Fatalf("event %s: %v", line, err)
	}
	ev.At = t0.Add(time.Duration(i) * time.Second)
	return ev
}

func folded(t *testing.T, lines ...string) *State {
	t.Helper()
	s := New("inc-1")
	foldLines(t, s, 0, lines...)
	return s
}

func foldLines(t *testing.T, s *State, from int, lines ...string) {
	t.Helper()
	for i, l := range lines {
		s.Fold(uint64(from+i+1), parse(t, from+i+1, l))
	}
}

const (
	prompt   = `{"type":"turn","turn":{"id":"turn-1","phase":"started","text":"go","origin":"submit"}}`
	ended    = `{"type":"turn","turn":{"id":"turn-1","phase":"ended","stopReason":"end_turn"}}`
	hi       = `{"type":"text","text":"Hi"}`
	running  = `{"type":"tool","tool":{"id":"t1","name":"bash","title":"ls","status":"in_progress"}}`
	finished = `{"type":"tool","tool":{"id":"t1","name":"bash","title":"ls","status":"completed"}}`
)

// Each case is what came before, the last event, and what main then holds,
// as a snapshot writes it.
func TestFold(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []string
		want string
	}{
		{"an empty stream is an empty transcript", nil, `{}`},
		{"an event of a later codec is skipped", []string{`{"type":"hologram","text":"x"}`}, `{}`},
		{"an event without its member is skipped", []string{`{"type":"tool"}`}, `{}`},
		{
			"a turn's start is the user's entry",
			[]string{prompt},
			`{"entries":[{"id":"1.0","kind":"user","text":"go","at":"2026-01-01T12:00:01Z","end":"2026-01-01T12:00:01Z"}]}`,
		},
		{
			"chunks of a kind join",
			[]string{hi, `{"type":"text","text":" there"}`},
			`{"streamOpen":true,"entries":[{"id":"1.0","kind":"assistant","text":"Hi there","at":"2026-01-01T12:00:01Z","open":true,"streaming":true}]}`,
		},
		{
			"another kind starts another entry",
			[]string{`{"type":"thought","text":"hm"}`, hi},
			`{"streamOpen":true,"entries":[{"id":"1.0","kind":"thought","text":"hm","at":"2026-01-01T12:00:01Z","end":"2026-01-01T12:00:02Z"},` +
				`{"id":"2.0","kind":"assistant","text":"Hi","at":"2026-01-01T12:00:02Z","open":true,"streaming":true}]}`,
		},
		{
			"a tool is changed in place, and its end closes it",
			[]string{running, hi, finished},
			`{"streamOpen":true,"entries":[{"id":"1.0","kind":"tool","tool":{"id":"t1","name":"bash","status":"completed","title":"ls"},` +
				`"at":"2026-01-01T12:00:01Z","end":"2026-01-01T12:00:03Z"},` +
				`{"id":"2.0","kind":"assistant","text":"Hi","at":"2026-01-01T12:00:02Z","open":true,"streaming":true}]}`,
		},
		{
			"a tool its turn left behind stays open",
			[]string{running, ended},
			`{"entries":[{"id":"1.0","kind":"tool","tool":{"id":"t1","name":"bash","status":"in_progress","title":"ls"},"at":"2026-01-01T12:00:01Z","open":true}]}`,
		},
		{
			"the end of the turn closes the stream",
			[]string{hi, ended},
			`{"entries":[{"id":"1.0","kind":"assistant","text":"Hi","at":"2026-01-01T12:00:01Z","end":"2026-01-01T12:00:02Z"}]}`,
		},
		{
			"a cancelled turn has one note, whoever says it",
			[]string{
				`{"type":"done","stopReason":"cancelled"}`, `{"type":"turn","turn":{"id":"turn-1","phase":"ended","stopReason":"cancelled"}}`,
			},
			`{"entries":[{"id":"1.0","kind":"note","text":"cancelled","at":"2026-01-01T12:00:01Z","end":"2026-01-01T12:00:01Z"}]}`,
		},
		{
			"a failed turn has one error",
			[]string{
				`{"type":"error","err":{"message":"boom","class":"rpc","code":-32000}}`,
				`{"type":"turn","turn":{"id":"turn-1","phase":"ended","errClass":"rpc","err":"boom"}}`,
			},
			`{"entries":[{"id":"1.0","kind":"error","text":"boom","err":{"class":"rpc","code":-32000},"at":"2026-01-01T12:00:01Z","end":"2026-01-01T12:00:01Z"}]}`,
		},
		{
			"a turn that craze ended itself says why",
			[]string{`{"type":"turn","turn":{"id":"turn-1","phase":"ended","errClass":"closed","err":"gone"}}`},
			`{"entries":[{"id":"1.0","kind":"error","text":"gone","err":{"class":"closed"},"at":"2026-01-01T12:00:01Z","end":"2026-01-01T12:00:01Z"}]}`,
		},
		{
			"an interjection stands alone",
			[]string{`{"type":"user","text":"a"}`, `{"type":"user","text":"b","interjection":true}`, `{"type":"user","text":"c"}`},
			`{"streamOpen":true,"entries":[{"id":"1.0","kind":"user","text":"a","at":"2026-01-01T12:00:01Z","end":"2026-01-01T12:00:02Z"},` +
				`{"id":"2.0","kind":"user","text":"b","at":"2026-01-01T12:00:02Z","end":"2026-01-01T12:00:02Z","interject":true},` +
				`{"id":"3.0","kind":"user","text":"c","at":"2026-01-01T12:00:03Z","open":true,"streaming":true}]}`,
		},
		{
			"a plan is drawn, and its acceptance marked",
			[]string{
				`{"type":"plan","plan":{"id":"p1","plan":"do it"}}`,
				`{"type":"ask","ask":{"id":"p1","kind":"plan","outcome":"answered","by":"client","accepted":true}}`,
			},
			`{"entries":[{"id":"1.0","kind":"plan","plan":{"id":"p1","plan":"do it","accepted":true},"at":"2026-01-01T12:00:01Z","end":"2026-01-01T12:00:01Z"}]}`,
		},
		{
			"an open compaction is drawn",
			[]string{`{"type":"compaction","compaction":{"phase":"started","reason":"auto"}}`},
			`{"compacting":{"since":"2026-01-01T12:00:01Z","reason":"auto"}}`,
		},
		{
			"a turn's end ends a compaction whose end was lost", []string{`{"type":"compaction","compaction":{"phase":"started","reason":"auto"}}`, ended}, `{}`,
		},
		{
			"a compaction's end is a note",
			[]string{`{"type":"compaction","compaction":{"phase":"ended","reason":"manual","tokensBefore":890000,"tokensAfter":21000}}`},
			`{"entries":[{"id":"1.0","kind":"note","text":"context compacted on request · 890k → 21k tokens","at":"2026-01-01T12:00:01Z","end":"2026-01-01T12:00:01Z"}]}`,
		},
		{
			"todos mark their turn",
			[]string{`{"type":"todos","todos":[{"id":"1","content":"x","status":"completed"}]}`},
			`{"todoPlanned":true,"todoDone":true}`,
		},
		{"a sub-agent's text is not main's", []string{`{"type":"text","text":"x","agent":"a1"}`}, `{}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := folded(t, tt.in...)
			w := &window{t: &s.main, from: len(s.main.entries)}
			room := proto.SnapshotMax
			if err := w.addEntries(&room); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(w.append(nil))); diff != "" {
				t.Errorf("main differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCompactionNotes(t *testing.T) {
	for want, c := range map[string]proto.Compaction{
		"context compacted · 890k → 21k tokens":                 {TokensBefore: 890000, TokensAfter: 21000},
		"context was too large — compacted · 1.2M → 999 tokens": {Reason: "overflow", TokensBefore: 1_234_567, TokensAfter: 999},
		"context compacted": {Reason: "a later reason"},
		`compaction failed: native: provider "x" failed (HTTP 500)`: {Err: `native: provider "x" failed (HTTP 500)`, TokensBefore: 5},
		"context compacted on request · 2M → 1k tokens":             {Reason: "manual", TokensBefore: 2_000_000, TokensAfter: 1_000},
	} {
		if got := compactionText(&c); got != want {
			t.Errorf("compactionText(%+v) = %q, want %q", c, got, want)
		}
	}
}

// Each case is a stream and the sections it leaves, as a snapshot writes
// them.
func TestSections(t *testing.T) {
	const begin = `{"version":1,"incarnation":"inc-1",`
	for _, tt := range []struct {
		name string
		in   []string
		want string
	}{
		{"the running turn", []string{prompt}, `"seq":1,"turn":{"id":"turn-1","text":"go","origin":"submit","at":"2026-01-01T12:00:01Z"}`},
		{"an ended turn", []string{prompt, ended}, `"seq":2`},
		{
			"a foreign turn",
			[]string{`{"type":"foreign_turn","foreignTurn":{"id":"w","text":"x","running":true}}`},
			`"seq":1,"turn":{"id":"w","text":"x","at":"2026-01-01T12:00:01Z","foreign":true}`,
		},
		{"an ended foreign turn", []string{`{"type":"foreign_turn","foreignTurn":{"id":"w","running":true}}`, `{"type":"foreign_turn","foreignTurn":{"id":"w"}}`}, `"seq":2`},
		{"a replay", []string{`{"type":"replay","replay":{"phase":"start"}}`}, `"seq":1,"replaying":true`},
		{
			"an open ask",
			[]string{`{"type":"permission","permission":{"id":"k","options":[{"optionId":"1","name":"Yes","kind":"allow_once"}]}}`},
			`"seq":1,"asks":[{"id":"k","kind":"permission","body":{"permission":{"id":"k","options":[{"optionId":"1","name":"Yes","kind":"allow_once"}]}},"at":"2026-01-01T12:00:01Z"}]`,
		},
		{
			"an ended ask",
			[]string{`{"type":"question","question":{"id":"k"}}`, `{"type":"ask","ask":{"id":"k","kind":"question","outcome":"answered","by":"client"}}`},
			`"seq":2,"ended":[{"id":"k","kind":"question","outcome":"answered","by":"client","at":"2026-01-01T12:00:02Z"}]`,
		},
		{
			"the queue",
			[]string{
				`{"type":"queue","queue":{"id":"q-1","text":"a"},"queueChange":"queued"}`,
				`{"type":"queue","queue":{"id":"q-2","text":"b"},"queueChange":"queued","queuePos":1}`,
				`{"type":"queue","queue":{"id":"q-1","text":"c","version":1},"queueChange":"edited"}`,
				`{"type":"queue","queue":{"id":"q-3","text":"d"},"queueChange":"queued"}`,
				`{"type":"queue","queue":{"id":"q-3"},"queueChange":"sent"}`,
			},
			`"seq":5,"queue":[{"id":"q-1","text":"c","version":1},{"id":"q-2","text":"b"}]`,
		},
		{
			"a sub-agent's rows and finish",
			[]string{
				`{"type":"subagent","subagent":{"id":"a"},"subagentChange":"spawned"}`,
				`{"type":"subagent","subagent":{"id":"b"},"subagentChange":"spawned"}`,
				`{"type":"subagent","subagent":{"id":"b","status":"completed"},"subagentChange":"finished"}`,
			},
			`"seq":3,"finishSeq":1,"agents":[{"info":{"id":"a"}},{"info":{"id":"b","status":"completed"},"finish":1}]`,
		},
		{
			"settings replace by section",
			[]string{
				`{"type":"meta","state":{"title":"T","mode":"plan","commands":{"commands":[{"name":"x"}]}}}`,
				`{"type":"meta","state":{"model":"m","commands":{}}}`, `{"type":"meta","text":"U"}`,
			},
			`"seq":3,"settings":{"title":"U","mode":"plan","model":"m","commands":{}}`,
		},
		{
			"an older catalog is ignored",
			[]string{
				`{"type":"meta","state":{"catalog":{"models":[{"id":"b","name":"B"}],"revision":2}}}`,
				`{"type":"meta","state":{"catalog":{"models":[{"id":"a","name":"A"}],"revision":1}}}`,
			},
			`"seq":2,"settings":{"catalog":{"models":[{"id":"b","name":"B"}],"revision":2}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := folded(t, tt.in...).Cut(uint64(len(tt.in)))
			h := v.head()
			got, err := json.Marshal(h, codec)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(begin+tt.want+"}", string(got)); diff != "" {
				t.Errorf("sections differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOnlyTheLastEndedAsksAreRemembered(t *testing.T) {
	s := New("i")
	for i := range EndedMax + 3 {
		s.Fold(uint64(i+1), &proto.Event{Type: proto.EvAsk, Ask: &proto.AskEnd{ID: string(rune('a' + i))}})
	}
	if got := s.Ended(); len(got) != EndedMax || got[0].ID != "d" {
		t.Errorf("%d ended asks from %q, want %d from \"d\"", len(got), got[0].ID, EndedMax)
	}
}

func TestFinishedSubagentsGoFirst(t *testing.T) {
	s := New("i")
	row := func(id rune, change string) {
		s.Fold(s.Seq()+1, &proto.Event{Type: proto.EvSubagent, Subagent: &proto.Subagent{ID: string(id)}, SubagentChange: change})
		s.Fold(s.Seq()+1, &proto.Event{Type: proto.EvText, Text: "x", Agent: string(id)})
	}
	for i := range rune(agentsMax) {
		row('A'+i, proto.SubSpawned)
	}
	row('D', proto.SubFinished)
	row('C', proto.SubFinished)
	row('z'+100, proto.SubSpawned)
	if s.agent("D") >= 0 || s.look("D") != nil {
		t.Error("the row that finished first is still there")
	}
	if s.agent("C") < 0 || s.look("C") == nil || len(s.Agents()) != agentsMax {
		t.Errorf("%d rows, C at %d", len(s.Agents()), s.agent("C"))
	}
	for i := range rune(2 * subsMax) {
		s.Fold(s.Seq()+1, &proto.Event{Type: proto.EvText, Text: "x", Agent: "stray" + string('A'+i)})
	}
	if n := len(s.Subs()); n > subsMax {
		t.Errorf("%d sub-agent transcripts, at most %d wanted", n, subsMax)
	}
	if s.look("A") == nil {
		t.Error("a running sub-agent lost its transcript to strays")
	}
}
