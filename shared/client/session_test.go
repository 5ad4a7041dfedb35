package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"craze/shared/proto"
)

func prompted(id string) string {
	return fmt.Sprintf(`{"sessionId":"s","commandId":%q,"text":"hi","mode":"queue"}`, id)
}

func TestACommandIsSentAgainOnlyToItsOwnHostAndClient(t *testing.T) {
	for _, tt := range []struct {
		name string
		then identity
		sent bool   // it was sent before the connection was lost
		want string // the command id on the second connection; "" for none
		next string // the next command's
	}{
		{"resumed", resume1, true, "1", "2"},
		{"not resumed", identity{first.host, "c-2", "t-2", false}, true, "", "1"},
		{"not resumed, under the same id", identity{first.host, "c-1", "t-1", false}, true, "", "1"},
		{"resumed as another client", identity{first.host, "c-2", "t-1", true}, true, "", "1"},
		{"resumed under another token", identity{first.host, "c-1", "t-2", true}, true, "", "1"},
		{"resumed by another host", identity{"ba9876543210", "c-1", "t-1", true}, true, "", "1"},
		{"never sent, resumed", resume1, false, "1", "2"},
		{"never sent, not resumed", identity{first.host, "c-2", "t-2", false}, false, "1", "2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, func(p *peer) {
				p.hello(first)
				if tt.sent {
					p.expect(proto.MethodPrompt, prompted("1"))
				}
			}, func(p *peer) {
				p.hello(tt.then)
				if tt.want != "" {
					p.reply(p.expect(proto.MethodPrompt, prompted(tt.want)), `{"turn":"turn-1"}`)
				}
				p.reply(p.expect(proto.MethodPrompt, prompted(tt.next)), `{"turn":"turn-2"}`)
				p.drain()
			})
			s := r.open()
			if !tt.sent {
				<-s.current().conn.Done()
			}
			res, err := s.Prompt(t.Context(), "hi")
			if tt.want == "" && !errors.Is(err, ErrResumeLost) || tt.want != "" && (err != nil || res.Turn != "turn-1") {
				t.Errorf("%+v %v", res, err)
			}
			if res, err := s.Prompt(t.Context(), "hi"); err != nil || res.Turn != "turn-2" {
				t.Errorf("the next: %+v %v", res, err)
			}
		})
	}
}

func TestAResumeOfALaterClientIsNoResumeOfAnEarlierOne(t *testing.T) {
	second := identity{first.host, "c-2", "t-2", false}
	again := identity{first.host, "c-2", "t-2", true}
	hello := func(id identity) func(*peer) { return func(p *peer) { p.hello(id) } }
	s := newRig(t, hello(first), hello(second), hello(again), hello(again)).open()
	links := []link{s.current()}
	for range 3 {
		l, err := s.reconnect(t.Context(), links[len(links)-1])
		if err != nil {
			t.Fatal(err)
		}
		links = append(links, l)
	}
	if links[1].client == links[0].client || links[2].client != links[1].client || links[3].client != links[1].client {
		t.Errorf("%+v", links)
	}
	l, err := s.reconnect(t.Context(), links[0])
	if err != nil || l != links[3] {
		t.Errorf("whoever was away longest has %+v, %v", l, err)
	}
}

func TestReadsAreMadeAgainAnywhere(t *testing.T) {
	s := newRig(t, func(p *peer) {
		p.hello(first)
		p.expect(proto.MethodState, "")
	}, func(p *peer) {
		p.hello(identity{"ba9876543210", "c-1", "t-9", false})
		p.reply(p.expect(proto.MethodState, ""), `{"turn":"turn-1"}`)
		p.reply(p.expect(proto.MethodSnapshot, `{"sessionId":"s","budget":{"snapshotBytes":9}}`), `{"snapshot":{}}`)
		p.reply(p.expect(proto.MethodSync, ""), `{"seq":4}`)
		p.reply(p.expect(proto.MethodList, ""), `{"epoch":"h","cursor":1,"sessions":[{"title":"t"}]}`)
		p.reply(p.expect(proto.MethodList, ""), `{"epoch":"h","cursor":1,"sessions":[]}`)
		p.drain()
	}).open()
	st, err := s.State(t.Context())
	if err != nil || st.Turn != "turn-1" {
		t.Errorf("%+v %v", st, err)
	}
	if _, err := s.Snapshot(t.Context(), 9); err != nil {
		t.Error(err)
	}
	if seq, err := s.Sync(t.Context()); seq != 4 || err != nil {
		t.Errorf("%d %v", seq, err)
	}
	if row, err := s.Row(t.Context()); row.Title != "t" || err != nil {
		t.Errorf("%+v %v", row, err)
	}
	if _, err := s.Row(t.Context()); err == nil {
		t.Error("a row of no session")
	}
	if s.Hello().Endpoint.HostID != "ba9876543210" {
		t.Errorf("%+v", s.Hello())
	}
}

