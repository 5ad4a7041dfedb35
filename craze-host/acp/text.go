package acp

import (
	"strconv"

	"craze/craze-host/agent"
	"craze/shared/proto"

	"github.com/go-json-experiment/json/jsontext"
)

// placeID names the i-th row of a list whose rows have no ids.
func placeID(i int) string { return strconv.Itoa(i + 1) }

// textMax is the most one text update carries: far below what an event may
// take even with every byte escaped. A longer chunk is several updates.
const textMax = proto.StringCap

// halfRune is the high surrogate escape that a chunk ended with, kept for the
// next chunk of its kind: agents that cut at UTF-16 units split an emoji so.
type halfRune struct {
	kind proto.EventType
	raw  string // the escape's six bytes, "" when there is none
}

// chunkOf handles a chunk of text that the chunk scanner left.
func chunkOf(kind proto.EventType) func(*loop, jsontext.Value) {
	return func(l *loop, update jsontext.Value) {
		var u struct {
			Content jsontext.Value `json:"content"`
		}
		if lenient(update, &u) != nil {
			return
		}
		if raw := textOf(u.Content); raw != nil {
			l.text(kind, l.join(kind, raw))
		}
	}
}

// textOf gives a content block's text as the JSON string it is: a text block's
// own, an embedded resource's, or a link's address. Nil for anything else.
func textOf(content jsontext.Value) jsontext.Value {
	var c struct {
		Type     jsontext.Value `json:"type"`
		Text     jsontext.Value `json:"text"`
		URI      jsontext.Value `json:"uri"`
		Resource struct {
			Text jsontext.Value `json:"text"`
		} `json:"resource"`
	}
	if lenient(content, &c) != nil {
		return nil
	}
	var v jsontext.Value
	switch first(c.Type) {
	case "text":
		v = c.Text
	case "resource":
		v = c.Resource.Text
	case "resource_link":
		v = c.URI
	}
	if v.Kind() != '"' {
		return nil
	}
	return v
}

// join decodes a chunk's text, putting a rune cut over two chunks together.
func (l *loop) join(kind proto.EventType, raw jsontext.Value) string {
	if l.half.raw != "" && l.half.kind == kind && surrogate(raw[1:], 'c', 'f') {
		raw = append(jsontext.Value(`"`+l.half.raw), raw[1:]...)
		l.half.raw = ""
	}
	l.flushHalf()
	if at := len(raw) - 7; at >= 1 && surrogate(raw[at:], '8', 'b') && !escapedAt(raw, at) {
		l.half = halfRune{kind, string(raw[at : at+6])}
		raw = append(raw[:at:at], '"')
	}
	text, _ := str(raw)
	return text
}

// surrogate reports whether b starts with the escape of a surrogate whose
// second digit is within lo to hi.
func surrogate(b []byte, lo, hi byte) bool {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' || b[2]|0x20 != 'd' {
		return false
	}
	c := b[3]
	if c >= 'A' && c <= 'F' {
		c |= 0x20
	}
	return c >= lo && c <= hi
}

// escapedAt reports whether the backslash at i is itself escaped.
func escapedAt(raw []byte, i int) bool {
	n := 0
	for j := i - 1; j >= 0 && raw[j] == '\\'; j-- {
		n++
	}
	return n%2 == 1
}

// flushHalf tells the rune half that nothing completes.
func (l *loop) flushHalf() {
	if l.half.raw == "" {
		return
	}
	l.half.raw = ""
	l.tell(agent.Text{Kind: l.half.kind, Text: replacement})
}

// text tells a chunk, in pieces where it is too long for one event.
func (l *loop) text(kind proto.EventType, text string) {
	if text == "" {
		return
	}
	for len(text) > textMax {
		piece := cutHead(text, textMax)
		l.tell(agent.Text{Kind: kind, Text: piece})
		text = text[len(piece):]
	}
	l.tell(agent.Text{Kind: kind, Text: text})
}
