package control

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"craze/craze-host/agent"
	"craze/shared/proto"
)

func TestWhatIsWrongWithALineIsTold(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		r.ready()
		p := r.connect()
		for _, tt := range []struct {
			line   string
			rpc    int
			code   proto.Code
			reason proto.Reason
			id     string
		}{
			{`{"jsonrpc":"2.0","id":1,"method":"nope"}`, -32601, "unsupported", "unknown_method", `"id":1,`},
			{`{"jsonrpc":"2.0","id":2,"method":"sessions.list"}`, -32000, "bad_request", "hello_required", `"id":2,`},
			{`not json`, -32700, "bad_request", "bad_request", `"id":null,`},
			{`[{"jsonrpc":"2.0"}]`, -32600, "bad_request", "bad_request", `"id":null,`},
			{`{"jsonrpc":"2.0","method":"hello"}`, -32600, "bad_request", "bad_request", `"id":null,`},
			{`{"jsonrpc":"1.0","id":"x","method":"hello"}`, -32600, "bad_request", "bad_request", `"id":"x",`},
			{`{"id":3,"jsonrpc":"2.0","method":"hello","params":{"protocols":[9],"client":{"kind":"t"}}}`, -32000, "bad_request", "protocol_version", `"supported":[1]`},
			{`{"id":3,"jsonrpc":"2.0","method":"hello","params":{"protocols":[1]}}`, -32602, "bad_request", "bad_request", `"id":3,`},
			{strings.Repeat("x", proto.InboundLineMax+1), -32600, "bad_request", "line_too_long", `"id":null,`},
		} {
			p.send(tt.line)
			line := p.want(tt.id)
			refused(t, line, tt.rpc, tt.code, tt.reason)
		}
		p.send(`{"id":4,"jsonrpc":"2.0","method":"hello","params":{"later":{"x":1},"protocols":[2,1],"client":{"kind":"t","new":true}}}`)
		p.want(`"clientId":"c-1"`, `"resumed":false`)
		p.send(`{"id":5,"jsonrpc":"2.0","method":"hello","params":{"protocols":[1],"client":{"kind":"t"}}}`)
		refused(t, p.next(), -32000, "bad_request", "bad_request")
	})
}

func TestParamsAreDecodedStrictly(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		p := r.ready().hello()
		for rest, reason := range map[string]proto.Reason{
			`,"x":1`: "unknown_field",
			`,"cursor":{"incarnation":"i","seq":1,"y":2}`: "unknown_field",
			`,"when":null`:                 "bad_request",
			`,"when":7`:                    "bad_request",
			`,"when":"ready","when":"now"`: "bad_request",
			`,"when":"later"`:              "bad_request",
		} {
			line := p.call(1, "session.attach", rest)
			if strings.Contains(rest, `"when":"ready"`) { // a doubled member is no JSON of ours at all
				refused(t, line, -32700, "bad_request", reason)
				continue
			}
			refused(t, line, -32602, "bad_request", reason)
		}
		p.send(`{"jsonrpc":"2.0","id":2,"method":"session.state","params":{"sessionId":"other"}}`)
		refused(t, p.next(), -32000, "unknown_session", "unknown_session")
		refused(t, p.call(3, "session.connect", ""), -32000, "unsupported", "hub_only")
		refused(t, p.call(3, "sessions.subscribe", ""), -32000, "unsupported", "roster_unsupported")
		refused(t, p.call(3, "session.aside", ""), -32000, "unsupported", "aside_unsupported")
		refused(t, p.call(4, "session.prompt", `,"commandId":"01","text":"x","mode":"queue"`), -32602, "bad_request", "bad_request")
	})
}

func TestARepliesFollowsTheEventsItCaused(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		p := r.ready().hello()
		if line := p.call(1, "session.attach", ""); member(t, line, "snapshot") == "" {
			t.Fatalf("no snapshot: %s", line)
		}
		p.want(`"synchronized"`, `"seq":1`)
		p.request(2, "session.prompt", `,"commandId":"1","text":"hi","mode":"queue"`)
		p.want(`"seq":2`, `"phase":"started"`, `"cause":"c-1/1"`)
		p.want(`"id":2,`, `"turn":"turn-1"`)
		p.request(3, "session.prompt", `,"commandId":"1","text":"hi","mode":"queue"`)
		p.want(`"id":3,`, `"turn":"turn-1"`)
		p.request(4, "session.prompt", `,"commandId":"1","text":"other","mode":"queue"`)
		refused(t, p.next(), -32000, "bad_request", "bad_request")
	})
}

func TestTwoClientsSeeTheSameEventsInTheSameOrder(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		r.ready()
		a, b := r.hello(), r.hello()
		for _, p := range []*peer{a, b} {
			p.call(1, "session.attach", "")
			p.want(`"synchronized"`)
		}
		const n = 500
		go func() { // ends once delivered
			for i := range n {
				r.s.Deliver([]agent.Update{agent.Text{Kind: proto.EvText, Text: fmt.Sprint(i)}})
			}
		}()
		for i := range n {
			want := fmt.Sprintf(`"seq":%d,"event":{"type":"text","text":"%d"`, i+2, i)
			if la, lb := a.want(want), b.want(want); la != lb {
				t.Fatalf("they differ:\n%s\n%s", la, lb)
			}
		}
	})
}

