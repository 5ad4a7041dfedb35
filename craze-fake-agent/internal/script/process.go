package script

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"craze/craze-fake-agent/internal/peer"
)

// strayLife is how long a process lives that nothing but SIGKILL, or a signal
// nobody sends, would end: longer than any test, so that it is no leak.
const strayLife = 5 * time.Minute

func stubborn() peer.Behaviour {
	return peer.Behaviour{
		Begin: func(context.Context) error {
			signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
			return nil
		},
		Prompt: echo, Outlive: true, Life: strayLife,
	}
}

func asleep() peer.Behaviour {
	return peer.Behaviour{Life: strayLife, Begin: func(ctx context.Context) error {
		<-ctx.Done()
		return context.Cause(ctx)
	}}
}

func forks(arg string) (peer.Behaviour, error) {
	child := "asleep"
	switch arg {
	case "":
	case "stubborn":
		child = arg
	default:
		return peer.Behaviour{}, fmt.Errorf("%q is not stubborn", arg)
	}
	return peer.Behaviour{Prompt: func(_ context.Context, t *peer.Turn) (string, error) {
		pid, err := fork(child)
		if err != nil {
			return "", &peer.Error{Code: peer.CodeInternal, Message: "Internal error: " + err.Error()}
		}
		t.Text(fmt.Sprintf("forked %d", pid))
		return peer.EndTurn, nil
	}}, nil
}

// fork starts this program as another script in this process's group, with
// this process's stdout and stderr. Its goroutine reaps the child, and ends
// with the child or with this process, whichever is first.
func fork(script string) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("find this program: %w", err)
	}
	child := exec.Command(self, flagScript, script)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		return 0, fmt.Errorf("start the child: %w", err)
	}
	go func() { _ = child.Wait() }() // how it ended is of no interest
	return child.Process.Pid, nil
}
