package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"craze/shared/proto"
	"craze/shared/sock"
)

// connect makes one connection to a rig, closed when the test ends.
func (r *rig) connect(cfg Config) *Conn {
	r.t.Helper()
	cfg.Dial = r.dial
	c, err := Connect(r.t.Context(), cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	return c
}

func TestRepliesFindTheirCallsInAnyOrder(t *testing.T) {
	const calls = 8
	c := newRig(t, func(p *peer) {
		p.hello(first)
		var replies []func()
		for range calls {
			req := p.expect(proto.MethodSync, "")
			replies = append(replies, func() { p.reply(req, fmt.Sprintf(`{"seq":%s,"later":true}`, req.ID)) })
		}
		p.write([]byte(`{"jsonrpc":"2.0","id":999,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m","data":{}}}` + "\n"))
		for i := range replies {
			replies[calls-1-i]()
		}
		p.drain()
	}).connect(Config{})
	var got sync.Map
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			seq, err := c.Sync(t.Context(), "s")
			if _, twice := got.LoadOrStore(seq, true); err != nil || twice {
				t.Errorf("%d %v", seq, err)
			}
		})
	}
	all.Wait()
}

func TestARefusalIsAnError(t *testing.T) {
	c := newRig(t, func(p *peer) {
		p.hello(first)
		p.refuse(p.expect(proto.MethodState, `{"sessionId":"s"}`), proto.CodeUnavailable, proto.ReasonBusy)
		p.reply(p.expect(proto.MethodState, ""), `[]`)
		p.drain()
	}).connect(Config{})
	_, err := c.State(t.Context(), "s")
	if !errors.Is(err, proto.Refuse(proto.CodeUnavailable, proto.ReasonBusy, "")) || errors.Is(err, ErrDisconnected) {
		t.Errorf("%v", err)
	}
	if _, err = c.State(t.Context(), "s"); err == nil || !strings.Contains(err.Error(), "session.state: the answer cannot be read") {
		t.Errorf("%v", err)
	}
}

func TestACallsEndSaysWhy(t *testing.T) {
	asked := make(chan bool, 1)
	r := newRig(t, func(p *peer) {
		p.hello(first)
		req := p.expect(proto.MethodSync, "")
		asked <- true
		next := p.expect(proto.MethodSync, "")
		p.reply(req, `{"seq":1}`) // which nobody waits for any more
		p.reply(next, `{"seq":2}`)
		p.expect(proto.MethodSync, "")
		p.write([]byte("no line of the protocol\n"))
		p.drain()
	})
	c := r.connect(Config{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // ends once the call is made
		<-asked
		cancel()
	}()
	_, err := c.Sync(ctx, "s")
	if !errors.Is(err, ErrNoAnswer) || !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	if _, ok := errors.AsType[*proto.Error](err); ok {
		t.Errorf("given up: %v is a refusal", err)
	}
	if seq, err := c.Sync(t.Context(), "s"); seq != 2 || err != nil {
		t.Errorf("the next: %d %v", seq, err)
	}
	_, err = c.Sync(t.Context(), "s")
	if !errors.Is(err, ErrDisconnected) || !strings.Contains(err.Error(), "could not be read") {
		t.Errorf("at a line that is none: %v", err)
	}
	<-c.Done()
	if _, err := c.Sync(t.Context(), "s"); !errors.Is(err, ErrDisconnected) {
		t.Errorf("after it: %v", err)
	}
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Error(err)
	}
}

func TestACloseEndsWhatIsInFlight(t *testing.T) {
	asked := make(chan bool)
	c := newRig(t, func(p *peer) {
		p.hello(first)
		p.expect(proto.MethodSync, "")
		asked <- true
		p.drain()
	}).connect(Config{})
	told := make(chan error)
	go func() { // ends with the close
		_, err := c.Sync(t.Context(), "s")
		told <- err
	}()
	<-asked
	c.Close()
	if err := <-told; !errors.Is(err, ErrDisconnected) || err.Error() != ErrDisconnected.Error() {
		t.Errorf("%v", err)
	}
	if _, err := c.Sync(t.Context(), "s"); !errors.Is(err, ErrDisconnected) {
		t.Errorf("after the close: %v", err)
	}
}

