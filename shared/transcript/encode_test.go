package transcript

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"craze/shared/proto"
)

const freshSession = `{"version":1,"incarnation":"INCARNATION-1","seq":1,"settings":{"mode":"agent","model":"grok","config":{"options":[` +
	`{"id":"effort","name":"Effort","category":"thought_level","type":"select","current":"medium","selectValues":[{"value":"low","name":"Low"},{"value":"medium","name":"Medium"},{"value":"high","name":"High"}]},` +
	`{"id":"fast","name":"Fast","category":"model_config","type":"select","current":"false","selectValues":[{"value":"false","name":"Off"},{"value":"true","name":"Fast"}]}` +
	`]},"commands":{"commands":[{"name":"research","description":"Agent-advertised command"}]}},"main":{}}`

func TestAFreshSessionsSnapshotIsTheProtocolPagesOwn(t *testing.T) {
	s := New("INCARNATION-1")
	s.Fold(1, parse(t, 1, `{"type":"meta","state":{"mode":"agent","model":"grok","config":{"options":[
		{"id":"effort","name":"Effort","category":"thought_level","type":"select","current":"medium","selectValues":[{"value":"low","name":"Low"},{"value":"medium","name":"Medium"},{"value":"high","name":"High"}]},
		{"id":"fast","name":"Fast","category":"model_config","type":"select","current":"false","selectValues":[{"value":"false","name":"Off"},{"value":"true","name":"Fast"}]}]},
		"commands":{"commands":[{"name":"research","description":"Agent-advertised command"}]}}}`))
	if diff := cmp.Diff(freshSession, string(encoded(t, s, 0))); diff != "" {
		t.Errorf("snapshot differs (-want +got):\n%s", diff)
	}
	if got := encoded(t, restored(t, []byte(freshSession), defaultLimits()), 0); string(got) != freshSession {
		t.Errorf("restored, it is %s", got)
	}
}

func TestASnapshotExactlyFitsItsOwnLength(t *testing.T) {
	s := folded(t, prompt, running, `{"type":"text","text":"x","agent":"a1"}`, hi)
	full := encoded(t, s, 0)
	if got := encoded(t, s, 4*len(full)); !bytes.Equal(got, full) {
		t.Errorf("with room to spare: %s", got)
	}
	v := s.Cut(s.Seq())
	fits := 0
	for budget := 1; budget <= len(full); budget++ {
		out, err := v.Encode(budget, "a1")
		if errors.Is(err, ErrTooLarge) {
			if fits > 0 {
				t.Fatalf("%d bytes are too few, %d were enough", budget, fits)
			}
			continue
		}
		if err != nil || len(out) > budget {
			t.Fatalf("budget %d: %d bytes, %v", budget, len(out), err)
		}
		if fits == 0 {
			fits = budget
			if len(out) != budget {
				t.Errorf("the smallest snapshot is %d bytes, but needs a budget of %d", len(out), budget)
			}
		}
		if !bytes.Contains(out, []byte(`"text":"Hi"`)) {
			t.Errorf("budget %d leaves out the newest main entry: %s", budget, out)
		}
	}
}

