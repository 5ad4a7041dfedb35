package fakemodel

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// What every answer claims to have cost and when it was made: constants, so that
// a recorded exchange is the same on every run.
const (
	inputTokens  = 100
	outputTokens = 10
	created      = 1
)

type object = map[string]any

// wire is one API: the path that ends in it, how its messages are read, and how
// an answer is written at once or piece by piece.
type wire struct {
	path   string
	read   func(item) (message, bool)
	whole  func(answer) any
	stream func(answer) []event
}

var wires = []wire{chat, responses, messages}

// event is one server-sent event. Chat Completions gives its events no name.
type event struct {
	name string
	data any
}

// typed is an event named by the type its data has.
func typed(data object) event { return event{name: data["type"].(string), data: data} }

// answer serves one request whose body has been read.
func (w wire) answer(ctx context.Context, rw http.ResponseWriter, body []byte) error {
	c, err := decode(body, w.read)
	if err != nil {
		return refuse(rw, http.StatusBadRequest, err.Error())
	}
	a := next(c)
	switch {
	case a.status != 0:
		return refuse(rw, a.status, fmt.Sprintf("the fake model refuses: %d", a.status))
	case c.stream:
		return sendEvents(ctx, rw, w.stream(a), a.pause)
	}
	if err := wait(ctx, a.pause); err != nil {
		return err
	}
	return sendJSON(rw, http.StatusOK, w.whole(a))
}

func refuse(rw http.ResponseWriter, status int, text string) error {
	return sendJSON(rw, status, object{"error": object{"message": text, "type": "invalid_request_error"}})
}

func sendJSON(rw http.ResponseWriter, status int, v any) error {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	return json.NewEncoder(rw).Encode(v)
}

// sendEvents writes a stream, each event as soon as it is due.
func sendEvents(ctx context.Context, rw http.ResponseWriter, events []event, pause time.Duration) error {
	rw.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(rw).Flush
	for i, e := range events {
		if i > 0 {
			if err := wait(ctx, pause); err != nil {
				return err
			}
		}
		if err := writeEvent(rw, e); err != nil {
			return err
		}
		if err := flush(); err != nil {
			return err
		}
	}
	return nil
}

func writeEvent(w io.Writer, e event) error {
	data, err := json.Marshal(e.data)
	if raw, ok := e.data.(json.RawMessage); ok {
		data, err = raw, nil // [DONE] is not an object, and goes out as it is
	}
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	if e.name != "" {
		if _, err := fmt.Fprintf(w, "event: %s\n", e.name); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "data: %s\n\n", data)
	return err
}

// wait ends with ctx, which is the client's leaving or the server's closing.
func wait(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
