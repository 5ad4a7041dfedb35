//go:build !linux

package lifecycle

import (
	"context"
	"sync/atomic"
)

// orphans are what an agent leaves behind outside its process group. Only
// Linux lets a process inherit them.
type orphans struct {
	agent atomic.Int64
}

func (o *orphans) adopt() error             { return nil }
func (o *orphans) reap(ctx context.Context) { <-ctx.Done() }
func (o *orphans) end(string) int           { return 0 }
