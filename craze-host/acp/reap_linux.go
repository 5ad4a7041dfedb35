package acp

import (
	"errors"

	"golang.org/x/sys/unix"
)

// reap waits until the leader has ended, kills the rest of the group while the
// dead leader still holds the group's id, and then reaps it: the id cannot
// have become another's when it is signalled.
func (p *process) reap() {
	for {
		err := unix.Waitid(unix.P_PID, p.pgid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break // ended, or it cannot be told; Wait below waits in any case
		}
	}
	p.endGroup()
	_ = p.cmd.Wait() // how it ended is in cmd.ProcessState
}
