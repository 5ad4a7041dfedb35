package peer

import (
	"context"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Answer is a client's answer to a request of the agent: a result, or an
// error with Result nil.
type Answer struct {
	Result jsontext.Value
	Err    *Error
}

// calls are the agent's requests that wait for an answer. Ids count from 0,
// which is a value that clients have taken for an absent one.
type calls struct {
	mu      sync.Mutex
	next    int64
	waiting map[string]chan Answer
}

// open names a request and makes the place its answer goes to.
func (c *calls) open() (int64, <-chan Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = make(map[string]chan Answer)
	}
	id, answer := c.next, make(chan Answer, 1) // buffered: nobody may be waiting any more
	c.next++
	c.waiting[strconv.FormatInt(id, 10)] = answer
	return id, answer
}

// forget gives a request up; an answer that comes later is dropped.
func (c *calls) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, strconv.FormatInt(id, 10))
}

// deliver hands an answer to whoever waits for it. One that nobody waits for
// is dropped.
func (c *calls) deliver(m incoming) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer, ok := c.waiting[string(m.ID)]; ok {
		delete(c.waiting, string(m.ID))
		answer <- Answer{Result: m.Result, Err: m.Error}
	}
}

// Call sends a request to the client and waits for its answer. It gives up
// with ctx's error when ctx ends first.
func (s *Session) Call(ctx context.Context, method string, params any) (Answer, error) {
	id, answer := s.calls.open()
	defer s.calls.forget(id)
	s.out.frame(request{JSONRPC: jsonrpc, ID: id, Method: method, Params: params})
	select {
	case a := <-answer:
		return a, nil
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
}
