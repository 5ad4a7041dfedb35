package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"craze/shared/proto"
	"craze/shared/sock"
	"craze/shared/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long anything in these tests may take.
const patience = 20 * time.Second

// rig is a scripted host: each dial is answered by the next script, and past
// the last nobody listens.
type rig struct {
	t       testing.TB
	running sync.WaitGroup

	mu      sync.Mutex
	scripts []func(*peer)
	dials   int
}

func newRig(t testing.TB, scripts ...func(*peer)) *rig {
	r := &rig{t: t, scripts: scripts}
	t.Cleanup(r.running.Wait)
	return r
}

func (r *rig) dial(context.Context) (net.Conn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dials++
	if len(r.scripts) == 0 {
		return nil, fmt.Errorf("%w: no script", sock.ErrNobody)
	}
	script := r.scripts[0]
	r.scripts = r.scripts[1:]
	a, b := net.Pipe()
	r.running.Go(func() { play(r.t, b, script) })
	return a, nil
}

// open opens a session of the rig, closed when the test ends.
func (r *rig) open() *Session {
	r.t.Helper()
	s, err := OpenSession(r.t.Context(), SessionConfig{Config: Config{Dial: r.dial, Kind: "test"}, SessionID: "s"})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { s.Close() })
	return s
}

// peer is the host's end of one connection. A method that fails ends the
// script.
type peer struct {
	t     testing.TB
	conn  net.Conn
	lines *wire.LineReader
}

// over ends a script.
type over struct{}

func play(t testing.TB, conn net.Conn, script func(*peer)) {
	defer func() {
		conn.Close()
		if v := recover(); v != nil && v != (over{}) {
			t.Errorf("script: %v", v)
		}
	}()
	script(&peer{t: t, conn: conn, lines: wire.NewLineReader(conn, proto.InboundLineMax)})
}

func (p *peer) fail(format string, args ...any) {
	p.t.Errorf("the host's script: "+format, args...)
	panic(over{})
}

// next reads one request; nil at the connection's end.
func (p *peer) next() *wire.Request {
	line, err := p.lines.Next()
	if err != nil {
		return nil
	}
	req, refusal := wire.ParseRequest(line)
	if refusal == nil {
		return &req
	}
	bad := string(line)
	if _, err := p.lines.Next(); err == nil {
		p.fail("%s: %v", bad, refusal)
	}
	return nil // the connection was cut in it
}

// expect reads a request of a method, with params of a JSON text ("" for any).
func (p *peer) expect(m proto.Method, params string) *wire.Request {
	req := p.next()
	if req == nil {
		p.fail("the connection ended before %s", m)
	}
	if req.Method != m || params != "" && string(req.Params) != params {
		p.fail("got %s %s, want %s %s", req.Method, req.Params, m, params)
	}
	return req
}

// drain answers nothing until the connection ends.
func (p *peer) drain() {
	for p.next() != nil {
	}
}

func (p *peer) write(line []byte) {
	if _, err := p.conn.Write(line); err != nil {
		panic(over{}) // the client is gone, as it may be
	}
}

func (p *peer) reply(req *wire.Request, result string) {
	p.write(wire.AppendResult(nil, req.ID, []byte(result)))
}

func (p *peer) refuse(req *wire.Request, code proto.Code, reason proto.Reason) {
	p.write(wire.AppendError(nil, req.ID, proto.Refuse(code, reason, "no")))
}

func (p *peer) note(m proto.Method, params string) { p.write(wire.AppendNote(nil, m, []byte(params))) }

func chunkBody(text string) string {
	return fmt.Sprintf(`{"type":"text","text":%q,"at":"2026-01-01T00:00:00Z"}`, text)
}

func (p *peer) event(sub string, seq uint64, text string) {
	p.write(wire.Event(sub, seq, []byte(chunkBody(text))).AppendTo(nil))
}

func (p *peer) synced(sub string, seq uint64) {
	p.note(proto.NoteSynchronized, fmt.Sprintf(`{"subscription":%q,"seq":%d}`, sub, seq))
}

func (p *peer) reset(sub string, reason proto.ResetReason) {
	p.note(proto.NoteReset, fmt.Sprintf(`{"subscription":%q,"reason":%q}`, sub, reason))
}

// identity is what a host's hello says of its client.
type identity struct {
	host, client, token string
	resumed             bool
}

var (
	first   = identity{"0123456789ab", "c-1", "t-1", false}
	resume1 = identity{"0123456789ab", "c-1", "t-1", true}
)

// hello expects a hello and answers as a host. It gives the params.
func (p *peer) hello(id identity) proto.HelloParams {
	req := p.expect(proto.MethodHello, "")
	p.reply(req, helloResult(id))
	var params proto.HelloParams
	if err := json.Unmarshal(req.Params, &params); err != nil {
		p.fail("%v", err)
	}
	return params
}

func helloResult(id identity) string {
	h := proto.Horizon()
	enc, err := wire.Encode(proto.HelloResult{
		Protocol: proto.Version, Endpoint: proto.Endpoint{Kind: proto.KindHost, HostID: id.host},
		ClientID: id.client, Token: id.token, Resumed: &id.resumed,
		Codecs: proto.Codecs{Event: proto.EventCodec, Snapshot: proto.SnapshotCodec},
		Limits: proto.Limits(), RetryHorizon: &h,
	})
	if err != nil {
		panic(err)
	}
	return string(enc)
}

// The attach requests that a Stream with no options makes.
const (
	attachNone = `{"sessionId":"s","budget":{"maxItems":8192,"maxBytes":33554432}}`
	attachNow  = `{"sessionId":"s","when":"now","budget":{"maxItems":8192,"maxBytes":33554432}}`
	attachWait = `{"sessionId":"s","when":"ready","budget":{"maxItems":8192,"maxBytes":33554432}}`
)

func attachBehind(seq uint64) string {
	return fmt.Sprintf(`{"sessionId":"s","cursor":{"incarnation":"i","seq":%d},"budget":{"maxItems":8192,"maxBytes":33554432}}`, seq)
}

// attached is an attach's result: with a snapshot of seq, or behind it.
func attached(sub string, ready bool, seq uint64, snapshot bool) string {
	s := fmt.Sprintf(`{"subscription":%q,"session":{"sessionId":"s","incarnation":"i"},"ready":%v,"after":{"incarnation":"i","seq":%d}`, sub, ready, seq)
	if snapshot {
		s += fmt.Sprintf(`,"snapshot":{"version":1,"incarnation":"i","seq":%d,"main":{}}`, seq)
	}
	return s + "}"
}

// say is an item in a word or two.
func say(it Item) string {
	switch it := it.(type) {
	case Restored:
		return fmt.Sprintf("restored %d %v", it.Seq, it.Ready)
	case Event:
		return fmt.Sprintf("event %d %s", it.Seq, it.Event.Text)
	case Synced:
		return fmt.Sprintf("synced %d", it.Seq)
	case Ready:
		return strings.TrimSpace("ready " + it.Err)
	case Lost:
		return "lost"
	case Ended:
		return "ended " + string(it.Reason)
	}
	return fmt.Sprintf("%T", it)
}

// read gives what a stream says until it has said the last word, or an error.
func read(t testing.TB, st *Stream, last string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var got []string
	for {
		it, err := st.Next(ctx)
		switch {
		case err != nil && errors.Is(err, io.EOF):
			return append(got, "eof")
		case err != nil:
			return append(got, "error: "+err.Error())
		}
		if got = append(got, say(it)); say(it) == last {
			return got
		}
	}
}
