package peer

import (
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// output writes frames, whole and one at a time. After a failed write it
// writes nothing more, and failed is closed.
type output struct {
	w      io.Writer
	failed chan struct{}

	mu  sync.Mutex
	err error // the first failure
}

func newOutput(w io.Writer) *output {
	return &output{w: w, failed: make(chan struct{})}
}

// bytes writes b in one Write, as it is.
func (o *output) bytes(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	if _, err := o.w.Write(b); err != nil {
		o.err = fmt.Errorf("write to the client: %w", err)
		close(o.failed)
	}
}

// frame writes v as one line.
func (o *output) frame(v any) { o.bytes(append(encode(v), '\n')) }

// failure is the error behind failed, nil before that.
func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// encode returns v as JSON on one line. File names and prompts are quoted in
// frames, so what is not UTF-8 becomes U+FFFD instead of failing the frame.
func encode(v any) []byte {
	b, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		panic(fmt.Sprintf("encode a frame: %v", err)) // the frames are this module's own types
	}
	return b
}
