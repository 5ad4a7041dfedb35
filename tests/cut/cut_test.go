package cut

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"craze/craze-host/agent"
	"craze/craze-host/control"
	"craze/craze-host/eventlog"
	"craze/craze-host/session"
	"craze/shared/client"
	"craze/shared/proto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// counter is an agent that answers a prompt with chunks numbered across the
// session, and counts the prompts it was given.
type counter struct {
	s       *session.Session
	prompts []string
	chunks  int
}

// perTurn is how many chunks a turn has.
const perTurn = 20

func (a *counter) Prompt(turn, text string) error {
	a.prompts = append(a.prompts, text)
	var us []agent.Update
	for range perTurn {
		us = append(us, agent.Text{Kind: proto.EvText, Text: fmt.Sprintf("<%d>", a.chunks)})
		a.chunks++
	}
	us = append(us, agent.TurnEnded{Turn: turn, StopReason: proto.StopEndTurn})
	go a.s.Deliver(us) // ends as the session takes it
	return nil
}
func (a *counter) Cancel() error                    { return nil }
func (a *counter) Answer(string, agent.Reply) error { return nil }
func (a *counter) Close()                           { go a.s.Deliver([]agent.Update{agent.Exited{}}) }

// host is a served session whose connections break.
type host struct {
	s     *session.Session
	srv   *control.Server
	agent *counter
	ran   chan error
	cuts  []int // bytes after which each further connection breaks; then none does
	mu    sync.Mutex
	conns sync.WaitGroup
}

func newHost(cuts []int) *host {
	info := proto.Info{SessionID: "s", Incarnation: "inc", HostID: "0123456789ab"}
	log := eventlog.New("inc")
	h := &host{cuts: cuts, ran: make(chan error, 1)}
	h.s = session.New(session.Config{Info: info, Log: log, Now: time.Now})
	h.agent = &counter{s: h.s}
	h.srv = control.New(control.Config{Session: h.s, Log: log, Info: info})
	go func() { h.ran <- h.s.Run(context.Background(), h.agent) }() // ends with end
	h.s.Deliver([]agent.Update{agent.Ready{}})
	return h
}

func (h *host) end() error {
	err := h.s.Close(context.Background())
	err = errors.Join(err, <-h.ran)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	h.srv.Shutdown(ctx)
	h.conns.Wait()
	return err
}

// dial gives a connection that breaks at the next cut.
func (h *host) dial(context.Context) (net.Conn, error) {
	a, b := net.Pipe()
	h.conns.Go(func() { h.srv.ServeConn(b) })
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.cuts) == 0 {
		return a, nil
	}
	left := h.cuts[0]
	h.cuts = h.cuts[1:]
	return &breaking{Conn: a, left: left}, nil
}

// breaking is a connection that closes once so many bytes were read from it.
type breaking struct {
	net.Conn
	left int
}

func (b *breaking) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.Join(errors.New("cut"), b.Close())
	}
	n, err := b.Conn.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// TestAConnectionCutAnywhereLosesAndDoublesNothing prompts over connections
// that break, at most twice a reconnect can bear, and compares what the client
// was given with what the session committed.
func TestAConnectionCutAnywhereLosesAndDoublesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// A hello is about 500 bytes and an attach's reply about 600: cuts fall
		// in both, and in the events behind them.
		h := newHost(rapid.SliceOfN(rapid.IntRange(600, 4000), 0, 6).Draw(t, "cuts"))
		defer func() {
			if err := h.end(); err != nil {
				t.Fatal(err)
			}
		}()
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		s, err := client.OpenSession(ctx, client.SessionConfig{Config: client.Config{Dial: h.dial}, SessionID: "s"})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		st, err := s.Attach(ctx, client.AttachOptions{})
		if errors.Is(err, client.ErrDisconnected) {
			return // it was cut more often than one reconnect bears
		}
		if err != nil {
			t.Fatal(err)
		}
		turns := rapid.IntRange(1, 3).Draw(t, "turns")
		told := make(chan error, turns)
		var calls sync.WaitGroup
		defer calls.Wait()
		calls.Go(func() {
			for i := range turns {
				_, err := s.Prompt(ctx, fmt.Sprintf("p%d", i))
				told <- err
			}
		})
		follow(ctx, t, st, turns)
		for range turns {
			if err := <-told; err != nil && !errors.Is(err, client.ErrResumeLost) && !errors.Is(err, client.ErrDisconnected) {
				t.Fatal(err)
			}
		}
		seen := map[string]bool{}
		for _, p := range h.agent.prompts {
			if seen[p] {
				t.Fatalf("%s ran twice: %v", p, h.agent.prompts)
			}
			seen[p] = true
		}
	})
}

// follow reads until the last turn has ended, holding that seqs have no hole
// and that the transcript is every chunk once.
func follow(ctx context.Context, t *rapid.T, st *client.Stream, turns int) {
	var seq uint64
	text, ended := "", 0
	for ended < turns {
		it, err := st.Next(ctx)
		if errors.Is(err, client.ErrDisconnected) {
			return // more cuts in a row than a reconnect bears
		}
		if err != nil {
			t.Fatal(err)
		}
		switch it := it.(type) {
		case client.Restored:
			seq, text, ended = it.Seq, "", 0
			for _, e := range it.State.Entries("") {
				if e.Kind == "assistant" {
					text += e.Text
				}
				if e.Kind == "user" {
					ended++
				}
			}
			if _, running := it.State.Turn(); running {
				ended--
			}
		case client.Event:
			if it.Seq != seq+1 {
				t.Fatalf("seq %d after %d", it.Seq, seq)
			}
			seq = it.Seq
			if it.Event.Type == proto.EvText {
				text += it.Event.Text
			}
			if it.Event.Turn != nil && it.Event.Turn.Phase == proto.TurnEnded {
				ended++
			}
		}
	}
	want := ""
	for i := range turns * perTurn {
		want += fmt.Sprintf("<%d>", i)
	}
	if text != want {
		t.Fatalf("the client read %s", text)
	}
}
