package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"craze/shared/proto"
)

// start is the usual beginning of a script: an attachment s-1 behind a
// snapshot of seq 1, in step.
func start(p *peer) {
	p.hello(first)
	p.reply(p.expect(proto.MethodAttach, attachNone), attached("s-1", true, 1, true))
	p.synced("s-1", 1)
}

var started = []string{"restored 1 true", "synced 1"}

func TestAResetIsMendedAsItsReasonAsks(t *testing.T) {
	for _, tt := range []struct {
		reason proto.ResetReason
		attach string // the attach that follows
		honour bool   // its cursor is honoured
		want   []string
	}{
		{proto.ResetSlow, attachBehind(2), true, []string{"event 3 c"}},
		{proto.ResetSlow, attachBehind(2), false, []string{"restored 2 true", "event 3 c"}},
		{proto.ResetOmitted, attachNone, false, []string{"restored 2 true", "event 3 c"}},
		{proto.ResetReplay, attachNone, false, []string{"restored 2 true", "event 3 c"}},
		{"one nobody knows", attachNone, false, []string{"restored 2 true", "event 3 c"}},
		{proto.ResetClosed, "", false, []string{"ended session_closed", "eof"}},
		{proto.ResetReplaced, "", false, []string{"ended session_replaced", "eof"}},
	} {
		t.Run(fmt.Sprint(tt.reason, " ", tt.honour), func(t *testing.T) {
			r := newRig(t, func(p *peer) {
				start(p)
				p.event("s-1", 2, "b")
				p.reset("s-1", tt.reason)
				if tt.attach != "" {
					req := p.expect(proto.MethodAttach, tt.attach)
					p.event("s-1", 3, "of the attachment that is over")
					p.reply(req, attached("s-2", true, 2, !tt.honour))
					p.event("s-2", 3, "c")
				}
				p.drain()
			})
			st, err := r.open().Attach(t.Context(), AttachOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(append(append(started[:2:2], "event 2 b"), tt.want...), read(t, st, "event 3 c")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestASlowStartIsWaitedFor(t *testing.T) {
	r := newRig(t, func(p *peer) {
		p.hello(first)
		p.reply(p.expect(proto.MethodAttach, attachNow), attached("s-1", false, 1, true))
		p.event("s-1", 2, "b")
		p.reset("s-1", proto.ResetSlow)
		p.reply(p.expect(proto.MethodAttach, attachWait), attached("s-2", true, 9, true))
		p.synced("s-2", 9)
		p.drain()
	})
	st, err := r.open().Attach(t.Context(), AttachOptions{When: proto.WhenNow})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"restored 1 false", "event 2 b", "restored 9 true", "synced 9"}
	if diff := cmp.Diff(want, read(t, st, "synced 9")); diff != "" {
		t.Error(diff)
	}
}

func TestAStreamThatCannotBeTrustedIsBegunAgain(t *testing.T) {
	for name, bad := range map[string]func(*peer){
		"a hole":                    func(p *peer) { p.event("s-1", 4, "d") },
		"an event twice":            func(p *peer) { p.event("s-1", 2, "b") },
		"an event of another shape": func(p *peer) { p.note(proto.NoteEvent, `{"subscription":"s-1","seq":3,"event":{"type":7}}`) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(p *peer) {
				start(p)
				p.event("s-1", 2, "b")
				bad(p)
				req := p.expect(proto.MethodDetach, `{"sessionId":"s","subscription":"s-1"}`)
				p.event("s-1", 3, "late")
				p.reply(req, "{}")
				p.reply(p.expect(proto.MethodAttach, attachNone), attached("s-2", true, 4, true))
				p.event("s-2", 5, "e")
				p.drain()
			})
			st, err := r.open().Attach(t.Context(), AttachOptions{})
			if err != nil {
				t.Fatal(err)
			}
			want := append(started[:2:2], "event 2 b", "restored 4 true", "event 5 e")
			if diff := cmp.Diff(want, read(t, st, "event 5 e")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestALostConnectionIsMadeAgainBehindTheLastEvent(t *testing.T) {
	r := newRig(t, func(p *peer) {
		start(p)
		p.event("s-1", 2, "b")
		p.write([]byte(`{"jsonrpc":"2.0","method":"event","params":{"subscription":"s-1","seq":3,"event":{"type":"tool","tool":{}}`))
	}, func(p *peer) {
		if h := p.hello(resume1); h.Resume == nil || *h.Resume != (proto.Resume{ClientID: "c-1", Token: "t-1"}) {
			p.fail("resume %+v", h.Resume)
		}
		p.reply(p.expect(proto.MethodAttach, attachBehind(2)), attached("s-1", true, 2, false))
		p.event("s-1", 3, "c")
		p.drain()
	})
	st, err := r.open().Attach(t.Context(), AttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append(started[:2:2], "event 2 b", "lost", "event 3 c"), read(t, st, "event 3 c")); diff != "" {
		t.Error(diff)
	}
	if got := st.Cursor(); got != (proto.Cursor{Incarnation: "i", Seq: 3}) {
		t.Errorf("cursor %+v", got)
	}
}

func TestAStreamEndsWhereItsHostIsGone(t *testing.T) {
	st, err := newRig(t, start).open().Attach(t.Context(), AttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := append(started[:2:2], "lost", "error: "+ErrGone.Error())
	if diff := cmp.Diff(want, read(t, st, "")); diff != "" {
		t.Error(diff)
	}
	if _, err := st.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
}

func TestTheErrorOfAHostThatIsGoneIsTwoErrors(t *testing.T) {
	st, err := newRig(t, start).open().Attach(t.Context(), AttachOptions{})
	for err == nil {
		_, err = st.Next(t.Context())
	}
	if !errors.Is(err, ErrGone) || !errors.Is(err, ErrDisconnected) || errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
}

func TestAStartThatEndedWhileAwayIsTold(t *testing.T) {
	r := newRig(t, func(p *peer) {
		p.hello(first)
		p.reply(p.expect(proto.MethodAttach, attachNow), attached("s-1", false, 1, true))
	}, func(p *peer) {
		p.hello(resume1)
		p.reply(p.expect(proto.MethodAttach, ""), attached("s-1", true, 1, false))
		p.synced("s-1", 1)
		p.drain()
	})
	st, err := r.open().Attach(t.Context(), AttachOptions{When: proto.WhenNow})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"restored 1 false", "lost", "ready", "synced 1"}, read(t, st, "synced 1")); diff != "" {
		t.Error(diff)
	}
}

func TestANoticeOfReadinessIsGiven(t *testing.T) {
	r := newRig(t, func(p *peer) {
		p.hello(first)
		p.reply(p.expect(proto.MethodAttach, attachNow), attached("s-1", false, 1, true))
		p.note("presence", `{"subscription":"s-1","attached":2}`)
		p.note(proto.NoteReady, `{"subscription":"s-1","session":{"sessionId":"s"},"startFailed":true,"err":"no key"}`)
		p.reset("s-1", proto.ResetSlow)
		p.reply(p.expect(proto.MethodAttach, ""), attached("s-2", true, 1, false))
		p.synced("s-2", 1)
		p.drain()
	})
	st, err := r.open().Attach(t.Context(), AttachOptions{When: proto.WhenNow})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"restored 1 false", "ready no key", "synced 1"}, read(t, st, "synced 1")); diff != "" {
		t.Error(diff)
	}
}

func TestAnAttachRefusedForAMomentIsAskedForAgain(t *testing.T) {
	for _, tt := range []struct {
		name   string
		code   proto.Code
		reason proto.Reason
		want   string
	}{
		{"raced", proto.CodeUnavailable, proto.ReasonAttachRaced, "synced 1"},
		{"not ready", proto.CodeUnavailable, proto.ReasonNotReady, "synced 1"},
		{"not let go yet", proto.CodeBadRequest, proto.ReasonAlreadyAttached, "synced 1"},
		{"closing", proto.CodeUnavailable, proto.ReasonClosing, "ended session_closed"},
		{"a start that failed", proto.CodeNotAccepting, proto.ReasonStartFailed, "error: no"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, func(p *peer) {
				start(p)
				p.reset("s-1", proto.ResetSlow)
				p.refuse(p.expect(proto.MethodAttach, ""), tt.code, tt.reason)
				if req := p.next(); req != nil {
					p.reply(req, attached("s-2", true, 1, false))
					p.synced("s-2", 1)
				}
				p.drain()
			})
			s := r.open()
			st, err := s.Attach(t.Context(), AttachOptions{})
			if err != nil {
				t.Fatal(err)
			}
			read(t, st, "synced 1")
			if got := read(t, st, tt.want); got[len(got)-1] != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestAStreamThatNeverComesIntoStepIsGivenUp(t *testing.T) {
	attaches := 0
	r := newRig(t, func(p *peer) {
		p.hello(first)
		for req := p.next(); req != nil; req = p.next() {
			attaches++
			sub := fmt.Sprint("s-", attaches)
			p.reply(req, attached(sub, true, 1, true))
			if attaches == 3 {
				p.synced(sub, 1) // and so counted from here
			}
			p.reset(sub, proto.ResetOmitted)
		}
	})
	s := r.open()
	st, err := s.Attach(t.Context(), AttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := read(t, st, "")
	s.Close()
	r.running.Wait()
	if !strings.HasPrefix(got[len(got)-1], "error: the stream was made again 8 times") {
		t.Errorf("%q", got)
	}
	if attaches != 3+MaxReattaches {
		t.Errorf("%d attaches", attaches)
	}
}

func TestAContextThatEndsLosesNothing(t *testing.T) {
	asked, answer := make(chan bool), make(chan bool)
	r := newRig(t, func(p *peer) {
		start(p)
		p.event("s-1", 2, "b")
		p.reset("s-1", proto.ResetSlow)
		req := p.expect(proto.MethodAttach, attachBehind(2))
		asked <- true
		<-answer
		p.reply(req, attached("s-2", true, 2, false))
		p.event("s-2", 3, "c")
		p.drain()
	})
	st, err := r.open().Attach(t.Context(), AttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	read(t, st, "event 2 b")
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // ends once the attach is asked for
		<-asked
		cancel()
	}()
	if it, err := st.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v %v", it, err)
	}
	answer <- true
	if diff := cmp.Diff([]string{"event 3 c"}, read(t, st, "event 3 c")); diff != "" {
		t.Error(diff)
	}
}

func TestAnAttachGivenUpCostsItsConnectionAlone(t *testing.T) {
	asked := make(chan bool, 1)
	r := newRig(t, func(p *peer) {
		p.hello(first)
		p.expect(proto.MethodAttach, "")
		asked <- true
		p.drain()
	}, func(p *peer) {
		p.hello(resume1)
		p.reply(p.expect(proto.MethodAttach, attachNone), attached("s-1", true, 1, true))
		p.synced("s-1", 1)
		p.drain()
	})
	s := r.open()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // ends once the attach is asked for
		<-asked
		cancel()
	}()
	if _, err := s.Attach(ctx, AttachOptions{}); !errors.Is(err, context.Canceled) || !errors.Is(err, ErrNoAnswer) {
		t.Fatalf("%v", err)
	}
	st, err := s.Attach(t.Context(), AttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(started, read(t, st, "synced 1")); diff != "" {
		t.Error(diff)
	}
}

func TestASnapshotOfAnotherCodecEndsTheStream(t *testing.T) {
	r := newRig(t, func(p *peer) {
		p.hello(first)
		p.reply(p.expect(proto.MethodAttach, ""), strings.Replace(attached("s-1", true, 1, true), `"version":1`, `"version":2`, 1))
		p.drain()
	})
	if _, err := r.open().Attach(t.Context(), AttachOptions{}); err == nil || !strings.Contains(err.Error(), "another codec version") {
		t.Errorf("%v", err)
	}
}

func TestACursorIsGoneOnFrom(t *testing.T) {
	r := newRig(t, func(p *peer) {
		p.hello(first)
		p.reply(p.expect(proto.MethodAttach, attachBehind(5)), attached("s-1", true, 5, false))
		p.event("s-1", 6, "f")
		req := p.expect(proto.MethodDetach, `{"sessionId":"s","subscription":"s-1"}`)
		p.reply(req, "{}")
		p.reply(p.expect(proto.MethodAttach, attachBehind(6)), attached("s-2", true, 6, false))
		p.event("s-2", 7, "g")
		p.drain()
	})
	s := r.open()
	st, err := s.Attach(t.Context(), AttachOptions{Cursor: &proto.Cursor{Incarnation: "i", Seq: 5}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ready", "event 6 f"}, read(t, st, "event 6 f")); diff != "" {
		t.Error(diff)
	}
	if err := st.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after the close: %v", err)
	}
	at := st.Cursor()
	if st, err = s.Attach(t.Context(), AttachOptions{Cursor: &at}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ready", "event 7 g"}, read(t, st, "event 7 g")); diff != "" {
		t.Error(diff)
	}
}