func TestAResumeTakesTheClientIDBack(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		r.ready()
		p := r.connect()
		hello := `{"jsonrpc":"2.0","id":"h","method":"hello","params":{"protocols":[1],"client":{"kind":"t"}%s}}`
		p.send(fmt.Sprintf(hello, ""))
		token := member(t, p.next(), "token")
		for _, tt := range []struct{ resume, want string }{
			{`{"clientId":"c-1","token":` + token + `}`, `"resumed":true`},
			{`{"clientId":"c-1","token":"00"}`, `"resumed":false`},
			{`{"clientId":"c-9","token":` + token + `}`, `"bad_token"`},
		} {
			q := r.connect()
			q.send(fmt.Sprintf(hello, `,"resume":`+tt.resume))
			q.want(tt.want)
		}
	})
}

func TestACursorResumesAndAForeignOneIsRefusedWithASnapshot(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		r.ready()
		r.s.Deliver([]agent.Update{agent.Text{Kind: proto.EvText, Text: "a"}, agent.Text{Kind: proto.EvText, Text: "b"}})
		p := r.hello()
		p.request(1, "session.attach", `,"cursor":{"incarnation":"inc","seq":1}`)
		line := p.want(`"after":{"incarnation":"inc","seq":1}`)
		if strings.Contains(line, "snapshot") && member(t, line, "snapshot") != "" {
			t.Errorf("an honoured cursor got a snapshot")
		}
		for range 3 { // two events and, after the last of them, synchronized
			p.want(`"subscription":"s-1"`)
		}
		p.request(2, "session.attach", "")
		refused(t, p.next(), -32000, "bad_request", "already_attached")
		p.request(3, "session.detach", `,"subscription":"s-1"`)
		p.want(`"id":3,"result":{}`)
		p.request(4, "session.attach", `,"cursor":{"incarnation":"old","seq":1}`)
		p.want(`"reset":"foreign_incarnation"`, `"snapshot":`)
	})
}

func TestAnAttachWaitsForTheStartOrWatchesIt(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		now, later := r.hello(), r.hello()
		now.request(1, "session.attach", `,"when":"now"`)
		now.want(`"ready":false`)
		now.want(`"synchronized"`)
		later.request(1, "session.attach", "")
		r.ready()
		later.want(`"ready":true`)
		now.want(`"seq":1`)
		now.want(`"method":"ready"`, `"startFailed":false`)
	})
}

func TestAFailedStartRefusesAnAttachWithItsCause(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		p := r.hello()
		p.request(1, "session.attach", "")
		r.s.Deliver([]agent.Update{agent.StartFailed{Err: proto.EventErr{Message: "no such agent"}}})
		line := p.want(`"cause":"no such agent"`)
		refused(t, line, -32000, "not_accepting", "start_failed")
	})
}

func TestAStopIsReceiptedThenTheStreamEnds(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		p := r.ready().hello()
		p.call(1, "session.attach", "")
		p.want(`"synchronized"`)
		p.request(2, "session.stop", `,"commandId":"1"`)
		p.want(`"id":2,"result":{}`)
		<-r.stopped
		q := r.hello()
		refused(t, q.call(1, "session.attach", ""), -32000, "unavailable", "closing")
		if err := r.s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.want(`"method":"reset"`, `"session_closed"`)
		if _, err := p.lines.Next(); err != io.EOF {
			t.Errorf("after the reset: %v", err)
		}
	})
}

func TestAPeerThatHalfClosesStillGetsItsAnswer(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		p := r.ready().hello()
		half, ok := p.c.(*net.UnixConn)
		if !ok {
			return // a pipe has no halves
		}
		if _, err := io.WriteString(p.c, `{"jsonrpc":"2.0","id":7,"method":"sessions.list"}`); err != nil {
			t.Fatal(err)
		}
		if err := half.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		p.want(`"id":7,`, `"sessions":[`)
		if _, err := p.lines.Next(); err != io.EOF {
			t.Errorf("after the answer: %v", err)
		}
	})
}

func TestAClientThatStopsReadingHurtsOnlyItself(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		r.ready()
		stuck, fine := r.hello(), r.hello()
		stuck.call(1, "session.attach", `,"budget":{"maxItems":8}`)
		fine.call(1, "session.attach", `,"budget":{"maxItems":8192,"maxBytes":33554432}`)
		fine.want(`"synchronized"`)
		// Each record is over the outbox's whole room in sum, so that the
		// stuck one's queue, its kernel buffers and then its budget fill.
		big := strings.Repeat("x", 1<<20)
		for i := range 60 {
			r.s.Deliver([]agent.Update{agent.Text{Kind: proto.EvText, Text: big}})
			fine.want(fmt.Sprintf(`"seq":%d,`, i+2))
		}
		stuck.want(`"synchronized"`)
		last := ""
		for !strings.Contains(last, `"method":"reset"`) {
			last = stuck.next()
		}
		if !strings.Contains(last, "slow_consumer") {
			t.Errorf("reset %s", last)
		}
		// It attaches again where it was, on the same connection.
		stuck.request(2, "session.attach", "")
		stuck.want(`"id":2,`, `"subscription":"s-2"`)
	})
}
