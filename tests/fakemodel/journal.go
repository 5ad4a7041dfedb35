package fakemodel

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Outcomes of a request.
const (
	Running   = "running"
	Answered  = "answered"
	Abandoned = "abandoned" // the client went away first, or the server closed
)

// Request is one request that the server was sent.
type Request struct {
	Method  string
	Path    string
	Body    []byte
	Outcome string
}

// journal keeps the requests. It has a mutex because net/http runs every
// connection in a goroutine of its own, and a test reads from yet another.
type journal struct {
	mu       sync.Mutex
	requests []Request
	changed  chan struct{} // closed and replaced at every change
}

func newJournal() *journal { return &journal{changed: make(chan struct{})} }

// begin records a request and returns how to record its end.
func (j *journal) begin(r Request) (end func(outcome string)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r.Outcome = Running
	i := len(j.requests)
	j.requests = append(j.requests, r)
	j.signalLocked()
	return func(outcome string) {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.requests[i].Outcome = outcome
		j.signalLocked()
	}
}

func (j *journal) signalLocked() {
	close(j.changed)
	j.changed = make(chan struct{})
}

// look copies the requests, and says what closes when they are others.
func (j *journal) look() ([]Request, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.requests), j.changed
}

func (j *journal) await(ctx context.Context, ok func([]Request) bool) error {
	for {
		requests, changed := j.look()
		if ok(requests) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("await requests: %w", context.Cause(ctx))
		}
	}
}
