package spawn

import (
	"bufio"
	"bytes"
	"fmt"
	"syscall"
)

// GroupLine is the line that records a process group: its id, and when its
// leader started, so that a later reader does not take another process that
// was given the same id for it.
func GroupLine(pgid int) (string, error) {
	at, err := startTime(pgid)
	if err != nil {
		return "", fmt.Errorf("process group %d: %w", pgid, err)
	}
	return fmt.Sprintf("%d %s\n", pgid, at), nil
}

// KillGroups kills the process groups named by lines of GroupLine whose leader
// is still the one that was recorded. Lines it cannot read are passed over.
func KillGroups(lines []byte) {
	for s := bufio.NewScanner(bytes.NewReader(lines)); s.Scan(); {
		var pgid int
		var at string
		if n, err := fmt.Sscanf(s.Text(), "%d %s", &pgid, &at); err != nil || n != 2 || pgid <= 1 {
			continue
		}
		if now, err := startTime(pgid); err != nil || now != at {
			continue // gone, or another's
		}
		// ESRCH is the aim reached; EPERM a process that was never ours.
		_ = syscall.Kill(-pgid, syscall.SIGKILL)
	}
}
