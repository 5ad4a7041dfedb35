package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"craze/shared/proto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lines reads all of r: a line, or "!" for one that was too long.
func lines(t testing.TB, r io.Reader, limit int) []string {
	t.Helper()
	lr := NewLineReader(r, limit)
	var out []string
	for {
		line, err := lr.Next()
		switch {
		case errors.Is(err, ErrLineTooLong):
			out = append(out, "!")
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			t.Fatal(err)
		default:
			out = append(out, string(line))
		}
	}
}

func TestLinesAreBoundedAndALongOneIsSkipped(t *testing.T) {
	long := strings.Repeat("x", 3*readChunk)
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"two", "a\nb\n", []string{"a", "b"}},
		{"a last one with no end", "a\nb", []string{"a", "b"}},
		{"a carriage return", "a\r\nb\r", []string{"a", "b"}},
		{"an empty one", "\n\na\n", []string{"", "", "a"}},
		{"at the limit", "12345678\nx\n", []string{"12345678", "x"}},
		{"past the limit", "123456789\nx\n", []string{"!", "x"}},
		{"far past the limit", long + "\nx\n", []string{"!", "x"}},
		{"far past it, and the end", long, []string{"!"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, lines(t, strings.NewReader(tt.in), 8)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.want, lines(t, iotest.OneByteReader(strings.NewReader(tt.in)), 8)); diff != "" {
				t.Error("a byte at a time:", diff)
			}
		})
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nbb\r\n\n"), 4)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		if limit < 1 || limit > 1<<16 {
			return
		}
		whole := lines(t, bytes.NewReader(in), limit)
		if diff := cmp.Diff(whole, lines(t, iotest.HalfReader(bytes.NewReader(in)), limit)); diff != "" {
			t.Fatal(diff)
		}
		for _, l := range whole {
			if len(l) > limit || strings.Contains(l, "\n") {
				t.Fatalf("line %q", l)
			}
		}
	})
}

func TestParamsAreToldApart(t *testing.T) {
	for _, tt := range []struct {
		name, params string
		reason       proto.Reason
		says         string
	}{
		{"absent", ``, "", ""},
		{"whole", `{"sessionId":"s"}`, "", ""},
		{"an unknown member", `{"sessionId":"s","sesionId":"t"}`, proto.ReasonUnknownField, "params.sesionId"},
		{"another case", `{"SessionID":"s"}`, proto.ReasonUnknownField, "params.SessionID"},
		{"a null", `{"sessionId":null}`, proto.ReasonBadRequest, "params.sessionId is null"},
		{"a wrong type", `{"sessionId":7}`, proto.ReasonBadRequest, "params.sessionId has the wrong type"},
		{"an array", `[]`, proto.ReasonBadRequest, "an object"},
		{"null", `null`, proto.ReasonBadRequest, "an object"},
		{"twice", `{"sessionId":"s","sessionId":"t"}`, proto.ReasonBadRequest, "twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p proto.SessionParams
			refusal := DecodeParams([]byte(tt.params), &p)
			if tt.reason == "" {
				if refusal != nil {
					t.Errorf("refused: %v", refusal)
				}
				return
			}
			if refusal == nil || refusal.Data.Reason != tt.reason || !strings.Contains(refusal.Message, tt.says) || refusal.RPC != proto.RPCBadParams {
				t.Errorf("%+v", refusal)
			}
		})
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"hello","params":{}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":"x","method":"session.prompt","params":{"text":"a"}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		req, refusal := ParseRequest(in)
		line := AppendError(nil, req.ID, LineTooLong())
		if refusal == nil {
			line = AppendResult(line, req.ID, []byte("{}"))
			var p proto.PromptParams
			DecodeParams(req.Params, &p)
		}
		for l := range bytes.Lines(line) {
			if _, err := ParseMessage(l); err != nil {
				t.Fatalf("%q: %v", l, err)
			}
		}
	})
}

func TestAFrameIsNeverLongerThanItSays(t *testing.T) {
	for _, f := range []Frame{Line([]byte("x\n")), Event("s-1", 1, []byte(`{}`)), Event("s-9", 1<<63, []byte(`{"a":1}`))} {
		if n := len(f.AppendTo(nil)); n > f.Size() {
			t.Errorf("%d bytes, said %d", n, f.Size())
		}
	}
}

// TestWhatIsSentArrivesInOrder sends frames of random sizes through a small
// outbox to a reader that reads at its own pace.
func TestWhatIsSentArrivesInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := net.Pipe()
		c := NewConn(a, ConnConfig{MaxQueue: proto.WriterQueueReserved + rapid.IntRange(1, 4000).Draw(t, "room")})
		n := rapid.IntRange(1, 200).Draw(t, "frames")
		done := make(chan int, n)
		go func() {
			for i := 0; i < n; {
				frames := make([]Frame, 0, 4)
				for ; len(frames) < cap(frames) && i < n; i++ {
					body := []byte(fmt.Sprintf(`{"i":%d,"pad":%q}`, i, strings.Repeat("p", i*7%300)))
					frames = append(frames, Event("s-1", uint64(i), body).WithDone(func() { done <- i }))
				}
				if err := c.SendAll(context.Background(), frames); err != nil {
					t.Error(err)
				}
			}
			c.Finish()
		}()
		r := NewLineReader(b, 1<<20)
		for i := range n {
			line, err := r.Next()
			if err != nil || !bytes.Contains(line, []byte(fmt.Sprintf(`"seq":%d,"event":{"i":%d,`, i, i))) {
				t.Fatalf("line %d: %s %v", i, line, err)
			}
		}
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Fatalf("after the last: %v", err)
		}
		c.Wait()
		if len(done) != n || c.Queued() != 0 {
			t.Fatalf("%d of %d done, %d bytes queued", len(done), n, c.Queued())
		}
	})
}

func TestAFullOutboxRefusesAndKeepsRoomForALastLine(t *testing.T) {
	a, b := net.Pipe() // nobody reads b
	c := NewConn(a, ConnConfig{MaxQueue: proto.WriterQueueReserved + 100})
	sent := 0
	for {
		ok, err := c.TrySend(Line(bytes.Repeat([]byte("x"), 60)))
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		sent++
	}
	if sent == 0 || sent > 3 {
		t.Errorf("%d frames went in", sent)
	}
	if err := c.SendFinal(Line(make([]byte, 200))); err != nil {
		t.Errorf("the last line: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Send(ctx, Line([]byte(strings.Repeat("y", 60)))); !errors.Is(err, context.Canceled) {
		t.Errorf("a send that had to wait: %v", err)
	}
	c.Close()
	c.Wait()
	if _, err := c.TrySend(Line([]byte("z"))); !errors.Is(err, ErrClosed) {
		t.Errorf("after the close: %v", err)
	}
	b.Close()
}
