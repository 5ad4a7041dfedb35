package server

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"craze/shared/proto"
	"craze/shared/registry"
	"craze/shared/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type rig struct {
	t      *testing.T
	l      net.Listener
	cancel context.CancelFunc
	done   chan struct{}
}

func start(t *testing.T, cfg Config) *rig {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "cz")
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "hub"))
	if err != nil {
		t.Fatal(err)
	}
	cfg.Endpoint = proto.Endpoint{Kind: proto.KindHub, HostID: "0a1b2c3d4e5f", CrazeVersion: "v", PID: 1}
	if cfg.Roster == nil {
		cfg.Roster = func(context.Context) (proto.RosterResult, error) { return proto.RosterResult{Epoch: "e"}, nil }
	}
	if cfg.Hosts == nil {
		cfg.Hosts = func() ([]registry.Host, error) { return nil, nil }
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &rig{t: t, l: l, cancel: cancel, done: make(chan struct{})}
	s := New(cfg)
	go func() { // ends as the listener closes
		defer close(r.done)
		_ = s.Serve(ctx, l) // it ends with the close below
	}()
	t.Cleanup(func() {
		cancel()
		l.Close()
		<-r.done
		os.RemoveAll(dir)
	})
	return r
}

type peer struct {
	t     *testing.T
	c     net.Conn
	lines *wire.LineReader
}

func (r *rig) dial() *peer {
	r.t.Helper()
	c, err := net.Dial("unix", r.l.Addr().String())
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	return &peer{r.t, c, wire.NewLineReader(c, 32<<20)}
}

const sayHello = `{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocols":[1],"client":{"kind":"t"}}}`

func (p *peer) call(line string) string {
	p.t.Helper()
	if _, err := io.WriteString(p.c, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
	got, err := p.lines.Next()
	if err != nil {
		p.t.Fatal(err)
	}
	return string(got)
}

func TestTheHubsHello(t *testing.T) {
	p := start(t, Config{}).dial()
	want := `{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"endpoint":{"kind":"hub","hostId":"0a1b2c3d4e5f","crazeVersion":"v","pid":1},` +
		`"capabilities":{"rosterSubscribe":false,"sessionCreate":true,"multiplex":false,"connect":true,"snapshot":false,"attachWhenNow":false},` +
		`"codecs":{"event":1,"snapshot":1},"limits":{"inboundLine":4194304,"outboundLine":16777216}}}`
	if got := p.call(sayHello); got != want {
		t.Errorf("%s", got)
	}
}

func TestWhatAHubRefuses(t *testing.T) {
	p := start(t, Config{}).dial()
	for _, tt := range []struct{ line, reason string }{
		{`{"jsonrpc":"2.0","id":1,"method":"sessions.list"}`, "hello_required"},
		{`{"jsonrpc":"2.0","id":1,"method":"nope"}`, "unknown_method"},
		{`nonsense`, "bad_request"},
		{strings.Repeat("x", proto.InboundLineMax+1), "line_too_long"},
		{sayHello, ""},
		{sayHello, "bad_request"},
		{`{"jsonrpc":"2.0","id":1,"method":"session.state","params":{"sessionId":"s"}}`, "host_only"},
		{`{"jsonrpc":"2.0","id":1,"method":"sessions.subscribe","params":{}}`, "unsupported"},
		{`{"jsonrpc":"2.0","id":1,"method":"session.create","params":{"cwd":"/","title":"t"}}`, "unknown_field"},
		{`{"jsonrpc":"2.0","id":1,"method":"session.connect","params":{"sessionId":"s"}}`, "connect_not_first"},
		{`{"jsonrpc":"2.0","id":1,"method":"sessions.list","params":{"x":1}}`, "unknown_field"},
	} {
		got := p.call(tt.line)
		if tt.reason != "" && !strings.Contains(got, `"reason":"`+tt.reason+`"`) || tt.reason == "" && !strings.Contains(got, "result") {
			t.Errorf("%.80s: %s", tt.line, got)
		}
	}
}

func TestAConnectCarriesToTheOneHostOrSaysWhy(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "cz")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "host"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	host := func(id, session, socket string) registry.Host {
		return registry.Host{ID: id, Entry: registry.Entry{HostID: id, CrazeSessionID: session, ProviderSessionID: "p-" + session, Socket: socket}}
	}
	r := start(t, Config{Hosts: func() ([]registry.Host, error) {
		return []registry.Host{
			host("h1", "one", l.Addr().String()), host("h2", "two", dir+"/none"), host("h3", "same", "x"), host("h4", "same", "y"),
		}, nil
	}})
	for id, reason := range map[string]string{"nobody": "unknown_session", "two": "host_unreachable", "same": "ambiguous_session"} {
		p := r.dial()
		p.call(sayHello)
		got := p.call(`{"jsonrpc":"2.0","id":2,"method":"session.connect","params":{"sessionId":"` + id + `"}}`)
		if !strings.Contains(got, reason) || strings.Contains(got, dir) {
			t.Errorf("%s: %s", id, got)
		}
	}
	p := r.dial()
	p.call(sayHello)
	if _, err := io.WriteString(p.c, `{"jsonrpc":"2.0","id":2,"method":"session.connect","params":{"sessionId":"p-one"}}`+"\nto the host\n"); err != nil {
		t.Fatal(err)
	}
	up, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close()
	if line, err := wire.NewLineReader(up, 100).Next(); err != nil || string(line) != "to the host" {
		t.Errorf("the host read %q, %v", line, err)
	}
	if _, err := io.WriteString(up, "from the host\n"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"jsonrpc":"2.0","id":2,"result":{}}`, "from the host"} {
		if line, err := p.lines.Next(); err != nil || string(line) != want {
			t.Errorf("the client read %q, %v", line, err)
		}
	}
}

func TestAHubThatEndsEndsItsConnections(t *testing.T) {
	r := start(t, Config{})
	p := r.dial()
	p.call(sayHello)
	r.cancel()
	if _, err := p.lines.Next(); err != io.EOF {
		t.Errorf("%v", err)
	}
}
