//go:build !linux

package acp

// reap waits for the leader and then kills the rest of its group. The id could
// in theory be another's between the two; no wait without reaping is at hand.
func (p *process) reap() {
	_ = p.cmd.Wait() // how it ended is in cmd.ProcessState
	p.endGroup()
}
