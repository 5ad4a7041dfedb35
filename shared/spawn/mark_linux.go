package spawn

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Marked reports whether a process was started, at whatever remove, by the
// agent of a host. It knows by the environment the process was started with.
func Marked(pid int, hostID string) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false // gone, or another user's
	}
	want := []byte(MarkVar + "=" + hostID)
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		if bytes.Equal(kv, want) {
			return true
		}
	}
	return false
}

// KillMarked kills every process of a dead host's agent that is still there,
// those in sessions of their own included, and says how many.
func KillMarked(hostID string) int {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0
	}
	n := 0
	for _, d := range dirs {
		pid, err := strconv.Atoi(filepath.Base(d))
		if err == nil && Marked(pid, hostID) && syscall.Kill(pid, syscall.SIGKILL) == nil {
			n++
		}
	}
	return n
}
