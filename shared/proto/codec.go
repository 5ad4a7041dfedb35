package proto

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// AppendEvent appends ev in event codec 1 and returns the extended buffer. A
// chunk of text, which is nearly every event of a long turn, is written
// without reflection; the bytes are the same either way.
func AppendEvent(b []byte, ev *Event) ([]byte, error) {
	if isChunk(ev) {
		return appendChunk(b, ev), nil
	}
	enc, err := json.Marshal(ev, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return b, fmt.Errorf("encode event: %w", err)
	}
	return append(b, enc...), nil
}

// DecodeEvent decodes one event body. Members and types it does not know are
// ignored and kept out of the result.
func DecodeEvent(body []byte) (Event, error) {
	var ev Event
	err := json.Unmarshal(body, &ev, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	return ev, nil
}

// isChunk reports whether ev has nothing but what a text chunk has.
func isChunk(ev *Event) bool {
	if ev.Type != EvText && ev.Type != EvThought {
		return false
	}
	return ev.Tool == nil && ev.Todos == nil && ev.State == nil && ev.Err == nil && ev.Cause == "" &&
		!ev.Replayed && !ev.Interjection && ev.StopReason == "" && ev.Turn == nil && ev.Mode == "" && plain(ev.Agent)
}

// plain reports whether s is written in JSON as it stands.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func appendChunk(b []byte, ev *Event) []byte {
	b = append(b, `{"type":"`...)
	b = append(b, ev.Type...)
	b = append(b, '"')
	if ev.Text != "" {
		b = append(b, `,"text":`...)
		b = appendString(b, ev.Text)
	}
	if ev.Agent != "" {
		b = append(b, `,"agent":"`...)
		b = append(b, ev.Agent...)
		b = append(b, '"')
	}
	if !ev.At.IsZero() {
		b = append(b, `,"at":"`...)
		b = ev.At.AppendFormat(b, time.RFC3339Nano)
		b = append(b, '"')
	}
	return append(b, '}')
}

func appendString(b []byte, s string) []byte {
	if plain(s) {
		b = append(b, '"')
		b = append(b, s...)
		return append(b, '"')
	}
	// AppendQuote fails only on invalid UTF-8, and then has appended the
	// string with U+FFFD in its place, which is what the slow path writes.
	b, _ = jsontext.AppendQuote(b, s)
	return b
}
