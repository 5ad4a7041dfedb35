package transcript

import (
	"strings"
	"testing"

	"craze/shared/proto"
)

func TestDoing(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []string
		want string
	}{
		{"no turn", []string{hi}, ""},
		{"a turn begins", []string{prompt}, "Thinking"},
		{"text streams", []string{prompt, hi}, "Responding"},
		{"a thought streams", []string{prompt, `{"type":"thought","text":"hm"}`}, "Thinking"},
		{"a tool runs", []string{prompt, running, hi}, "ls"},
		{"a tool with no title runs", []string{prompt, `{"type":"tool","tool":{"id":"t","name":"bash","status":"pending"}}`}, "bash"},
		{"the newest of two tools", []string{prompt, running, `{"type":"tool","tool":{"id":"t2","title":"cat","status":"pending"}}`}, "cat"},
		{"the tool has finished", []string{prompt, running, finished}, "Thinking"},
		{"an earlier turn's tool runs on", []string{prompt, running, ended, prompt, hi}, "Responding"},
		{"an earlier turn's tool runs on beside the agent's own turn", []string{prompt, running, ended, `{"type":"foreign_turn","foreignTurn":{"id":"w","running":true}}`}, "Thinking"},
		{"the turn has ended", []string{prompt, running, ended}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := New("i")
			for i, l := range tt.in {
				foldLines(t, s, i, l)
				s.Doing() // so that a stale answer would be seen
			}
			if got := s.Doing(); got != tt.want {
				t.Errorf("Doing() = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLastReplyAndLastAssistantText(t *testing.T) {
	for _, tt := range []struct {
		name        string
		in          []string
		reply, text string
	}{
		{"nothing was said", []string{prompt}, "", ""},
		{"an answer streams", []string{prompt, hi}, "", ""},
		{"an answer is finished", []string{prompt, `{"type":"text","text":"\n First \nsecond"}`, ended}, "First", "\n First \nsecond"},
		{"the last of two answers", []string{prompt, hi, running, `{"type":"text","text":"Bye"}`, ended}, "Bye", "Bye"},
		{"the next turn has said nothing", []string{prompt, hi, ended, prompt, ended}, "Hi", ""},
		{"an interjection is within its turn", []string{prompt, hi, `{"type":"user","text":"and?","interjection":true}`, ended}, "Hi", "Hi"},
		{"the turn made a plan", []string{prompt, hi, `{"type":"plan","plan":{"id":"p","plan":"do it"}}`, ended}, "Hi", "do it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := folded(t, tt.in...)
			if got := s.LastReply(); got != tt.reply {
				t.Errorf("LastReply() = %q, want %q", got, tt.reply)
			}
			if got := s.LastAssistantText(); got != tt.text {
				t.Errorf("LastAssistantText() = %q, want %q", got, tt.text)
			}
		})
	}
}

func TestAVersionGrowsExactlyWhenItsEntryChanges(t *testing.T) {
	s := folded(t, prompt, running, hi)
	before := s.Entries("")
	foldLines(t, s, 3, `{"type":"text","text":"!"}`)
	after := s.Entries("")
	for i, changed := range []bool{false, false, true} {
		if got := after[i].Version > before[i].Version; got != changed {
			t.Errorf("entry %d changed: %v, want %v", i, got, changed)
		}
	}
	foldLines(t, s, 4, finished)
	if got := s.At("", 1); got.Version <= after[1].Version || got.Open {
		t.Errorf("finished tool is %+v", got)
	}
	if before[2].Text != "Hi" || after[2].Text != "Hi!" {
		t.Errorf("entries read earlier changed: %q, %q", before[2].Text, after[2].Text)
	}
}

func TestAccessorsAreCopies(t *testing.T) {
	s := folded(t, prompt,
		`{"type":"question","question":{"id":"k"}}`,
		`{"type":"queue","queue":{"id":"q-1","text":"a"},"queueChange":"queued"}`,
		`{"type":"todos","todos":[{"id":"1","content":"x"}]}`,
		`{"type":"subagent","subagent":{"id":"a"},"subagentChange":"spawned"}`,
		`{"type":"compaction","agent":"a","compaction":{"phase":"started","reason":"auto"}}`,
		`{"type":"meta","state":{"title":"T"}}`)
	s.Asks()[0].ID, s.Queue()[0].ID, s.Todos()[0].ID, s.Agents()[0].Info.ID = "", "", "", ""
	turn, ok := s.Turn()
	if !ok || turn.ID != "turn-1" || s.Title() != "T" || s.Settings().Title != "T" {
		t.Errorf("turn %+v, title %q", turn, s.Title())
	}
	if s.Asks()[0].ID != "k" || s.Queue()[0].ID != "q-1" || s.Todos()[0].ID != "1" || s.Agents()[0].Info.ID != "a" {
		t.Error("an accessor gave out the State's own slice")
	}
	if c, ok := s.Compacting("a"); !ok || c.Reason != "auto" {
		t.Errorf("the sub-agent's compaction is %+v, %v", c, ok)
	}
	if _, ok := s.Compacting("nobody"); ok || s.Len("nobody") != 0 || s.Missing("nobody") != 0 || s.Entries("nobody") == nil {
		t.Error("an unknown agent has something")
	}
	if v := s.Cut(7); !v.HasAgent("a") || v.HasAgent("b") || v.HasAgent("") || v.Seq() != 7 {
		t.Error("HasAgent or Seq is wrong")
	}
}

func TestStringsAreBounded(t *testing.T) {
	long := strings.Repeat("é", proto.StringCap/2) + "é"
	s := New("i")
	s.Fold(1, &proto.Event{Type: proto.EvText, Text: "x" + long})
	s.Fold(2, &proto.Event{Type: proto.EvText, Text: "!"})
	s.Fold(3, &proto.Event{Type: proto.EvTool, Tool: &proto.Tool{ID: "t", RawInput: long, Title: "bad \xff"}})
	s.Fold(4, &proto.Event{Type: proto.EvQueue, QueueChange: "queued", Queue: &proto.QueueRow{ID: "q", Text: long}})
	if e := s.At("", 0); e.Cut || e.Text != "x"+long+"!" {
		t.Errorf("a streamed text of %d bytes is not whole", len(e.Text))
	}
	again := restored(t, encoded(t, s, proto.SnapshotMax), defaultLimits())
	// The cap falls inside a rune, which goes whole.
	if e := again.At("", 0); !e.Cut || len(e.Text) != proto.StringCap-1 {
		t.Errorf("restored text: %d bytes, cut %v", len(e.Text), e.Cut)
	}
	e := again.At("", 1)
	if !e.Cut || len(e.Tool.RawInput) != proto.StringCap || e.Tool.Title != "bad \uFFFD" {
		t.Errorf("restored tool: %d bytes, cut %v, title %q", len(e.Tool.RawInput), e.Cut, e.Tool.Title)
	}
	if len(again.longRows) != 1 || again.longRows[0] != "q" {
		t.Errorf("cut queue rows are %q", again.longRows)
	}
	for range proto.MaxRecordBytes/len(long) + 1 {
		s.Fold(9, &proto.Event{Type: proto.EvThought, Text: long})
	}
	if e := s.At("", 2); !e.Cut || len(e.Text) > proto.MaxRecordBytes {
		t.Errorf("a text of %d bytes, cut %v", len(e.Text), e.Cut)
	}
}

func TestTheOldestLongTextsAreCutFirst(t *testing.T) {
	s := fresh(limits{str: 4, text: 100, total: TranscriptMax, extra: 12})
	for range 3 {
		foldLines(t, s, int(s.Seq()), `{"type":"text","text":"0123456789"}`, `{"type":"done"}`)
	}
	want := []string{"0123", "0123456789", "0123456789"}
	for i, e := range s.Entries("") {
		if e.Text != want[i] || e.Cut != (i == 0) {
			t.Errorf("text %d is %q, cut %v", i, e.Text, e.Cut)
		}
	}
}
