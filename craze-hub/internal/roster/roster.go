package roster

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"craze/shared/client"
	"craze/shared/proto"
	"craze/shared/registry"
)

const (
	// askers is how many hosts are asked at a time.
	askers = 8
	// askWait is how long one host has to answer, its dial and hello included.
	askWait = 500 * time.Millisecond
	// inboxSize is slack for the askers; the owner never waits.
	inboxSize = 64
)

// ErrClosed says the roster has ended.
var ErrClosed = errors.New("the hub is closing")

// Config is what a roster needs. All but Died are required.
type Config struct {
	HubID   string
	Version string
	Look    func() ([]registry.Host, error)
	Changes <-chan struct{}
	Died    func(hostID string) // a host went without taking its entry along
	Log     func(error)
}

// Roster is the hub's list.
type Roster struct {
	cfg   Config
	inbox chan input
	done  chan struct{}
	slots chan struct{}

	// Run's alone.
	st      *state
	links   map[string]*link
	running sync.WaitGroup
}

// New makes a roster; Run runs it.
func New(cfg Config) *Roster {
	return &Roster{
		cfg: cfg, inbox: make(chan input, inboxSize), done: make(chan struct{}),
		slots: make(chan struct{}, askers), st: newState(cfg.HubID), links: map[string]*link{},
	}
}

// Run owns the roster until ctx ends, and waits for all it started.
func (r *Roster) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer r.running.Wait()
	defer cancel()
	defer close(r.done)
	r.perform(ctx, step(r.st, changed{}, time.Now()))
	changes := r.cfg.Changes
	for {
		var in input
		select {
		case in = <-r.inbox:
		case _, ok := <-changes:
			if !ok {
				changes = nil // the watch is gone; every list looks for itself
			}
			in = changed{}
		case <-ctx.Done():
			return
		}
		r.perform(ctx, step(r.st, in, time.Now()))
	}
}

func (r *Roster) post(in input) {
	select {
	case r.inbox <- in:
	case <-r.done:
	}
}

func (r *Roster) perform(ctx context.Context, effects []effect) {
	for _, e := range effects {
		switch e := e.(type) {
		case look:
			r.running.Go(func() { // ends with its look
				hosts, err := r.cfg.Look()
				if err != nil {
					r.cfg.Log(err)
				}
				r.post(scanned{hosts, err})
			})
		case watch:
			r.open(ctx, e.h.entry)
		case drop:
			if l := r.links[e.id]; l != nil {
				l.cancel()
				delete(r.links, e.id)
			}
		case ask:
			if l := r.links[e.id]; l != nil {
				l.poke()
			}
		case bury:
			if r.cfg.Died != nil {
				r.cfg.Died(e.id)
			}
		case timer:
			r.after(ctx, roundWait, late{e.w.reply})
		case lookAgain:
			r.after(ctx, againWait, changed{})
		case reply:
			e.to <- e.a // buffered for one
		}
	}
}

// after posts an input once a pause is over, unless ctx ends first.
func (r *Roster) after(ctx context.Context, d time.Duration, in input) {
	r.running.Go(func() { // ends with the pause or ctx
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
			r.post(in)
		case <-ctx.Done():
		}
	})
}

// List is the roster, as fresh as its hosts are quick.
func (r *Roster) List(ctx context.Context) (proto.RosterResult, error) {
	out := make(chan answered, 2) // an answer, and one that came late beside it
	select {
	case r.inbox <- wanted{out}:
	case <-r.done:
		return proto.RosterResult{}, ErrClosed
	case <-ctx.Done():
		return proto.RosterResult{}, ctx.Err()
	}
	select {
	case a := <-out:
		return a.result, a.err
	case <-r.done:
		return proto.RosterResult{}, ErrClosed
	case <-ctx.Done():
		return proto.RosterResult{}, ctx.Err()
	}
}

// Count is how many hosts are listed, as last looked at.
func (r *Roster) Count() int {
	out := make(chan int, 1)
	r.post(counted{out})
	select {
	case n := <-out:
		return n
	case <-r.done:
		return 0
	}
}

// link is the kept connection to one host.
type link struct {
	r      *Roster
	id     string
	socket string
	asked  chan struct{}
	cancel context.CancelFunc
}

func (r *Roster) open(ctx context.Context, e registry.Entry) {
	ctx, cancel := context.WithCancel(ctx)
	l := &link{r: r, id: e.HostID, socket: e.Socket, asked: make(chan struct{}, 1), cancel: cancel}
	r.links[e.HostID] = l
	r.running.Go(func() { l.run(ctx) }) // ends with drop, or the roster
}

func (l *link) poke() {
	select {
	case l.asked <- struct{}{}:
	default: // it will ask
	}
}

func (l *link) run(ctx context.Context) {
	var conn *client.Conn
	defer func() {
		if conn != nil {
			_ = conn.Close() // it is let go; nothing of it is wanted
		}
	}()
	for {
		var gone <-chan struct{}
		if conn != nil {
			gone = conn.Done()
		}
		select {
		case <-l.asked:
			conn = l.ask(ctx, conn)
		case <-gone:
			_ = conn.Close()
			conn = nil
			l.r.post(lost{l.id})
		case <-ctx.Done():
			return
		}
	}
}

// ask reads the host's row once, over the kept connection or a fresh one.
func (l *link) ask(ctx context.Context, conn *client.Conn) *client.Conn {
	select {
	case l.r.slots <- struct{}{}:
		defer func() { <-l.r.slots }()
	case <-ctx.Done():
		return conn
	}
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	var err error
	if conn == nil {
		conn, err = client.Connect(ctx, client.Config{
			Dial: client.Socket(l.socket), Kind: "hub", Version: l.r.cfg.Version, Want: proto.KindHost,
		})
		if err != nil {
			l.r.post(heard{id: l.id, err: err})
			return nil
		}
	}
	row, err := ReadRow(ctx, conn)
	l.r.post(heard{id: l.id, row: row, version: conn.Hello().Endpoint.CrazeVersion, err: err})
	return conn
}

// ReadRow asks a host for its row, as the host wrote it.
func ReadRow(ctx context.Context, c *client.Conn) (jsontext.Value, error) {
	var res struct {
		Sessions []jsontext.Value `json:"sessions"`
	}
	if err := c.Call(ctx, proto.MethodList, proto.Empty{}, &res); err != nil {
		return nil, err
	}
	if len(res.Sessions) != 1 {
		return nil, errors.New("the host lists no one session")
	}
	return res.Sessions[0], nil
}
