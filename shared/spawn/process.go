package spawn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

const (
	// ReadyWait is how long a process has to write its ready line. A host
	// writes it before it starts its agent, so this is a few system calls.
	ReadyWait = 10 * time.Second
	// termGrace is how long a process has after SIGTERM: a host's whole end.
	termGrace = 12 * time.Second
	// failGrace is that of a process whose start failed, which has no agent.
	failGrace = 2 * time.Second
	// saidWait is how long a process that told of its failure, or ended its
	// side of the pipe, has to be gone by itself.
	saidWait = time.Second
	// readyFD is where a started process finds the pipe: the first descriptor
	// after its stdio.
	readyFD = 3
)

// errSilent says a process did not answer in time.
var errSilent = fmt.Errorf("the process said nothing for %v", ReadyWait)

// Process is a started child. It has one waiter, started with it, which ends
// as the child is reaped.
type Process struct {
	PID  int
	cmd  *exec.Cmd
	done chan struct{}
	err  error // how it ended; read after done
}

// start starts argv in a session of its own with nothing on its stdio and the
// write end of a pipe as descriptor readyFD.
func start(argv, env []string, dir string) (*Process, *os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("spawn: %w", err)
	}
	defer w.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Dir = env, dir
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("spawn: %w", err), r.Close())
	}
	p := &Process{PID: cmd.Process.Pid, cmd: cmd, done: make(chan struct{})}
	go func() { // ends as the child is reaped
		p.err = cmd.Wait()
		close(p.done)
	}()
	return p, r, nil
}

// Done is closed when the child has been reaped.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits until the child has been reaped and gives how it ended.
func (p *Process) Wait() error {
	<-p.done
	return p.err
}

// Terminate ends the child: SIGTERM, a grace of termGrace or until ctx ends,
// SIGKILL. It returns once the child is reaped, which ctx does not bound: a
// killed process goes.
func (p *Process) Terminate(ctx context.Context) {
	p.signal(syscall.SIGTERM)
	t := time.NewTimer(termGrace)
	defer t.Stop()
	select {
	case <-p.done:
		return
	case <-t.C:
	case <-ctx.Done():
	}
	p.signal(syscall.SIGKILL)
	<-p.done
}

// signal signals the child if it has not been reaped; os.Process knows.
func (p *Process) signal(s syscall.Signal) {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return // it is going; Wait tells
	}
}

// await reads the child's ready line, and ends the child if there is none in
// time or it is not ok.
func (p *Process) await(ctx context.Context, r *os.File) (Ready, error) {
	defer r.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, ReadyWait, errSilent)
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		// A pipe takes deadlines; one already closed is read no more.
		_ = r.SetReadDeadline(time.Now())
	})
	defer stop()
	ready, err := readReady(r)
	if err == nil {
		return ready, nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = fmt.Errorf("spawn: %w", context.Cause(ctx))
		p.endFailed(0)
		return ready, err
	}
	p.endFailed(saidWait)
	return ready, err
}

// endFailed ends a child whose start failed, after a time to go by itself.
func (p *Process) endFailed(wait time.Duration) {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-p.done:
		return
	case <-t.C:
	}
	// The caller's context may be why the start failed; the grace is due still.
	ctx, cancel := context.WithTimeout(context.Background(), failGrace)
	defer cancel()
	p.Terminate(ctx)
}
