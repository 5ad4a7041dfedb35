// Package server is the hub's socket: it says hello, lists, creates, and hands
// a connection over to a splice.
//
// A connection's requests are answered in the order they come, one at a time,
// by the one goroutine that reads it. At most MaxConns connections are kept;
// one more is closed unanswered. A connection that has not said hello within
// proto.HelloWait is closed unanswered. Refusals name no path, and nothing a
// client sends is logged.
package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"craze/craze-hub/internal/splice"
	"craze/shared/proto"
	"craze/shared/registry"
	"craze/shared/sock"
	"craze/shared/wire"
)

const (
	// MaxConns is how many connections a hub keeps.
	MaxConns = 256
	// dialWait bounds the splice's dial of a host.
	dialWait = 500 * time.Millisecond
)

// Config is what a server serves.
type Config struct {
	Endpoint proto.Endpoint
	Roster   func(context.Context) (proto.RosterResult, error)
	Create   func(context.Context, proto.CreateParams) (proto.CreateResult, error)
	Hosts    func() ([]registry.Host, error)
}

// Server serves the hub's connections.
type Server struct {
	cfg   Config
	conns sync.WaitGroup

	mu   sync.Mutex
	live int
	idle time.Time // since when there has been none
}

// New makes a server.
func New(cfg Config) *Server { return &Server{cfg: cfg, idle: time.Now()} }

// Clients is how many connections there are, splices among them, and since
// when there has been none.
func (s *Server) Clients() (int, time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live, s.idle
}

// Serve serves what l accepts until Accept fails. As ctx ends, every
// connection is told that the hub is closing, and ended; Serve waits for them.
func (s *Server) Serve(ctx context.Context, l interface{ Accept() (net.Conn, error) }) error {
	defer s.conns.Wait()
	for {
		nc, err := l.Accept()
		if err != nil {
			return fmt.Errorf("accept: %w", err)
		}
		if !s.enter() {
			_ = nc.Close() // one too many, unanswered
			continue
		}
		s.conns.Go(func() { // ends with the connection or ctx
			defer s.leave()
			s.serveConn(ctx, nc)
		})
	}
}

func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live >= MaxConns {
		return false
	}
	s.live++
	return true
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live--; s.live == 0 {
		s.idle = time.Now()
	}
}

// conn is one connection in hub mode.
type conn struct {
	s     *Server
	nc    net.Conn
	lines *wire.LineReader
	hello bool
	lined bool        // a line has been answered since hello
	keep  func() bool // lets reading go on past the hub's end, for a splice
}

func (s *Server) serveConn(ctx context.Context, nc net.Conn) {
	defer nc.Close()
	c := &conn{s: s, nc: nc, lines: wire.NewLineReader(nc, proto.InboundLineMax)}
	stop := context.AfterFunc(ctx, func() {
		// Reading ends; a write under way may still go out.
		_ = nc.SetReadDeadline(time.Unix(1, 0))
	})
	defer stop()
	c.keep = stop
	if nc.SetReadDeadline(time.Now().Add(proto.HelloWait)) != nil {
		return
	}
	for c.serveLine(ctx) {
	}
}

// serveLine reads one line and answers it. It reports whether to go on.
func (c *conn) serveLine(ctx context.Context) bool {
	line, err := c.lines.Next()
	switch {
	case errors.Is(err, wire.ErrLineTooLong):
		return c.write(wire.AppendError(nil, nil, wire.LineTooLong()))
	case err != nil:
		return false
	case len(line) == 0:
		return true
	}
	req, refusal := wire.ParseRequest(line)
	if refusal != nil {
		return c.write(wire.AppendError(nil, req.ID, refusal))
	}
	if req.Method == proto.MethodConnect && c.hello {
		return c.connect(ctx, req)
	}
	result, refusal := c.answer(ctx, req)
	if req.Method != proto.MethodHello {
		c.lined = true
	}
	if refusal != nil {
		return c.write(wire.AppendError(nil, req.ID, refusal))
	}
	return c.reply(req, result)
}

func (c *conn) reply(req wire.Request, result any) bool {
	body, err := wire.Encode(result)
	if err != nil || len(body) > proto.OutboundLineMax {
		return c.write(wire.AppendError(nil, req.ID, proto.Refuse(proto.CodeFailed, proto.ReasonResponseTooLarge, "the answer is too long")))
	}
	return c.write(wire.AppendResult(nil, req.ID, body))
}

func (c *conn) write(line []byte) bool {
	if c.nc.SetWriteDeadline(time.Now().Add(proto.WriteStall)) != nil {
		return false
	}
	_, err := c.nc.Write(line)
	return err == nil
}

