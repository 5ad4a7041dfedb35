package acp

import "craze/shared/proto"

// chunk is a text chunk as the scanner read it. session aliases the line.
type chunk struct {
	session []byte
	kind    proto.EventType
	text    string
}

// chunkScanner decodes the commonest line an agent writes, a session/update
// with one text block, without the JSON decoder. It accepts nothing that the
// decoder would read otherwise: a member twice, an escaped name, a surrogate
// escape, a null or a line of any other shape is left to the decoder.
type chunkScanner struct {
	scanner
	scratch []byte
}

// The members a chunk line may have once; bits of the seen sets below.
const (
	seenFirst = 1 << iota
	seenSecond
	seenThird
)

// scan decodes line, which is valid UTF-8.
func (c *chunkScanner) scan(line []byte) (chunk, bool) {
	c.b, c.i = line, 0
	if cap(c.scratch) > blockSize {
		c.scratch = nil
	}
	var out chunk
	ok := c.message(&out)
	c.space()
	return out, ok && c.i == len(c.b)
}

// message reads {"jsonrpc", "method", "params"}; an id makes it another thing.
func (c *chunkScanner) message(out *chunk) bool {
	if !c.take('{') {
		return false
	}
	seen := 0
	for {
		key, end, ok := c.next(seen == 0)
		if !ok || end {
			return ok && seen&(seenSecond|seenThird) == seenSecond|seenThird
		}
		switch string(key) {
		case "jsonrpc":
			ok = mark(&seen, seenFirst) && c.skip(0)
		case "method":
			ok = mark(&seen, seenSecond) && c.is("session/update")
		case "params":
			ok = mark(&seen, seenThird) && c.params(out)
		default:
			return false
		}
		if !ok {
			return false
		}
	}
}

// params reads {"sessionId", "update", "_meta"}.
func (c *chunkScanner) params(out *chunk) bool {
	if !c.take('{') {
		return false
	}
	seen := 0
	for first := true; ; first = false {
		key, end, ok := c.next(first)
		if !ok || end {
			return ok && seen&(seenFirst|seenSecond) == seenFirst|seenSecond
		}
		switch string(key) {
		case "sessionId":
			if ok = mark(&seen, seenFirst); ok {
				out.session, ok = c.plain()
			}
		case "update":
			ok = mark(&seen, seenSecond) && c.update(out)
		default:
			ok = c.skip(0)
		}
		if !ok {
			return false
		}
	}
}

// update reads {"sessionUpdate", "content", ...}.
func (c *chunkScanner) update(out *chunk) bool {
	if !c.take('{') {
		return false
	}
	seen := 0
	for first := true; ; first = false {
		key, end, ok := c.next(first)
		if !ok || end {
			return ok && seen == seenFirst|seenSecond
		}
		switch string(key) {
		case "sessionUpdate":
			ok = mark(&seen, seenFirst) && c.chunkKind(out)
		case "content":
			ok = mark(&seen, seenSecond) && c.content(out)
		default:
			ok = c.skip(0)
		}
		if !ok {
			return false
		}
	}
}

func (c *chunkScanner) chunkKind(out *chunk) bool {
	kind, ok := c.plain()
	switch string(kind) {
	case "agent_message_chunk":
		out.kind = proto.EvText
	case "agent_thought_chunk":
		out.kind = proto.EvThought
	default:
		return false
	}
	return ok
}

// content reads {"type":"text", "text", ...}.
func (c *chunkScanner) content(out *chunk) bool {
	if !c.take('{') {
		return false
	}
	seen := 0
	for first := true; ; first = false {
		key, end, ok := c.next(first)
		if !ok || end {
			return ok && seen == seenFirst|seenSecond
		}
		switch string(key) {
		case "type":
			ok = mark(&seen, seenFirst) && c.is("text")
		case "text":
			if ok = mark(&seen, seenSecond); ok {
				out.text, c.scratch, ok = c.text(c.scratch)
			}
		default:
			ok = c.skip(0)
		}
		if !ok {
			return false
		}
	}
}

func (c *chunkScanner) is(want string) bool {
	got, ok := c.plain()
	return ok && string(got) == want
}

// mark adds bit to seen; false says it was there.
func mark(seen *int, bit int) bool {
	fresh := *seen&bit == 0
	*seen |= bit
	return fresh
}
