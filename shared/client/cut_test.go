package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"craze/shared/proto"
	"craze/shared/transcript"
)

// smallHost is a host of one session whose events all lie ready. It honours
// every cursor, or none, and runs a command id once.
type smallHost struct {
	t      testing.TB
	bodies [][]byte // of seq 1 on
	honour bool
	cuts   []cut // of the connections to come; past them none is cut
	played sync.WaitGroup

	mu   sync.Mutex
	subs int
	ran  map[string]int // by command id
}

// cut is after how many bytes a connection breaks, each way.
type cut struct{ in, out int }

func (h *smallHost) dial(context.Context) (net.Conn, error) {
	a, b := net.Pipe()
	h.played.Go(func() { play(h.t, b, h.serve) })
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.cuts) == 0 {
		return a, nil
	}
	c := h.cuts[0]
	h.cuts = h.cuts[1:]
	return &breaking{Conn: a, in: c.in, out: c.out}, nil
}

// breaking is a connection that closes in the middle of what it carries.
type breaking struct {
	net.Conn
	in, out int
}

func (b *breaking) Read(p []byte) (int, error) {
	n, err := b.Conn.Read(p[:min(len(p), b.in)])
	return n, b.spend(&b.in, n, err)
}

func (b *breaking) Write(p []byte) (int, error) {
	n, err := b.Conn.Write(p[:min(len(p), b.out)])
	return n, b.spend(&b.out, n, err)
}

func (b *breaking) spend(left *int, n int, err error) error {
	if *left -= n; *left == 0 {
		return errors.Join(errors.New("cut"), b.Close())
	}
	return err
}

func (h *smallHost) serve(p *peer) {
	for req := p.next(); req != nil; req = p.next() {
		switch req.Method {
		case proto.MethodHello:
			p.reply(req, helloResult(resume1)) // of a first hello, nobody looks whether it resumed
		case proto.MethodAttach:
			var at proto.AttachParams
			if err := json.Unmarshal(req.Params, &at); err != nil {
				p.fail("%v", err)
			}
			h.attach(p, at, func(result string) { p.reply(req, result) })
		case proto.MethodPrompt:
			var cmd proto.PromptParams
			if err := json.Unmarshal(req.Params, &cmd); err != nil {
				p.fail("%v", err)
			}
			h.mu.Lock()
			h.ran[cmd.CommandID]++
			h.mu.Unlock()
			p.reply(req, fmt.Sprintf(`{"turn":"turn-%s"}`, cmd.CommandID))
		default:
			p.reply(req, `{}`)
		}
	}
}

// attach answers and sends everything behind the answer.
func (h *smallHost) attach(p *peer, at proto.AttachParams, reply func(string)) {
	h.mu.Lock()
	h.subs++
	sub := fmt.Sprint("s-", h.subs)
	h.mu.Unlock()
	after := uint64(0)
	if h.honour && at.Cursor != nil {
		after = at.Cursor.Seq
		reply(attached(sub, true, after, false))
	} else {
		if at.Cursor != nil {
			after = at.Cursor.Seq
		}
		reply(fmt.Sprintf(`{"subscription":%q,"session":{},"ready":true,"after":{"incarnation":"i","seq":%d},"snapshot":%s}`,
			sub, after, h.snapshot(p, after)))
	}
	for i, body := range h.bodies[after:] {
		p.write(append(eventLine(sub, after+uint64(i)+1, string(body)), '\n'))
	}
	p.synced(sub, uint64(len(h.bodies)))
}

func (h *smallHost) snapshot(p *peer, seq uint64) []byte {
	s := transcript.New("i")
	for i, body := range h.bodies[:seq] {
		ev, err := proto.DecodeEvent(body)
		if err != nil {
			p.fail("%v", err)
		}
		s.Fold(uint64(i)+1, &ev)
	}
	enc, err := s.Cut(seq).Encode(0, "")
	if err != nil {
		p.fail("%v", err)
	}
	return enc
}

