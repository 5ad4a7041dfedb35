// Package spawn starts craze's processes: it finds the sibling binaries,
// starts a host or a hub in a session of its own, and reads the one line by
// which the new process says how that went.
//
// It promises that a start that fails leaves nothing running: the child is
// terminated and reaped, and the process groups of its agents with it. A start
// is bounded by ReadyWait. A started host is the caller's child, and the
// caller reaps it with Process.Wait; one whose parent exits is the system's.
package spawn
