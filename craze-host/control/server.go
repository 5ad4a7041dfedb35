package control

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"craze/craze-host/eventlog"
	"craze/craze-host/session"
	"craze/shared/proto"
)

// Config is what a server serves. Session and Log are required.
type Config struct {
	Session *session.Session
	Log     *eventlog.Log
	Info    proto.Info // the session's document before its start: its ids never change
	Version string     // the craze version hello states
	PID     int        // hello's pid

	// Stopping is called before a stop's receipt is sent, and must have marked
	// the host as going when it returns. Stop is called after, and must not
	// block. A nil Stop serves no session.stop.
	Stopping func()
	Stop     func()

	Now   func() time.Time // nil is time.Now
	Token func() string    // mints a resume token; nil is 128 random bits, hex
}

// Server serves one session to any number of connections.
type Server struct {
	cfg      Config
	clients  *clients
	commands chan struct{} // a token per mutating command that runs
	closing  atomic.Bool   // no more attachments
	conns    sync.WaitGroup

	mu   sync.Mutex
	live map[*conn]struct{}
	shut bool
}

// New makes a server. It serves nothing until Serve or ServeConn.
func New(cfg Config) *Server {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Token == nil {
		cfg.Token = randomToken
	}
	return &Server{
		cfg: cfg, clients: newClients(cfg), live: map[*conn]struct{}{},
		commands: make(chan struct{}, proto.CommandsPerHost),
	}
}

const tokenBytes = 16 // 128 bits

func randomToken() string {
	b := make([]byte, tokenBytes)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// Acceptor gives connections whose peer has been checked.
type Acceptor interface {
	Accept() (net.Conn, error)
}

// Serve serves every connection l gives, each on a goroutine of its own, until
// Accept fails, which is how closing l ends it.
func (s *Server) Serve(l Acceptor) error {
	for {
		nc, err := l.Accept()
		if err != nil {
			return fmt.Errorf("accept: %w", err)
		}
		s.conns.Add(1)
		go func() { // ends with the connection; Shutdown waits for it
			defer s.conns.Done()
			s.ServeConn(nc)
		}()
	}
}

// ServeConn serves one connection until it ends.
func (s *Server) ServeConn(rwc io.ReadWriteCloser) {
	c := newConn(s, rwc)
	if !s.enter(c) {
		c.wire.Close()
		c.wire.Wait()
		return
	}
	defer s.leave(c)
	c.serve()
}

func (s *Server) enter(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut {
		return false
	}
	s.live[c] = struct{}{}
	return true
}

func (s *Server) leave(c *conn) {
	s.mu.Lock()
	delete(s.live, c)
	s.mu.Unlock()
	s.clients.release(c)
}

// Attached is how many connections hold an attachment and have not gone.
func (s *Server) Attached() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for c := range s.live {
		if c.attached() {
			n++
		}
	}
	return n
}

// Refuse admits no more attachments: every attach from here on is refused as
// closing.
func (s *Server) Refuse() { s.closing.Store(true) }

// Shutdown ends every connection. Each is first given until ctx ends to be
// written what it is owed, which for an attached one is its stream up to the
// session's end; then it is closed. It waits for all of them.
func (s *Server) Shutdown(ctx context.Context) {
	s.Refuse()
	s.mu.Lock()
	s.shut = true
	for c := range s.live {
		c.finish()
	}
	s.mu.Unlock()
	gone := make(chan struct{})
	go func() { // ends when the last connection has
		s.conns.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return
	case <-ctx.Done():
	}
	s.mu.Lock()
	for c := range s.live {
		c.wire.Close()
	}
	s.mu.Unlock()
	<-gone
}
