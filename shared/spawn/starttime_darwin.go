package spawn

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// startTime is when a process started.
func startTime(pid int) (string, error) {
	kp, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", err
	}
	at := kp.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", at.Sec, at.Usec), nil
}
