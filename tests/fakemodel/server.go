package fakemodel

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
)

// bodyLimit is above the longest conversation a test has, and below what would
// trouble the machine.
const bodyLimit = 64 << 20

// modelNames are what /models lists. grok asks for some of its own by name, and
// picks the first for a session.
var modelNames = []string{"lab-model", "grok-4.6", "grok-build", "grok-code-fast-1"}

// Server is a running model server.
type Server struct {
	url     string
	journal *journal
	stop    context.CancelFunc // ends what the handlers wait for
	http    *http.Server
	conns   sync.WaitGroup // connections, each with its goroutine
	served  chan struct{}  // closed when the accept loop has ended
}

// Start listens on a free port of 127.0.0.1. The end of ctx ends every answer in
// progress; only Close ends the server.
func Start(ctx context.Context) (*Server, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start fake model: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	s := &Server{
		url:     "http://" + l.Addr().String(),
		journal: newJournal(),
		stop:    stop,
		served:  make(chan struct{}),
	}
	s.http = &http.Server{
		Handler:     s,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnState:   s.track,
		ErrorLog:    log.New(io.Discard, "", 0), // a client that breaks off is no news
	}
	// Ended by Close, which closes the listener.
	go func() {
		defer close(s.served)
		_ = s.http.Serve(l)
	}()
	return s, nil
}

// URL is the server's address, with no path; agents are given URL() + "/v1".
func (s *Server) URL() string { return s.url }

// Close ends every answer and connection, and waits for their goroutines.
func (s *Server) Close() {
	s.stop()
	_ = s.http.Close()
	<-s.served // from here on no connection is added
	s.conns.Wait()
}

// Requests are those the server has been sent, in order.
func (s *Server) Requests() []Request {
	requests, _ := s.journal.look()
	return requests
}

// Await waits until the requests satisfy ok.
func (s *Server) Await(ctx context.Context, ok func([]Request) bool) error {
	return s.journal.await(ctx, ok)
}

// track counts connections: http.Server.Close does not wait for their handlers.
// New comes from the accept loop, so none is added once that has ended.
func (s *Server) track(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed:
		s.conns.Done()
	default: // still open
	}
}

// ServeHTTP records a request and answers it.
func (s *Server) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	// The whole body first: only then does net/http notice a client that leaves.
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, bodyLimit))
	end := s.journal.begin(Request{Method: r.Method, Path: r.URL.Path, Body: body})
	if err == nil {
		err = route(rw, r, body)
	}
	if err != nil {
		end(Abandoned)
		panic(http.ErrAbortHandler) // breaks the connection: the answer is not whole
	}
	end(Answered)
}

func route(rw http.ResponseWriter, r *http.Request, body []byte) error {
	path := r.URL.Path
	if r.Method == http.MethodGet && strings.HasSuffix(path, "/models") {
		return sendJSON(rw, http.StatusOK, models())
	}
	for _, w := range wires {
		if r.Method == http.MethodPost && strings.HasSuffix(path, w.path) {
			return w.answer(r.Context(), rw, body)
		}
	}
	return refuse(rw, http.StatusNotFound, "no such path: "+path)
}

// models has the fields of all three wires' lists.
func models() object {
	data := make([]any, len(modelNames))
	for i, name := range modelNames {
		data[i] = object{
			"id": name, "object": "model", "created": created, "owned_by": "lab",
			"name": name, "display_name": name, "type": "model", "context_window": 128_000,
		}
	}
	return object{"object": "list", "data": data}
}
