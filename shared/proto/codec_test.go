package proto

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestAChunkIsWrittenAsAnyEventIs(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 120, time.UTC)
	for _, ev := range []Event{
		{Type: EvText, Text: "plain", At: at},
		{Type: EvThought, Text: "q\"uo\\te\n\t<b>&\u2028é😀", At: at},
		{Type: EvText, Text: "bad \xff utf8"},
		{Type: EvText, Agent: "child-1", Text: "x"},
		{Type: EvText, Agent: "é", Text: "x"},
		{Type: EvText},
	} {
		slow, err := json.Marshal(&ev, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
		if err != nil {
			t.Fatal(err)
		}
		fast, err := AppendEvent(nil, &ev)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(slow), string(fast)); diff != "" {
			t.Errorf("%q (-slow +fast):\n%s", ev.Text, diff)
		}
	}
}

func TestMemberOrderIsThePages(t *testing.T) {
	zero := 0
	ev := Event{
		Type: EvTool, Agent: "child-1", Cause: "c-1/1", Replayed: true,
		Tool: &Tool{ID: "t", Status: ToolCompleted, Output: &ToolOutput{ExitCode: &zero}},
		At:   time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	got, err := AppendEvent(nil, &ev)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"tool","tool":{"id":"t","status":"completed","output":{"exitCode":0}},"agent":"child-1",` +
		`"replayed":true,"cause":"c-1/1","at":"2026-01-01T00:00:00Z"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	back, err := DecodeEvent(got)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ev, back); diff != "" {
		t.Error(diff)
	}
}

func FuzzDecodeEvent(f *testing.F) {
	f.Add([]byte(`{"type":"text","text":"x","at":"2026-01-01T00:00:00Z"}`))
	f.Add([]byte(`{"type":"turn","turn":{"id":"turn-1","phase":"started"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		ev, err := DecodeEvent(b)
		if err != nil {
			return
		}
		out, err := AppendEvent(nil, &ev)
		if err != nil {
			return // a time outside four-digit years decodes nowhere else either
		}
		if _, err := DecodeEvent(out); err != nil {
			t.Fatalf("%s does not decode: %v", out, err)
		}
	})
}

func BenchmarkAppendChunk(b *testing.B) {
	ev := Event{Type: EvText, Text: "chunk-123456 ", At: time.Now().UTC()}
	buf := make([]byte, 0, 256)
	for b.Loop() {
		buf, _ = AppendEvent(buf[:0], &ev)
	}
}