func TestTheSlashCatalogYieldsToTheBudget(t *testing.T) {
	s := folded(t, `{"type":"meta","state":{"slash":{"items":[{"name":"help","source":"builtin","run":{"kind":"local","local":"help"}}]}}}`, hi)
	v := s.Cut(2)
	full := encoded(t, s, 0)
	for _, tt := range []struct {
		name     string
		take     string // what yields
		put      string
		tooSmall bool
	}{
		{name: "all of it fits"},
		{name: "the catalog yields, and a mark says so", take: `"slash":{"items":[{"name":"help","source":"builtin","run":{"kind":"local","local":"help"}}]}`, put: `"truncated":{"slash":true}`},
		{name: "the mark yields too", take: `,"settings":{"slash":{"items":[{"name":"help","source":"builtin","run":{"kind":"local","local":"help"}}]}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := strings.Replace(string(full), tt.take, tt.put, 1)
			got, err := v.Encode(len(want), "")
			if err != nil || string(got) != want {
				t.Errorf("in %d bytes: %s, %v\nwant %s", len(want), got, err, want)
			}
		})
	}
	if _, err := v.Encode(10, ""); !errors.Is(err, ErrTooLarge) {
		t.Errorf("in 10 bytes: %v", err)
	}
}

func TestSlashRowsAreDroppedNotAltered(t *testing.T) {
	long := strings.Repeat("x", proto.StringCap+1)
	items := []proto.SlashRow{{Name: "a", Description: long}, {Name: "b", Run: proto.SlashRun{Setting: &proto.Setting{Value: long}}}, {Name: long}, {Name: "c"}}
	s := New("i")
	s.Fold(1, &proto.Event{Type: proto.EvMeta, State: &proto.StateDelta{Slash: &proto.SlashCatalog{Items: items}}})
	got := s.Settings()
	if n := len(got.Slash.Items); n != 2 || !got.Truncated.Slash || len(got.Slash.Items[0].Description) != proto.StringCap {
		t.Errorf("%d rows, marked %v", n, got.Truncated.Slash)
	}
	if len(items[0].Description) != len(long) {
		t.Error("the event's own row was cut")
	}
	s.Fold(2, &proto.Event{Type: proto.EvMeta, State: &proto.StateDelta{Slash: &proto.SlashCatalog{Items: make([]proto.SlashRow, slashRowsMax+1)}}})
	if got := s.Settings(); len(got.Slash.Items) != slashRowsMax || !got.Truncated.Slash {
		t.Errorf("%d rows, marked %v", len(got.Slash.Items), got.Truncated.Slash)
	}
	s.Fold(3, &proto.Event{Type: proto.EvMeta, State: &proto.StateDelta{Slash: &proto.SlashCatalog{}}})
	if got := s.Settings(); got.Slash == nil || got.Truncated.Slash {
		t.Errorf("a clearing section left %+v", got)
	}
}

// A window without a sub-agent's streaming entry goes on leaving it out, at
// its full weight, until something else starts.
func TestAnOmittedStreamStaysOmitted(t *testing.T) {
	big := strings.Repeat("b", 10_000)
	s := New("i")
	s.Fold(1, &proto.Event{Type: proto.EvTool, Agent: "a1", Tool: &proto.Tool{ID: "t9", Status: "pending"}})
	s.Fold(2, &proto.Event{Type: proto.EvText, Text: big, Agent: "a1"})
	s.Fold(3, &proto.Event{Type: proto.EvText, Text: "main"})
	data := encoded(t, s, 4000)
	again := restored(t, data, defaultLimits())
	want := `{"id":"a1","windowed":true,"streamOpen":true,"omittedRun":"assistant","omitted":[[265,"t9"],[10256]]}`
	if !bytes.Contains(data, []byte(want)) {
		t.Fatalf("snapshot is %s", data)
	}
	for i, ev := range []*proto.Event{
		{Type: proto.EvText, Text: "more", Agent: "a1"},
		{Type: proto.EvTool, Agent: "a1", Tool: &proto.Tool{ID: "t9", Status: "completed", Title: "ten bytes!"}},
		{Type: proto.EvThought, Text: "hm", Agent: "a1"},
		{Type: proto.EvText, Text: "next", Agent: "a1"},
	} {
		s.Fold(uint64(4+i), ev)
		again.Fold(uint64(4+i), ev)
	}
	compareWindows(t, s, again)
	if got := again.Entries("a1"); len(got) != 2 || got[1].Text != "next" || again.Missing("a1") != 2 {
		t.Errorf("restored entries are %+v, %d missing", got, again.Missing("a1"))
	}
}

func TestTheNamedAgentGetsTheRoomFirst(t *testing.T) {
	s := New("i")
	for i := range 20 {
		s.Fold(uint64(2*i+1), &proto.Event{Type: proto.EvTool, Agent: "a1", Tool: &proto.Tool{ID: strings.Repeat("t", i+1), Title: strings.Repeat("x", 200)}})
		s.Fold(uint64(2*i+2), &proto.Event{Type: proto.EvTool, Tool: &proto.Tool{ID: strings.Repeat("t", i+1), Title: strings.Repeat("x", 200)}})
	}
	v := s.Cut(40)
	count := func(first string) (main, sub int) {
		out, err := v.Encode(4000, first)
		if err != nil {
			t.Fatal(err)
		}
		again := restored(t, out, defaultLimits())
		return again.Len(""), again.Len("a1")
	}
	plainMain, plainSub := count("")
	main, sub := count("a1")
	if plainSub != 0 || plainMain < 5 || main != 1 || sub < 5 {
		t.Errorf("plain %d and %d entries, with a1 first %d and %d", plainMain, plainSub, main, sub)
	}
}

func TestRestoreRefusesWhatItCannotRead(t *testing.T) {
	for name, data := range map[string]string{
		"another version":               `{"version":2,"main":{}}`,
		"another version's other shape": `{"version":2,"main":[1,2]}`,
		"no version":                    `{"main":{}}`,
	} {
		if _, err := Restore([]byte(data)); !errors.Is(err, ErrVersion) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, data := range map[string]string{
		"not JSON":          `{"version":1,`,
		"a wrong type":      `{"version":1,"main":{"entries":{}}}`,
		"an empty omission": `{"version":1,"main":{"omitted":[[]]}}`,
		"a negative weight": `{"version":1,"main":{"omitted":[[-1]]}}`,
	} {
		if _, err := Restore([]byte(data)); err == nil || errors.Is(err, ErrVersion) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s, err := Restore([]byte(`{"version":1,"seq":3,"hologram":{},"main":{"glow":1,"omitted":[[9,"t","later"]],"entries":[{"id":"1.0","kind":"hologram","text":"x","hue":2}]}}`))
	if err != nil || s.Seq() != 3 || s.At("", 0).Text != "x" || s.Missing("") != 1 {
		t.Errorf("members of a later build: %v", err)
	}
}

func TestAViewIsReadWhileItsOwnerFoldsOn(t *testing.T) {
	s := folded(t, prompt, running, hi)
	text := &proto.Event{Type: proto.EvText, Text: strings.Repeat("chunk ", 20)}
	tool := parse(t, 1, running)
	var wg sync.WaitGroup
	defer wg.Wait()
	for i := range 60 {
		v := s.Cut(s.Seq())
		want := restored(t, encoded(t, s, 0), defaultLimits()).Entries("")
		wg.Go(func() { // ends with its one encoding
			out, err := v.Encode(0, "")
			if err != nil {
				t.Errorf("encode: %v", err)
				return
			}
			again, err := Restore(out)
			if err != nil {
				t.Errorf("restore: %v", err)
				return
			}
			if diff := cmp.Diff(want, again.Entries("")); diff != "" {
				t.Errorf("the view changed:\n%s", diff)
			}
		})
		for range 10 {
			s.Fold(s.Seq()+1, text)
		}
		s.Fold(s.Seq()+1, tool)
		if i%20 == 19 {
			foldLines(t, s, int(s.Seq()), ended, prompt, `{"type":"text","text":"again"}`)
		}
	}
}
