// Package watch tells when a directory's files change.
//
// It owns one watch and says at most that something has changed, never what:
// whoever is told reads the directory again. Changes that come together are
// told once, a settling time after the first. Nothing waits for a reader that
// is slow, and a watch that fails says so once and leaves the reader to look
// now and then by itself.
package watch

import (
	"context"
	"fmt"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle gathers the handful of events that one atomic replace makes.
const settle = 10 * time.Millisecond

// Changes sends on the channel it returns, until ctx ends, whenever a file of
// dir changes; the channel is then closed. failed is told once, where the
// watch cannot be made or is lost.
func Changes(ctx context.Context, dir string, failed func(error)) <-chan struct{} {
	out := make(chan struct{}, 1)
	w, err := fsnotify.NewWatcher()
	if err == nil {
		if err = w.Add(dir); err != nil {
			_ = w.Close() // it watches nothing
		}
	}
	if err != nil {
		failed(fmt.Errorf("watch the registry: %w", err))
		close(out)
		return out
	}
	go run(ctx, w, out, failed) // ends with ctx or the watch
	return out
}

func run(ctx context.Context, w *fsnotify.Watcher, out chan<- struct{}, failed func(error)) {
	defer close(out)
	defer w.Close()
	timer := time.NewTimer(settle)
	timer.Stop()
	for {
		select {
		case _, ok := <-w.Events:
			if !ok {
				return
			}
			timer.Reset(settle)
		case err, ok := <-w.Errors:
			if !ok {
				return
			}
			failed(fmt.Errorf("watch the registry: %w", err))
			timer.Reset(settle) // what was missed is found by looking
		case <-timer.C:
			select {
			case out <- struct{}{}:
			default: // it has been told
			}
		case <-ctx.Done():
			return
		}
	}
}