func TestARequestPastTheEndpointsLimitIsNotSent(t *testing.T) {
	c := newRig(t, func(p *peer) {
		p.hello(first)
		p.reply(p.expect(proto.MethodSync, ""), `{"seq":1}`)
		p.drain()
	}).connect(Config{})
	_, err := c.Prompt(t.Context(), "s", strings.Repeat("x", proto.InboundLineMax))
	if !errors.Is(err, proto.Refuse(proto.CodeBadRequest, proto.ReasonLineTooLong, "")) {
		t.Errorf("%v", err)
	}
	if _, err := c.Sync(t.Context(), "s"); err != nil {
		t.Errorf("the next: %v", err)
	}
}

func TestCommandsAreCounted(t *testing.T) {
	c := newRig(t, func(p *peer) {
		p.hello(first)
		for i, want := range []string{
			`{"sessionId":"s","commandId":"1","text":"hi","mode":"queue"}`, `{"sessionId":"s","commandId":"2","turnId":"t"}`,
			`{"sessionId":"s","commandId":"3","askId":"a","answer":{"cancel":true}}`, `{"sessionId":"s","commandId":"4"}`,
		} {
			m := []proto.Method{proto.MethodPrompt, proto.MethodCancel, proto.MethodAsksAnswer, proto.MethodStop}[i]
			p.reply(p.expect(m, want), `{}`)
		}
		p.drain()
	}).connect(Config{})
	ctx := t.Context()
	_, err1 := c.Prompt(ctx, "s", "hi")
	_, err2 := c.Cancel(ctx, "s", "t")
	if err := errors.Join(err1, err2, c.Answer(ctx, "s", "a", proto.Answer{Cancel: true}), c.Stop(ctx, "s")); err != nil {
		t.Error(err)
	}
}

func TestReadsAreDecoded(t *testing.T) {
	c := newRig(t, func(p *peer) {
		p.hello(first)
		p.reply(p.expect(proto.MethodList, `{}`), `{"epoch":"h","cursor":3,"sessions":[]}`)
		p.reply(p.expect(proto.MethodSnapshot, `{"sessionId":"s"}`), `{"snapshot":{"version":1}}`)
		p.reply(p.expect(proto.MethodAsksList, ""), `{"asks":[{"id":"a"}]}`)
		p.reply(p.expect(proto.MethodAsksGet, `{"sessionId":"s","askId":"a"}`), `{"ask":{"id":"a","status":"open"}}`)
		p.reply(p.expect(proto.MethodDetach, ""), `{}`)
		p.drain()
	}).connect(Config{})
	ctx := t.Context()
	list, err1 := c.List(ctx)
	snap, err2 := c.Snapshot(ctx, proto.SnapshotParams{SessionID: "s"})
	asks, err3 := c.Asks(ctx, "s")
	a, err4 := c.Ask(ctx, "s", "a")
	err5 := c.Detach(ctx, proto.DetachParams{SessionID: "s"})
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	if list.Cursor != 3 || string(snap) != `{"version":1}` || asks[0].ID != "a" || a.Status != proto.AskOpen {
		t.Errorf("%+v %s %+v %+v", list, snap, asks, a)
	}
}