func (c *conn) answer(ctx context.Context, req wire.Request) (any, *proto.Error) {
	served := req.Method.ServedBy()
	switch {
	case served == proto.Nowhere:
		e := proto.Refuse(proto.CodeUnsupported, proto.ReasonUnknownMethod, "protocol %d has no such method", proto.Version)
		e.RPC = proto.RPCUnknownMethod
		return nil, e
	case req.Method == proto.MethodHello:
		return c.sayHello(ctx, req)
	case !c.hello:
		return nil, proto.Refuse(proto.CodeBadRequest, proto.ReasonHelloRequired, "say hello first")
	case served == proto.OnHost:
		return nil, proto.Refuse(proto.CodeUnsupported, proto.ReasonHostOnly, "%s is a host's; session.connect reaches it", req.Method)
	}
	switch req.Method {
	case proto.MethodList:
		if refusal := wire.DecodeParams(req.Params, &proto.Empty{}); refusal != nil {
			return nil, refusal
		}
		return refused(c.s.cfg.Roster(ctx))
	case proto.MethodCreate:
		var p proto.CreateParams
		if refusal := wire.DecodeParams(req.Params, &p); refusal != nil {
			return nil, refusal
		}
		return refused(c.s.cfg.Create(ctx, p))
	}
	return nil, proto.Refuse(proto.CodeUnsupported, proto.ReasonUnsupported, "this hub does not serve %s", req.Method)
}

// refused turns a call's error into a refusal.
func refused[T any](v T, err error) (any, *proto.Error) {
	if err == nil {
		return v, nil
	}
	if e, ok := errors.AsType[*proto.Error](err); ok {
		return nil, e
	}
	return nil, proto.Refuse(proto.CodeUnavailable, proto.ReasonClosing, "the hub is closing")
}

func (c *conn) sayHello(ctx context.Context, req wire.Request) (any, *proto.Error) {
	var p proto.HelloParams
	if refusal := wire.DecodeHello(req.Params, &p); refusal != nil {
		return nil, refusal
	}
	switch {
	case c.hello:
		return nil, proto.Refuse(proto.CodeBadRequest, proto.ReasonBadRequest, "this connection has said hello")
	case ctx.Err() != nil:
		return nil, proto.Refuse(proto.CodeUnavailable, proto.ReasonClosing, "the hub is closing")
	}
	if refusal := proto.CheckHello(p); refusal != nil {
		return nil, refusal
	}
	if err := c.nc.SetReadDeadline(time.Time{}); err != nil || ctx.Err() != nil {
		return nil, proto.Refuse(proto.CodeUnavailable, proto.ReasonClosing, "the hub is closing")
	}
	c.hello = true
	return proto.HelloResult{
		Protocol: proto.Version, Endpoint: c.s.cfg.Endpoint,
		Capabilities: proto.ConnCaps{SessionCreate: true, Connect: true},
		Codecs:       proto.Codecs{Event: proto.EventCodec, Snapshot: proto.SnapshotCodec}, Limits: proto.Limits(),
	}, nil
}

// connect answers session.connect, and carries the connection to the host. It
// reports false once the splice is over.
func (c *conn) connect(ctx context.Context, req wire.Request) bool {
	host, refusal := c.dial(ctx, req)
	if refusal != nil {
		c.lined = true
		return c.write(wire.AppendError(nil, req.ID, refusal))
	}
	if !c.write(wire.AppendResult(nil, req.ID, []byte("{}"))) {
		_ = host.Close() // it was for this client alone
		return false
	}
	c.keep() // the splice ends its reading in its own way
	splice.Run(ctx, c.nc, host, c.lines.Buffered())
	return false
}

func (c *conn) dial(ctx context.Context, req wire.Request) (net.Conn, *proto.Error) {
	var p proto.SessionParams
	if refusal := wire.DecodeParams(req.Params, &p); refusal != nil {
		return nil, refusal
	}
	if c.lined {
		return nil, proto.Refuse(proto.CodeBadRequest, proto.ReasonConnectNotFirst, "session.connect is the first request after hello")
	}
	hosts, err := c.s.cfg.Hosts()
	if err != nil {
		return nil, unreachable()
	}
	socket, refusal := match(hosts, p.SessionID)
	if refusal != nil {
		return nil, refusal
	}
	ctx, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	host, err := sock.Dial(ctx, socket)
	if err != nil {
		return nil, unreachable()
	}
	return host, nil
}

func unreachable() *proto.Error {
	return proto.Refuse(proto.CodeUnavailable, proto.ReasonHostUnreachable, "the session's host cannot be reached; try again")
}

// match finds the one live host that id names: by craze session, provider
// session or host id.
func match(hosts []registry.Host, id string) (string, *proto.Error) {
	found := ""
	for _, h := range hosts {
		e := h.Entry
		if id == "" || h.Err != nil || e.CrazeSessionID != id && e.ProviderSessionID != id && h.ID != id {
			continue
		}
		if found != "" {
			return "", proto.Refuse(proto.CodeBadRequest, proto.ReasonAmbiguous, "more than one session goes by that id")
		}
		found = e.Socket
	}
	if found == "" {
		return "", proto.RefuseOne(proto.CodeUnknownSession, "no running session goes by that id")
	}
	return found, nil
}
