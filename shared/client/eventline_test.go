package client

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"craze/shared/proto"
	"craze/shared/wire"
)

// slowly reads an event line with the decoder.
func slowly(line []byte) (note, bool) {
	msg, err := wire.ParseMessage(line)
	if err != nil || msg.Method != proto.NoteEvent {
		return note{}, false
	}
	return parseNote(msg)
}

// sameNote compares what was read; a nil item is an event that has none.
func sameNote(fast, slow note) string {
	return cmp.Diff(slow, fast, cmp.AllowUnexported(note{}),
		cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".bytes" }, cmp.Ignore()))
}

// eventLine is a line as a host writes it, without its end.
func eventLine(sub string, seq uint64, body string) []byte {
	line := wire.Event(sub, seq, []byte(body)).AppendTo(nil)
	return line[:len(line)-1]
}

func TestEventLinesAreReadAsTheDecoderReadsThem(t *testing.T) {
	whole := string(eventLine("s-1", 7, `{"type":"text","text":"x","at":"2026-01-01T00:00:00Z"}`))
	for _, tt := range []struct {
		name, line string
		fast       bool // the fast path takes it
	}{
		{"a chunk", whole, true},
		{"the largest seq", strings.Replace(whole, ":7,", ":18446744073709551615,", 1), true},
		{"seq 0", strings.Replace(whole, ":7,", ":0,", 1), true},
		{"a seq past a uint64", strings.Replace(whole, ":7,", ":18446744073709551616,", 1), false},
		{"a seq with a leading zero", strings.Replace(whole, ":7,", ":07,", 1), false},
		{"a fractional seq", strings.Replace(whole, ":7,", ":7.0,", 1), false},
		{"a negative seq", strings.Replace(whole, ":7,", ":-7,", 1), false},
		{"members in another order", `{"method":"event","jsonrpc":"2.0","params":{"seq":7,"subscription":"s-1","event":{"type":"text"}}}`, false},
		{"a space", strings.Replace(whole, `,"event":`, `, "event":`, 1), false},
		{"a member more behind the event", whole[:len(whole)-2] + `,"more":1}}`, false},
		{"a member more behind the params", whole[:len(whole)-1] + `,"more":1}`, false},
		{"an escaped subscription", strings.Replace(whole, `"s-1"`, `"s\u002d1"`, 1), false},
		{"no subscription", strings.Replace(whole, `"s-1"`, `""`, 1), false},
		{"another notification", `{"jsonrpc":"2.0","method":"synchronized","params":{"subscription":"s-1","seq":1}}`, false},
		{"a reply", `{"jsonrpc":"2.0","id":1,"result":{}}`, false},
		{"no JSON", whole[:len(whole)-1], false},
		{"two values", whole + whole, false},
		{"an event that is a string", string(eventLine("s-1", 7, `"text"`)), false},
		{"an event of wrong types", string(eventLine("s-1", 7, `{"type":7}`)), false},
		{"a tool", string(eventLine("s-1", 7, `{"type":"tool","tool":{"id":"t","locations":["a"]},"at":"2026-01-01T00:00:00Z"}`)), true},
		{"a kind nobody knows", string(eventLine("s-1", 7, `{"type":"later","more":{"a":[1]}}`)), true},
		{"a line cut where its end looks whole", whole[:len(whole)-3] + `,"tool":{"output":{}}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var r eventReader
			fast, ok := r.read([]byte(tt.line))
			if ok != tt.fast {
				t.Fatalf("the fast path took it: %v", ok)
			}
			slow, known := slowly([]byte(tt.line))
			if ok && !known {
				t.Fatal("the decoder does not take it")
			}
			if diff := sameNote(fast, slow); ok && diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestChunksAreReadAsTheDecoderReadsThem(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		chunk      bool // read without a decoder
	}{
		{"empty", `{"type":"text"}`, true},
		{"a thought", `{"type":"thought","text":"hm"}`, true},
		{"another kind", `{"type":"user","text":"hm"}`, false},
		{"escapes", `{"type":"text","text":"a\n\"b\"\\\u00e9\ud83d\ude00\/"}`, true},
		{"wide characters", `{"type":"text","text":"日本語 é 😀"}`, true},
		{"a lone surrogate", `{"type":"text","text":"\ud83d"}`, false},
		{"an escape that is none", `{"type":"text","text":"\x"}`, false},
		{"a control character", "{\"type\":\"text\",\"text\":\"a\tb\"}", false},
		{"bytes that are no UTF-8", "{\"type\":\"text\",\"text\":\"a\xff\"}", false},
		{"no end", `{"type":"text","text":"a`, false},
		{"an escaped end", `{"type":"text","text":"a\"}`, false},
		{"a sub-agent's", `{"type":"text","text":"a","agent":"child-1"}`, true},
		{"a sub-agent's of a wide name", `{"type":"text","text":"a","agent":"é"}`, false},
		{"a time", `{"type":"text","text":"a","at":"2026-01-01T00:00:00.000000123Z"}`, true},
		{"a time elsewhere", `{"type":"text","text":"a","at":"2026-01-01T00:00:00+05:30"}`, false},
		{"no time", `{"type":"text","text":"a","at":"yesterday"}`, false},
		{"a short hour", `{"type":"text","text":"a","at":"2026-01-01T0:00:00Z"}`, false},
		{"a comma in a time", `{"type":"text","text":"a","at":"2026-01-01T00:00:00,5Z"}`, false},
		{"a cause", `{"type":"text","text":"a","cause":"c-1/1"}`, false},
		{"a text with no opening quote", `{"type":"text","text":00"}`, false},
		{"a null text", `{"type":"text","text":null}`, false},
		{"a text twice", `{"type":"text","text":"a","text":"b"}`, false},
		{"a trailing comma", `{"type":"text","text":"a",}`, false},
		{"something behind", `{"type":"text","text":"a"} `, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var r eventReader
			fast, ok := r.chunk([]byte(tt.body))
			if ok != tt.chunk {
				t.Fatalf("read as a chunk: %v", ok)
			}
			slow, err := proto.DecodeEvent([]byte(tt.body))
			if diff := cmp.Diff(slow, fast); ok && (err != nil || diff != "") {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

func TestWhatAHostWritesIsReadBack(t *testing.T) {
	var r eventReader
	rapid.Check(t, func(t *rapid.T) {
		ev := proto.Event{
			Type:  rapid.SampledFrom([]proto.EventType{proto.EvText, proto.EvThought, proto.EvUser}).Draw(t, "type"),
			Text:  rapid.String().Draw(t, "text"),
			Agent: rapid.SampledFrom([]string{"", "", "child-1", "é"}).Draw(t, "agent"),
			At:    time.Unix(rapid.Int64Range(0, 1<<35).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC(),
		}
		body, err := proto.AppendEvent(nil, &ev)
		if err != nil {
			t.Fatal(err)
		}
		seq := rapid.Uint64().Draw(t, "seq")
		n, ok := r.read(eventLine("s-2", seq, string(body)))
		want := note{sub: "s-2", seq: seq, item: Event{Seq: seq, Event: ev, Body: body}}
		if diff := sameNote(n, want); !ok || diff != "" {
			t.Fatalf("read: %v\n%s", ok, diff)
		}
	})
}

func FuzzEventLine(f *testing.F) {
	for _, body := range []string{
		`{"type":"text","text":"a\n\u00e9","agent":"c","at":"2026-01-01T00:00:00.5+01:00"}`, `{"type":"thought"}`,
		`{"type":"tool","tool":{"id":"t","output":{"exitCode":0}}}`, `{"type":"later","x":[{}]}`, `7`,
	} {
		f.Add(eventLine("s-1", 7, body))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if diff := differs(line); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestALineThatIsNearlyRightIsReadAsTheDecoderReadsIt changes lines a little.
func TestALineThatIsNearlyRightIsReadAsTheDecoderReadsIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := eventLine("s-1", rapid.Uint64().Draw(t, "seq"), rapid.SampledFrom([]string{
			`{"type":"text","text":"a\n\"é","agent":"c","at":"2026-01-01T00:00:00.5Z"}`, `{"type":"thought"}`,
			`{"type":"text","text":"","at":"2026-01-01T00:00:00Z"}`, `{"type":"tool","tool":{"output":{}}}`,
		}).Draw(t, "body"))
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			at := rapid.IntRange(0, len(line)-1).Draw(t, "at")
			with := rapid.SampledFrom([]string{"", `"`, `\`, "{", "}", ":", ",", "0", "1", "-", "Z", "T", "u", " ", "\x00", "\xff", "é", "null"}).Draw(t, "with")
			end := at + rapid.IntRange(0, 1).Draw(t, "instead")
			line = slices.Replace(line, at, end, []byte(with)...)
		}
		if diff := differs(line); diff != "" {
			t.Fatalf("%s: %s", line, diff)
		}
	})
}

// differs says how a line that is read fast is read otherwise by the decoder.
func differs(line []byte) string {
	var r eventReader
	fast, ok := r.read(line)
	if !ok {
		return ""
	}
	slow, known := slowly(line)
	if known {
		return sameNote(fast, slow)
	}
	// The decoder of lines is stricter than that of events, which takes a
	// member twice and bytes that are no UTF-8.
	if _, ok := r.chunk(fast.item.(Event).Body); ok {
		return "the decoder does not take this chunk"
	}
	return ""
}

func BenchmarkEventLine(b *testing.B) {
	chunk := `{"type":"text","text":"a few words of an answer ","at":"2026-01-01T00:00:00.123456789Z"}`
	for _, bb := range []struct{ name, body string }{
		{"chunk", chunk},
		{"escaped", strings.Replace(chunk, " of", `\nof “an”`, 1)},
		{"tool", `{"type":"tool","tool":{"id":"t","name":"Shell","status":"in_progress","title":"go test ./..."},"at":"2026-01-01T00:00:00Z"}`},
	} {
		line := eventLine("s-1", 123456, bb.body)
		b.Run("fast/"+bb.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(line)))
			var r eventReader
			for b.Loop() {
				if _, ok := r.read(line); !ok {
					b.Fatal("not taken")
				}
			}
		})
		b.Run("decoder/"+bb.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				if _, ok := slowly(line); !ok {
					b.Fatal("not taken")
				}
			}
		})
	}
}

func ExampleStream() {
	// A client reads a stream with one switch.
	for _, it := range []Item{Restored{Seq: 1}, Event{Seq: 2, Event: proto.Event{Type: proto.EvText, Text: "hi"}}, Ended{proto.ResetClosed}} {
		switch it := it.(type) {
		case Restored:
			fmt.Println("start from a snapshot of", it.Seq)
		case Event:
			fmt.Println(it.Seq, it.Event.Text)
		case Ended:
			fmt.Println("over:", it.Reason)
		}
	}
	// Output:
	// start from a snapshot of 1
	// 2 hi
	// over: session_closed
}
