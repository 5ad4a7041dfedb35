package lifecycle

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"craze/shared/spawn"
)

// An agent's commands often run in sessions of their own, out of reach of its
// process group. The host therefore adopts what an agent leaves behind, reaps
// it while the session runs, and ends what is left once the agent is gone.

const (
	// orphanWait bounds the end of what an agent left: a killed process goes at
	// once unless the kernel holds it.
	orphanWait = 2 * time.Second
	// orphanPoll is how often that is looked at.
	orphanPoll = 10 * time.Millisecond
)

// orphans are the processes this host has inherited from its agent.
type orphans struct {
	agent atomic.Int64 // the agent's own pid, which acp reaps; 0 before it is known
}

// adopt makes this process the parent of what its descendants leave behind.
func (o *orphans) adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("adopt what an agent leaves behind: %w", err)
	}
	return nil
}

// reap reaps inherited processes as they end, until ctx ends.
func (o *orphans) reap(ctx context.Context) {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	defer signal.Stop(ended)
	for {
		select {
		case <-ended:
			o.each(func(pid int) { reapOne(pid) })
		case <-ctx.Done():
			return
		}
	}
}

// end kills what is left of the agent's, once the agent itself has been reaped,
// and waits for it to be gone. It reports how many there were. A hub or a host
// that the agent started bears no mark, and is no part of it.
func (o *orphans) end(hostID string) int {
	killed := map[int]bool{}
	deadline := time.Now().Add(orphanWait)
	for {
		left := 0
		o.each(func(pid int) {
			if spawn.Marked(pid, hostID) {
				left++
				killed[pid] = true
				_ = syscall.Kill(pid, syscall.SIGKILL) // gone already is as good
			}
			reapOne(pid)
		})
		if left == 0 || time.Now().After(deadline) {
			return len(killed)
		}
		<-time.After(orphanPoll)
	}
}

func reapOne(pid int) {
	// A child that still runs is left to run.
	_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
}

// each calls f with every child but the agent. Before the
// agent's pid is known there can be no orphan, and nothing is touched.
func (o *orphans) each(f func(pid int)) {
	agent := int(o.agent.Load())
	if agent == 0 {
		return
	}
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		return
	}
	for _, l := range lists {
		b, err := os.ReadFile(l)
		if err != nil {
			continue // the thread has ended
		}
		for _, word := range strings.Fields(string(b)) {
			if pid, err := strconv.Atoi(word); err == nil && pid != agent {
				f(pid)
			}
		}
	}
}
