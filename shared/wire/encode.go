package wire

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"craze/shared/proto"
)

// Encode gives v as one line of JSON, without its end. A nil slice is [].
func Encode(v any) ([]byte, error) {
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return b, nil
}

// AppendRequest appends a request line with its newline.
func AppendRequest(b []byte, id uint64, method proto.Method, params []byte) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendUint(b, id, 10)
	b = append(b, `,"method":`...)
	b = strconv.AppendQuote(b, string(method))
	b = append(b, `,"params":`...)
	b = append(b, params...)
	return append(b, "}\n"...)
}

// AppendResult appends a reply line. id is echoed as it was sent.
func AppendResult(b []byte, id jsontext.Value, result []byte) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"result":`...)
	b = append(b, result...)
	return append(b, "}\n"...)
}

// AppendError appends a refusal line; a nil id is written as null.
func AppendError(b []byte, id jsontext.Value, refusal *proto.Error) []byte {
	if id == nil {
		id = jsontext.Value("null")
	}
	body, err := Encode(refusal)
	if err != nil { // only Data.Result can fail to encode, and a refusal without it still says all
		bare := *refusal
		bare.Data.Result = nil
		body, _ = Encode(&bare)
	}
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"error":`...)
	b = append(b, body...)
	return append(b, "}\n"...)
}

// AppendNote appends a notification line.
func AppendNote(b []byte, method proto.Method, params []byte) []byte {
	b = append(b, `{"jsonrpc":"2.0","method":"`...)
	b = append(b, method...)
	b = append(b, `","params":`...)
	b = append(b, params...)
	return append(b, "}\n"...)
}

// The parts of an event notification around its subscription, seq and body.
const (
	eventHead = `{"jsonrpc":"2.0","method":"event","params":{"subscription":"`
	eventSeq  = `","seq":`
	eventBody = `,"event":`
	eventTail = "}}\n"
	// seqDigits is the longest a uint64 is in decimal.
	seqDigits = 20
)

// Frame is one line that waits to be written: a whole line, or an event that
// shares its body.
type Frame struct {
	line []byte
	sub  string
	seq  uint64
	body []byte
	done func()
}

// Line makes a frame of a whole line, its newline included.
func Line(line []byte) Frame { return Frame{line: line} }

// Event makes a frame of one record for a subscription.
func Event(sub string, seq uint64, body []byte) Frame {
	return Frame{sub: sub, seq: seq, body: body}
}

// WithDone makes done be called, from the writer, once the frame has been
// written or will never be. It must not block.
func (f Frame) WithDone(done func()) Frame {
	f.done = done
	return f
}

// Size is the frame's length in bytes, at most (an event counts its seq at
// its longest).
func (f Frame) Size() int {
	if f.line != nil {
		return len(f.line)
	}
	return len(eventHead) + len(f.sub) + len(eventSeq) + seqDigits + len(eventBody) + len(f.body) + len(eventTail)
}

// AppendTo appends the frame's line.
func (f Frame) AppendTo(b []byte) []byte {
	if f.line != nil {
		return append(b, f.line...)
	}
	b = append(b, eventHead...)
	b = append(b, f.sub...)
	b = append(b, eventSeq...)
	b = strconv.AppendUint(b, f.seq, 10)
	b = append(b, eventBody...)
	b = append(b, f.body...)
	return append(b, eventTail...)
}