func TestHelloIsHeldAgainstWhatWasWanted(t *testing.T) {
	hub := `{"protocol":1,"endpoint":{"kind":"hub","hostId":"0a1b2c3d4e5f"},"capabilities":{"reopen":true}}`
	for _, tt := range []struct {
		name, answer string
		want         proto.EndpointKind
		err          string
	}{
		{"either", hub, "", ""},
		{"a hub", hub, proto.KindHub, ""},
		{"a hub for a host", hub, proto.KindHost, "a hub answered where a host was expected"},
		{"another protocol", strings.Replace(hub, `:1,`, `:2,`, 1), "", "speaks protocol 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, func(p *peer) {
				p.reply(p.expect(proto.MethodHello, `{"protocols":[1],"client":{"kind":"client","name":"n","version":"v"}}`), tt.answer)
				p.drain()
			})
			c, err := Connect(t.Context(), Config{Dial: r.dial, Name: "n", Version: "v", Want: tt.want})
			if c != nil {
				defer c.Close()
			}
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestAHostThatIsNotReadyIsAskedAgain(t *testing.T) {
	c := newRig(t, func(p *peer) {
		p.refuse(p.expect(proto.MethodHello, ""), proto.CodeUnavailable, proto.ReasonNotReady)
		p.refuse(p.expect(proto.MethodHello, ""), proto.CodeUnavailable, proto.ReasonNotReady)
		p.hello(first)
		p.drain()
	}).connect(Config{})
	if h := c.Hello(); h.ClientID != "c-1" {
		t.Errorf("%+v", h)
	}
}

func TestAHubThatIsClosingIsNoHub(t *testing.T) {
	r := newRig(t, func(p *peer) {
		p.refuse(p.expect(proto.MethodHello, ""), proto.CodeUnavailable, proto.ReasonClosing)
	})
	if _, err := Connect(t.Context(), Config{Dial: r.dial, Want: proto.KindHub}); !errors.Is(err, sock.ErrNobody) {
		t.Errorf("%v", err)
	}
}

func TestASpliceIsTheHosts(t *testing.T) {
	c := newRig(t, func(p *peer) {
		p.reply(p.expect(proto.MethodHello, ""), `{"protocol":1,"endpoint":{"kind":"hub"},"capabilities":{"reopen":true}}`)
		p.refuse(p.expect(proto.MethodConnect, `{"sessionId":"no"}`), proto.CodeUnknownSession, "unknown_session")
		p.reply(p.expect(proto.MethodConnect, `{"sessionId":"s"}`), `{}`)
		p.hello(first)
		p.reply(p.expect(proto.MethodStop, `{"sessionId":"s","commandId":"1"}`), `{}`)
		p.drain()
	}).connect(Config{Want: proto.KindHub})
	if _, err := c.Splice(t.Context(), "no", Config{}); !errors.Is(err, proto.RefuseOne(proto.CodeUnknownSession, "")) {
		t.Errorf("%v", err)
	}
	host, err := c.Splice(t.Context(), "s", Config{Kind: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if h := host.Hello(); h.Endpoint.Kind != proto.KindHost || h.Capabilities.Reopen {
		t.Errorf("%+v", h)
	}
	if err := host.Stop(t.Context(), "s"); err != nil {
		t.Error(err)
	}
}

func TestAnEmptyRosterRowIsARow(t *testing.T) {
	row, err := ParseRow(proto.RosterRow{HostID: "h"})
	if diff := cmp.Diff(proto.Row{}, row); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	row, err = ParseRow(proto.RosterRow{Row: []byte(`{"title":"t","later":1}`)})
	if err != nil || row.Title != "t" {
		t.Errorf("%+v %v", row, err)
	}
	if _, err = ParseRow(proto.RosterRow{HostID: "h", Row: []byte(`7`)}); err == nil || !strings.Contains(err.Error(), "row of host h") {
		t.Errorf("%v", err)
	}
}

func TestNobodyListeningIsSaidWithANextStep(t *testing.T) {
	_, err := OpenSession(t.Context(), SessionConfig{Config: Config{Dial: newRig(t).dial}, SessionID: "s"})
	if !errors.Is(err, ErrGone) || !errors.Is(err, sock.ErrNobody) || errors.Is(err, ErrDisconnected) {
		t.Errorf("%v", err)
	}
	if s := err.Error(); !strings.Contains(s, "no host is listening") || !strings.Contains(s, "craze ps") || strings.Contains(s, "\n") {
		t.Errorf("%q", s)
	}
}
