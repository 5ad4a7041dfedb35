package client

import (
	"bytes"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"craze/shared/proto"
)

// The shape in which hosts write an event line, around its subscription, seq
// and body, and the parts of a text chunk's body in the order they come.
const (
	eventHead = `{"jsonrpc":"2.0","method":"event","params":{"subscription":"`
	eventSeq  = `","seq":`
	eventBody = `,"event":`
	eventTail = `}}`
	chunkHead = `{"type":"`
	chunkText = `,"text":`
	chunkSub  = `,"agent":"`
	chunkAt   = `,"at":"`
)

// eventReader reads event lines of the usual shape without a JSON decoder:
// nearly every line of a long turn is a chunk of text, and there can be
// hundreds of thousands a second. Any other line is left to the decoder, which
// gives the same for all that this one takes.
type eventReader struct {
	sub   string // the latest subscription, not to make it again for each line
	agent string // the latest chunk's sub-agent, likewise

	scratch []byte // a text while it is unescaped
}

// scratchMost is the most an eventReader keeps allocated between two texts.
const scratchMost = 64 << 10

// read reads one line. It reports whether it could; the note shares nothing
// with the line.
func (r *eventReader) read(line []byte) (note, bool) {
	rest, ok := cutPrefix(line, eventHead)
	if !ok {
		return note{}, false
	}
	sub, rest, ok := plainString(rest)
	if !ok || len(sub) == 0 {
		return note{}, false
	}
	if rest, ok = cutPrefix(rest, eventSeq[1:]); !ok {
		return note{}, false
	}
	seq, rest, ok := number(rest)
	if !ok {
		return note{}, false
	}
	if rest, ok = cutPrefix(rest, eventBody); !ok || len(rest) < len(eventTail) {
		return note{}, false
	}
	body := rest[:len(rest)-len(eventTail)]
	if string(rest[len(body):]) != eventTail {
		return note{}, false
	}
	item, ok := r.item(seq, body)
	if !ok {
		return note{}, false // not one JSON value, as of a line that was cut
	}
	return note{sub: same(&r.sub, sub), seq: seq, item: item, bytes: len(body)}, true
}

func (r *eventReader) item(seq uint64, body []byte) (Item, bool) {
	if ev, ok := r.chunk(body); ok {
		return Event{Seq: seq, Event: ev, Body: bytes.Clone(body)}, true
	}
	if len(body) == 0 || body[0] != '{' || body[len(body)-1] != '}' {
		return nil, false // no object, or space around one
	}
	item := decodeItem(seq, bytes.Clone(body))
	return item, item != nil
}

// chunk reads the body of a text or thought chunk.
func (r *eventReader) chunk(body []byte) (ev proto.Event, ok bool) {
	rest, ok := cutPrefix(body, chunkHead)
	if !ok {
		return ev, false
	}
	kind, rest, ok := plainString(rest)
	if !ok {
		return ev, false
	}
	switch string(kind) {
	case string(proto.EvText):
		ev.Type = proto.EvText
	case string(proto.EvThought):
		ev.Type = proto.EvThought
	default:
		return ev, false
	}
	if after, found := cutPrefix(rest, chunkText); found {
		if ev.Text, rest, ok = r.text(after); !ok {
			return ev, false
		}
	}
	if after, found := cutPrefix(rest, chunkSub); found {
		var agent []byte
		if agent, rest, ok = plainString(after); !ok {
			return ev, false
		}
		ev.Agent = same(&r.agent, agent)
	}
	if after, found := cutPrefix(rest, chunkAt); found {
		if ev.At, rest, ok = stamp(after); !ok {
			return ev, false
		}
	}
	return ev, string(rest) == "}"
}

// same is b as a string, made only when it differs from the latest.
func same(latest *string, b []byte) string {
	if string(b) != *latest {
		*latest = string(b)
	}
	return *latest
}

func cutPrefix(b []byte, prefix string) ([]byte, bool) {
	if len(b) < len(prefix) || string(b[:len(prefix)]) != prefix {
		return b, false
	}
	return b[len(prefix):], true
}

// plainString reads up to a string's closing quote. It takes ASCII that needs
// no unescaping.
func plainString(b []byte) (s, rest []byte, ok bool) {
	for i, c := range b {
		if c == '"' {
			return b[:i], b[i+1:], true
		}
		if c < ' ' || c == '\\' || c >= utf8.RuneSelf {
			break
		}
	}
	return nil, b, false
}

// text reads a string from its opening quote on, and unescapes it.
func (r *eventReader) text(b []byte) (s string, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return "", b, false
	}
	plain := true // ASCII with no escapes
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"' && plain:
			return string(b[1:i]), b[i+1:], true
		case c == '"':
			s, ok = r.unquote(b[:i+1])
			return s, b[i+1:], ok
		case c == '\\':
			plain = false
			i++ // whatever it is, it does not end the string
		case c < ' ':
			return "", b, false
		case c >= utf8.RuneSelf:
			plain = false
		}
	}
	return "", b, false
}

func (r *eventReader) unquote(quoted []byte) (string, bool) {
	if cap(r.scratch) > scratchMost {
		r.scratch = nil
	}
	var err error
	r.scratch, err = jsontext.AppendUnquote(r.scratch[:0], quoted)
	return string(r.scratch), err == nil
}

// number reads a JSON number that is a uint64.
func number(b []byte) (n uint64, rest []byte, ok bool) {
	i := 0
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	if i == 0 || (b[0] == '0' && i > 1) {
		return 0, b, false
	}
	n, err := strconv.ParseUint(string(b[:i]), 10, 64)
	return n, b[i:], err == nil
}

// stamp reads a UTC time up to its closing quote. It takes none of the shapes
// that package time takes and RFC 3339 does not.
func stamp(b []byte) (t time.Time, rest []byte, ok bool) {
	const hour, fraction = len("2006-01-02T"), len("2006-01-02T15:04:05")
	s, rest, ok := plainString(b)
	if !ok || len(s) <= fraction || s[hour+1] == ':' || s[fraction] == ',' || s[len(s)-1] != 'Z' {
		return time.Time{}, b, false
	}
	err := t.UnmarshalText(s)
	return t, rest, err == nil
}
