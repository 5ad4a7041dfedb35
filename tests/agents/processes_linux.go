package agents

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Processes are those that have folder for a home: an agent that was set up
// there, and whatever it started. The agents run every command in a session of
// its own, so neither the agent's process group nor, once the agent is gone, its
// descendants are all of them; the environment is what they keep.
func Processes(folder string) ([]int, error) {
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var pids []int
	for _, path := range environs {
		environ, err := os.ReadFile(path)
		if err != nil {
			continue // ended, or another user's
		}
		if !bytes.Contains(append([]byte{0}, environ...), []byte("\x00HOME="+folder+"\x00")) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return nil, fmt.Errorf("list processes: %w", err)
		}
		pids = append(pids, pid)
	}
	return pids, nil
}

// Kill ends the processes that have folder for a home, and those they start
// meanwhile, and returns when all have ended.
func Kill(folder string) error {
	for {
		pids, err := Processes(folder)
		if err != nil || len(pids) == 0 {
			return err
		}
		for _, pid := range pids {
			if err := kill(pid); err != nil {
				return fmt.Errorf("kill process %d: %w", pid, err)
			}
		}
	}
}

func kill(pid int) error {
	if err := unix.Kill(pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
		return err
	}
	return Ended(pid)
}

// Ended returns when a process has ended, whoever is its parent.
func Ended(pid int) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open process: %w", err)
	}
	defer func() { _ = unix.Close(fd) }()
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
