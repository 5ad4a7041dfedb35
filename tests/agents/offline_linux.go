package agents

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// offlineMark is set in the environment of a program that Offline started.
const offlineMark = "CRAZE_TESTS_OFFLINE"

// Offline runs this program once more, with the same arguments, in a network
// that is the loopback interface alone, and returns its exit code; there it
// returns run's. A test's main calls it first, so that the model server and the
// agents share that network.
func Offline(run func() int) (code int, err error) {
	if os.Getenv(offlineMark) == "" {
		return again()
	}
	if err := raiseLoopback(); err != nil {
		return 0, fmt.Errorf("raise loopback: %w", err)
	}
	return run(), nil
}

func again() (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("run offline: %w", err)
	}
	runtime.LockOSThread() // Pdeathsig is sent when the thread that started it ends
	defer runtime.UnlockOSThread()
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Env = append(os.Environ(), offlineMark+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNET,
		Pdeathsig:  syscall.SIGKILL, // a test that is killed leaves nothing running
	}
	if os.Geteuid() != 0 {
		asRoot(cmd.SysProcAttr)
	}
	if err := cmd.Run(); err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return exit.ExitCode(), nil
		}
		return 0, fmt.Errorf("run offline: %w", err)
	}
	return 0, nil
}

// asRoot makes a user namespace, in which anyone may have a network of their own.
func asRoot(attr *syscall.SysProcAttr) {
	attr.Cloneflags |= syscall.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
}

// raiseLoopback sets the one interface up: a new network has it down.
func raiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	ifr.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, ifr)
}