func drawBodies(t *rapid.T) [][]byte {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	bodies := make([][]byte, rapid.IntRange(0, 60).Draw(t, "events"))
	for i := range bodies {
		ev := proto.Event{Type: proto.EvText, Text: fmt.Sprintf("<%d>\n", i), At: at}
		if rapid.IntRange(0, 4).Draw(t, "kind") == 0 {
			ev = proto.Event{Type: proto.EvTool, Tool: &proto.Tool{ID: fmt.Sprint("t", i), Output: &proto.ToolOutput{}}, At: at}
		}
		var err error
		if bodies[i], err = proto.AppendEvent(nil, &ev); err != nil {
			t.Fatal(err)
		}
	}
	return bodies
}

// drawCuts draws where connections break: the first anywhere behind its hello,
// which is not tried again, and as many more, anywhere, as one reconnect bears.
func drawCuts(t *rapid.T) []cut {
	hello := len(helloResult(resume1)) + 100
	cuts := []cut{{rapid.IntRange(hello, 12_000).Draw(t, "in"), rapid.IntRange(300, 2000).Draw(t, "out")}}
	for range rapid.IntRange(0, MaxDials-1).Draw(t, "more") {
		cuts = append(cuts, cut{rapid.IntRange(1, 9000).Draw(t, "in"), rapid.IntRange(1, 900).Draw(t, "out")})
	}
	return cuts
}

// TestACutAnywhereChangesNothingThatIsRead reads a stream over connections
// that break at any byte, prompting meanwhile, and compares what was read with
// what the host holds. The bubble's clock makes the pauses between dials free.
func TestACutAnywhereChangesNothingThatIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(bubble{t}, func(rt *rapid.T) { readCut(t, rt) })
	})
}

// bubble hides a test's deadline, which is not of the bubble's clock.
type bubble struct{ testing.TB }

func readCut(host *testing.T, t *rapid.T) {
	h := &smallHost{
		t: host, bodies: drawBodies(t), honour: rapid.Bool().Draw(t, "honour"),
		cuts: drawCuts(t), ran: map[string]int{},
	}
	defer h.played.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := OpenSession(ctx, SessionConfig{Config: Config{Dial: h.dial}, SessionID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const prompts = 3
	told := make(chan error, prompts)
	go func() { // ends with its prompts
		for range prompts {
			_, err := s.Prompt(ctx, "hi")
			told <- err
		}
	}()
	got := h.readAll(ctx, t, s)
	for range prompts {
		if err := <-told; err != nil {
			t.Fatal(err)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.ran) != prompts {
		t.Fatalf("%d commands ran: %v", len(h.ran), h.ran)
	}
	if diff := cmp.Diff(string(h.snapshot(nil, uint64(len(h.bodies)))), got); diff != "" {
		t.Fatal(diff)
	}
}

// readAll folds the whole stream, holding that each event comes once and in
// order, and gives the snapshot of what it came to.
func (h *smallHost) readAll(ctx context.Context, t *rapid.T, s *Session) string {
	st, err := s.Attach(ctx, AttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var state *transcript.State
	seq, snapshots := uint64(0), 0
	for state == nil || seq < uint64(len(h.bodies)) {
		it, err := st.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		switch it := it.(type) {
		case Restored:
			if it.Seq != seq {
				t.Fatalf("a snapshot of %d after event %d", it.Seq, seq)
			}
			state = it.State
			snapshots++
		case Event:
			if seq++; it.Seq != seq || string(it.Body) != string(h.bodies[seq-1]) {
				t.Fatalf("event %d in the place of %d: %s", it.Seq, seq, it.Body)
			}
			state.Fold(it.Seq, &it.Event)
		}
	}
	if h.honour && snapshots != 1 {
		t.Fatalf("%d snapshots where every cursor is honoured", snapshots)
	}
	enc, err := state.Cut(seq).Encode(0, "")
	if err != nil {
		t.Fatal(err)
	}
	return string(enc)
}
