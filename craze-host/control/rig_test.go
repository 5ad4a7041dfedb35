package control

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"craze/craze-host/agent"
	"craze/craze-host/eventlog"
	"craze/craze-host/session"
	"craze/shared/proto"
	"craze/shared/wire"
)

// puppet is an agent that does nothing but what a test delivers for it.
type puppet struct{ s *session.Session }

func (puppet) Prompt(string, string) error      { return nil }
func (puppet) Cancel() error                    { return nil }
func (puppet) Answer(string, agent.Reply) error { return nil }
func (p puppet) Close()                         { go p.s.Deliver([]agent.Update{agent.Exited{}}) }

// rig is a served session.
type rig struct {
	t       *testing.T
	s       *session.Session
	srv     *Server
	log     *eventlog.Log
	stopped chan struct{}
	dial    func() io.ReadWriteCloser
}

const testSession = "session-1"

// eachTransport runs a test over pipes and over sockets.
func eachTransport(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Run("pipe", func(t *testing.T) {
		r := newRig(t)
		r.dial = func() io.ReadWriteCloser {
			a, b := net.Pipe()
			go r.srv.ServeConn(b) // ends as the test closes a
			return a
		}
		test(t, r)
	})
	t.Run("socket", func(t *testing.T) {
		r := newRig(t)
		dir, err := os.MkdirTemp("/tmp", "cz")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		l, err := net.Listen("unix", filepath.Join(dir, "s"))
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan struct{})
		go func() { // ends as the listener closes
			defer close(served)
			if err := r.srv.Serve(l); err == nil {
				t.Error("Serve ended with no error")
			}
		}()
		t.Cleanup(func() { l.Close(); <-served })
		r.dial = func() io.ReadWriteCloser {
			c, err := net.Dial("unix", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		test(t, r)
	})
}

func newRig(t *testing.T) *rig {
	info := proto.Info{SessionID: testSession, Incarnation: "inc", HostID: "0123456789ab", PermissionMode: proto.PermPrompt}
	r := &rig{t: t, log: eventlog.New("inc"), stopped: make(chan struct{}, 1)}
	r.s = session.New(session.Config{Info: info, Log: r.log, Now: time.Now})
	r.srv = New(Config{
		Session: r.s, Log: r.log, Info: info, Version: "v", PID: 1,
		Stopping: func() {}, Stop: func() { r.stopped <- struct{}{} },
	})
	ran := make(chan error, 1)
	go func() { ran <- r.s.Run(context.Background(), puppet{r.s}) }() // ends with the close below
	t.Cleanup(func() {
		if err := r.s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-ran; err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		r.srv.Shutdown(ctx)
	})
	return r
}

func (r *rig) ready() *rig {
	r.s.Deliver([]agent.Update{agent.Ready{ProviderSessionID: "p-1", State: proto.StateDelta{Mode: "agent"}}})
	<-r.s.Ready()
	return r
}

// peer is a test's end of one connection.
type peer struct {
	t     *testing.T
	c     io.ReadWriteCloser
	lines *wire.LineReader
}

func (r *rig) connect() *peer {
	p := &peer{t: r.t, c: r.dial()}
	p.lines = wire.NewLineReader(p.c, 64<<20)
	r.t.Cleanup(func() { p.c.Close() })
	return p
}

func (r *rig) hello() *peer {
	p := r.connect()
	p.send(`{"jsonrpc":"2.0","id":"h","method":"hello","params":{"protocols":[1],"client":{"kind":"test"}}}`)
	p.want(`"clientId":`)
	return p
}

func (p *peer) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.c, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// call sends a request with a session and gives its reply, which must be the
// next line.
func (p *peer) call(id int, method, rest string) string {
	p.t.Helper()
	p.request(id, method, rest)
	return p.next()
}

func (p *peer) request(id int, method, rest string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"sessionId":%q%s}}`, id, method, testSession, rest))
}

func (p *peer) next() string {
	p.t.Helper()
	line, err := p.lines.Next()
	if err != nil {
		p.t.Fatalf("read: %v", err)
	}
	return string(line)
}

func (p *peer) want(parts ...string) string {
	p.t.Helper()
	line := p.next()
	for _, part := range parts {
		if !strings.Contains(line, part) {
			p.t.Errorf("line %s\nlacks %s", line, part)
		}
	}
	return line
}

// refused checks an error line's JSON-RPC code, code and reason.
func refused(t *testing.T, line string, rpc int, code proto.Code, reason proto.Reason) {
	t.Helper()
	m, err := wire.ParseMessage([]byte(line))
	if err != nil || m.Err == nil {
		t.Fatalf("not a refusal: %s (%v)", line, err)
	}
	if m.Err.RPC != rpc || m.Err.Data.Code != code || m.Err.Data.Reason != reason {
		t.Errorf("refused %d %s/%s, want %d %s/%s: %s", m.Err.RPC, m.Err.Data.Code, m.Err.Data.Reason, rpc, code, reason, line)
	}
}

func member(t *testing.T, line, name string) string {
	t.Helper()
	var m map[string]jsontext.Value
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatal(err)
	}
	var inner map[string]jsontext.Value
	for _, v := range []string{"result", "params"} {
		if len(m[v]) > 0 && json.Unmarshal(m[v], &inner) == nil {
			return string(inner[name])
		}
	}
	return ""
}
