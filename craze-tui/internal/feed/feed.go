// Package feed follows a session for the view.
//
// It owns the session's stream: one goroutine reads it and hands what came to
// the view a frame at a time, so that a burst of chunks costs one redraw. Order
// is the stream's. A view that does not take its frames stops the socket of
// this client and nothing else. Close ends the goroutine and waits for it.
package feed

import (
	"context"
	"sync"
	"time"

	"craze/shared/client"
)

// frame is how long items are gathered before the view is told: a redraw at
// 60 a second is as smooth as a terminal shows.
const frame = 16 * time.Millisecond

// Batch is what came in one frame. Err is set when the stream is over: io.EOF
// after the session's end, else why it could not go on.
type Batch struct {
	Items []client.Item
	Err   error
}

// Feed follows one stream.
type Feed struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// Start follows st, calling send with each batch from its own goroutine.
func Start(st *client.Stream, send func(Batch)) *Feed {
	ctx, cancel := context.WithCancel(context.Background())
	f := &Feed{cancel: cancel}
	items := make(chan client.Item)
	var err error
	f.done.Go(func() { // ends with the stream, or Close
		defer close(items)
		var it client.Item
		for {
			if it, err = st.Next(ctx); err != nil {
				return
			}
			select {
			case items <- it:
			case <-ctx.Done():
				return
			}
		}
	})
	f.done.Go(func() { // ends with the reader
		gather(items, send)
		send(Batch{Err: err})
	})
	return f
}

// gather sends what comes, at most a batch a frame.
func gather(items <-chan client.Item, send func(Batch)) {
	for it := range items {
		b := Batch{Items: []client.Item{it}}
		t := time.NewTimer(frame)
		for open := true; open; {
			select {
			case it, ok := <-items:
				if open = ok; ok {
					b.Items = append(b.Items, it)
				}
			case <-t.C:
				open = false
			}
		}
		t.Stop()
		send(b)
	}
}

// Close stops following.
func (f *Feed) Close() {
	f.cancel()
	f.done.Wait()
}
