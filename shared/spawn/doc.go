// Package spawn starts craze's processes: it finds the sibling binaries,
// starts a host or a hub in a session of its own, and reads the one line by
// which the new process says how that went.
//
// It promises that a start that fails leaves nothing running: the child is
// terminated and reaped, and the process groups of its agents with it. A start
// answers within ReadyWait, or failGrace and saidWait later when it fails.
//
// Each started process has one goroutine, which waits for it and ends as it is
// reaped: the parent need do nothing for that, and a parent that ends leaves
// its child to the system, running. It writes no log, and what an environment
// should hold is config.HandOn's to say.
package spawn
