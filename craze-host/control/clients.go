package control

import (
	"fmt"
	"sync"
	"time"

	"craze/shared/proto"
)

// clients are the client ids of this host and the tokens that take one back.
type clients struct {
	now   func() time.Time
	token func() string

	mu      sync.Mutex
	minted  int
	byToken map[string]*client
}

// client is one id, bound to at most one connection at a time.
type client struct {
	id       string
	token    string
	conn     *conn // or nil
	released time.Time
}

func newClients(cfg Config) *clients {
	return &clients{now: cfg.Now, token: cfg.Token, byToken: map[string]*client{}}
}

// bind gives c a client id: the one r resumes, or a fresh one. Of two
// connections that resume one id the later has it, and the earlier is closed.
func (cs *clients) bind(c *conn, r *proto.Resume) (cl *client, resumed bool, refusal *proto.Error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.expire()
	if r != nil {
		old, ok := cs.byToken[r.Token]
		switch {
		case ok && old.id != r.ClientID:
			return nil, false, proto.Refuse(proto.CodeBadRequest, proto.ReasonBadToken, "the token is another client's")
		case ok:
			if old.conn != nil {
				old.conn.wire.Close()
			}
			old.conn = c
			return old, true, nil
		}
	}
	cs.minted++
	cl = &client{id: fmt.Sprintf("c-%d", cs.minted), token: cs.token(), conn: c}
	cs.byToken[cl.token] = cl
	return cl, false, nil
}

// release unbinds a connection that has ended.
func (cs *clients) release(c *conn) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for _, cl := range cs.byToken {
		if cl.conn == c {
			cl.conn, cl.released = nil, cs.now()
		}
	}
}

// expire drops the ids nobody has held for the retry horizon: by then no
// receipt of theirs is left, so a resume could promise nothing.
func (cs *clients) expire() {
	for token, cl := range cs.byToken {
		if cl.conn == nil && cs.now().Sub(cl.released) >= proto.ReceiptsAge {
			delete(cs.byToken, token)
		}
	}
}
