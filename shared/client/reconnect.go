package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"craze/shared/proto"
	"craze/shared/sock"
)

const (
	// MaxDials is how many dials one reconnect makes at most.
	MaxDials = 3
	// callTries is how many connections one call is tried on: as many as a
	// stream, so that a call whose every attempt ends its connection ends too.
	callTries = 1 + MaxReattaches
	// RedialWindow bounds one reconnect, all its dials and hellos together.
	RedialWindow = 10 * time.Second
	// redialPause is waited between two dials of one reconnect, and before an
	// attach that was refused for a moment is asked for again.
	redialPause = 100 * time.Millisecond
)

// link is a Session's connection and its place among them.
type link struct {
	conn   *Conn
	epoch  int // counts connections
	client int // counts client ids: two links of one client may share a command
}

// redial is one reconnect, for all who wait for it.
type redial struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when link and err are set
	link   link
	err    error
}

// reconnect gives the connection that replaces one that was lost, dialling
// unless another caller has. A redial goes on without a caller that gives up.
func (s *Session) reconnect(ctx context.Context, lost link) (link, error) {
	r, now, err := s.join(lost)
	if r == nil {
		return now, err
	}
	select {
	case <-r.done:
		return r.link, r.err
	case <-ctx.Done():
		return link{}, unanswered{ctx.Err()}
	}
}

// join gives the redial under way, started if need be; nil with the link that
// another made.
func (s *Session) join(lost link) (*redial, link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, link{}, ErrDisconnected
	case s.link.epoch != lost.epoch:
		return nil, s.link, nil
	case s.redial == nil:
		ctx, cancel := context.WithTimeout(context.Background(), RedialWindow)
		s.redial = &redial{cancel: cancel, done: make(chan struct{})}
		r := s.redial
		s.running.Go(func() { s.dialAgain(ctx, r) }) // ends within the window, or with Close
	}
	return s.redial, link{}, nil
}

func (s *Session) dialAgain(ctx context.Context, r *redial) {
	defer close(r.done)
	defer r.cancel()
	old := s.current()
	_ = old.conn.Close() // it is lost; nothing more can be said of it
	c, err := s.dials(ctx, old.conn.Hello())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.redial = nil
	if err == nil && s.closed {
		_ = c.Close() // as its Session is
		err = ErrDisconnected
	}
	if err != nil {
		r.err = err
		return
	}
	s.link = link{conn: c, epoch: old.epoch + 1, client: old.client}
	if !resumed(old.conn.Hello(), c.Hello()) {
		s.link.client++
		s.command = 0 // a fresh client id counts its own commands
	}
	r.link = s.link
}

// dials makes the dials of one reconnect. Its errors are all ErrDisconnected,
// and ErrGone too where nobody listens.
func (s *Session) dials(ctx context.Context, old proto.HelloResult) (*Conn, error) {
	resume := &proto.Resume{ClientID: old.ClientID, Token: old.Token}
	var err error
	for dial := range MaxDials {
		if dial > 0 && !pause(ctx, redialPause) {
			break
		}
		var c *Conn
		if c, err = connect(ctx, s.cfg.Config, resume); err == nil {
			return c, nil
		}
		if errors.Is(err, sock.ErrNobody) {
			return nil, gone(err, ErrDisconnected)
		}
		if errors.Is(err, errBadToken) {
			resume = nil // this host knows the token as another's: a client as any other
		}
	}
	return nil, fmt.Errorf("%w, and could not be made again: %w", ErrDisconnected, err)
}

var errBadToken = proto.Refuse(proto.CodeBadRequest, proto.ReasonBadToken, "")

// resumed reports whether a hello took back the client of an earlier one. The
// host's word is not enough: it must be the same client of the same host.
func resumed(old, now proto.HelloResult) bool {
	return now.Resumed != nil && *now.Resumed && now.ClientID == old.ClientID &&
		now.Token == old.Token && now.Endpoint.HostID == old.Endpoint.HostID
}