func TestACallThatEndsEveryConnectionEnds(t *testing.T) {
	scripts := make([]func(*peer), 0, callTries+1)
	for i := range cap(scripts) {
		id := resume1
		if i == 0 {
			id = first
		}
		scripts = append(scripts, func(p *peer) {
			p.hello(id)
			p.next() // the call, or the end
		})
	}
	s := newRig(t, scripts...).open()
	if _, err := s.Prompt(t.Context(), "hi"); !errors.Is(err, ErrDisconnected) || errors.Is(err, ErrGone) {
		t.Errorf("%v", err)
	}
}

func TestATokenOfSomeoneElsesIsNotShownTwice(t *testing.T) {
	s := newRig(t, func(p *peer) { p.hello(first) }, func(p *peer) {
		p.refuse(p.expect(proto.MethodHello, ""), proto.CodeBadRequest, proto.ReasonBadToken)
	}, func(p *peer) {
		if h := p.hello(identity{first.host, "c-2", "t-2", false}); h.Resume != nil {
			p.fail("resume %+v", h.Resume)
		}
		p.reply(p.expect(proto.MethodSync, ""), `{"seq":1}`)
		p.drain()
	}).open()
	if _, err := s.Sync(t.Context()); err != nil {
		t.Error(err)
	}
}

// away is a host that answers once, and then cannot be reached in some way.
func away(t *testing.T, dial Dial) (s *Session, dials *int) {
	t.Helper()
	r := newRig(t, func(p *peer) { p.hello(first) })
	n := 0
	s, err := OpenSession(t.Context(), SessionConfig{SessionID: "s", Config: Config{Dial: func(ctx context.Context) (net.Conn, error) {
		if n++; n > 1 {
			return dial(ctx)
		}
		return r.dial(ctx)
	}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	<-s.current().conn.Done()
	return s, &n
}

func TestAReconnectMakesThreeDials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dials := away(t, func(context.Context) (net.Conn, error) { return nil, errors.New("no route") })
		_, err := s.Sync(t.Context())
		if !errors.Is(err, ErrDisconnected) || errors.Is(err, ErrGone) || !strings.Contains(err.Error(), "no route") {
			t.Errorf("%v", err)
		}
		if *dials != 1+MaxDials {
			t.Errorf("%d dials", *dials)
		}
	})
}

func TestAReconnectOfAHostThatHangsEndsWithItsWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := away(t, func(ctx context.Context) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		began := time.Now()
		if _, err := s.Sync(t.Context()); !errors.Is(err, ErrDisconnected) {
			t.Errorf("%v", err)
		}
		if d := time.Since(began); d != RedialWindow {
			t.Errorf("it took %v", d)
		}
	})
}

func TestAHostThatNeverSaysHelloIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, (*peer).drain)
		began := time.Now()
		if _, err := Connect(t.Context(), Config{Dial: r.dial}); !errors.Is(err, ErrNoAnswer) {
			t.Errorf("%v", err)
		}
		if d := time.Since(began); d != helloWait {
			t.Errorf("it took %v", d)
		}
	})
}

func TestOneRedialServesAllWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		let := make(chan struct{})
		s, dials := away(t, func(ctx context.Context) (net.Conn, error) {
			select {
			case <-let:
			case <-ctx.Done():
			}
			return nil, errors.New("no route")
		})
		ctx, cancel := context.WithCancel(t.Context())
		told := make(chan error)
		for _, ctx := range []context.Context{ctx, t.Context(), t.Context()} {
			go func() { // ends with the redial, or its context
				_, err := s.Sync(ctx)
				told <- err
			}()
		}
		synctest.Wait()
		cancel()
		if err := <-told; !errors.Is(err, ErrNoAnswer) {
			t.Errorf("given up: %v", err)
		}
		close(let)
		for range 2 {
			if err := <-told; !errors.Is(err, ErrDisconnected) {
				t.Errorf("%v", err)
			}
		}
		if *dials != 1+MaxDials {
			t.Errorf("%d dials", *dials)
		}
	})
}

func TestACloseEndsARedial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := away(t, func(ctx context.Context) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		told := make(chan error)
		go func() { // ends with the close
			_, err := s.Sync(t.Context())
			told <- err
		}()
		synctest.Wait()
		began := time.Now()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-told; !errors.Is(err, ErrDisconnected) || time.Since(began) != 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if _, err := s.Sync(t.Context()); !errors.Is(err, ErrDisconnected) {
			t.Errorf("after the close: %v", err)
		}
		if _, err := s.Prompt(t.Context(), "hi"); !errors.Is(err, ErrDisconnected) {
			t.Errorf("after the close: %v", err)
		}
		if _, err := s.Attach(t.Context(), AttachOptions{}); !errors.Is(err, ErrDisconnected) {
			t.Errorf("after the close: %v", err)
		}
	})
}
