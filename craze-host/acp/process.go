package acp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// drainWait is how long the pipes of a reaped agent may stay silent before
// they are given up: only a process that left the group still holds them.
const drainWait = 500 * time.Millisecond

// process is the agent's process, its group and craze's ends of its pipes.
type process struct {
	cmd    *exec.Cmd
	pgid   int
	grace  time.Duration
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	reaped chan struct{} // closed when the leader is reaped and the group killed

	mu      sync.Mutex
	closing bool
	struck  bool // craze has signalled it
	over    bool // the group id may belong to another from here on
	timers  []*time.Timer
}

// spawn starts the agent in a process group of its own.
func spawn(cfg Config) (*process, error) {
	path, err := lookPath(cfg.Argv[0], cfg.Env)
	if err != nil {
		return nil, err
	}
	if err := isDir(cfg.Dir); err != nil {
		return nil, err
	}
	p := &process{grace: cfg.Grace, reaped: make(chan struct{})}
	p.cmd = &exec.Cmd{
		Path: path, Args: cfg.Argv, Env: cfg.Env, Dir: cfg.Dir,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	if p.cmd.Env == nil {
		p.cmd.Env = []string{} // nil would be craze's own environment
	}
	if err := p.startOnPipes(); err != nil {
		return nil, err
	}
	p.pgid = p.cmd.Process.Pid
	return p, nil
}

// startOnPipes starts the command on three pipes. They are made here, not by
// exec, so that reads and writes take deadlines and Wait waits for no copy.
func (p *process) startOnPipes() error {
	var files []*os.File
	closeAll := func(fs []*os.File) {
		for _, f := range fs {
			_ = f.Close() // nothing was written
		}
	}
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(files)
			return fmt.Errorf("start agent: %w", err)
		}
		files = append(files, r, w)
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = files[0], files[3], files[5]
	p.stdin, p.stdout, p.stderr = files[1], files[2], files[4]
	err := p.cmd.Start()
	closeAll([]*os.File{files[0], files[3], files[5]})
	if err != nil {
		closeAll([]*os.File{p.stdin, p.stdout, p.stderr})
		return fmt.Errorf("start agent: %w", err)
	}
	return nil
}

// lookPath finds the command: an absolute path as it is, a bare name on env's
// PATH. A relative path would mean another file in every directory.
func lookPath(name string, env []string) (string, error) {
	notFound := fmt.Errorf("agent binary not found: %s", clean(name, diagMax))
	if filepath.IsAbs(name) {
		if executable(name) {
			return name, nil
		}
		return "", notFound
	}
	if strings.ContainsRune(name, filepath.Separator) {
		return "", fmt.Errorf("%w (name one on PATH, or give an absolute path)", notFound)
	}
	path := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = v
		}
	}
	for _, dir := range filepath.SplitList(path) {
		if full := filepath.Join(dir, name); filepath.IsAbs(dir) && executable(full) {
			return full, nil
		}
	}
	return "", fmt.Errorf("%w (install it, or add its directory to PATH)", notFound)
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0
}

func isDir(dir string) error {
	st, err := os.Stat(dir)
	switch {
	case dir == "" || err == nil && st.IsDir():
		return nil
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("start agent: working directory %s is not there", clean(dir, diagMax))
	}
	return fmt.Errorf("start agent: %w", err)
}

// signalGroup signals what lives of the group, while its id is surely its own.
func (p *process) signalGroup(sig syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		p.struck = true
		_ = syscall.Kill(-p.pgid, sig) // no such process: all of it has ended
	}
}

// wasStruck reports whether craze signalled the agent while it lived.
func (p *process) wasStruck() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.struck
}

// kill ends the group at once.
func (p *process) kill() { p.signalGroup(syscall.SIGKILL) }

// close begins the end, after the caller has seen to stdin: SIGTERM after the
// grace, SIGKILL after another. It does not wait.
func (p *process) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing || p.over {
		return
	}
	p.closing = true
	p.timers = []*time.Timer{
		time.AfterFunc(p.grace, func() {
			_ = p.stdin.Close() // a writer stuck on an agent that does not read
			p.signalGroup(syscall.SIGTERM)
		}),
		time.AfterFunc(2*p.grace, p.kill),
	}
}

// endGroup kills what is left of the group, for the last time.
func (p *process) endGroup() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = syscall.Kill(-p.pgid, syscall.SIGKILL)
	p.over = true
	for _, t := range p.timers {
		t.Stop()
	}
}

// run waits for the leader, ends the group and reaps. The pipes get a last
// deadline, so that nobody waits for a process that left the group.
func (p *process) run() {
	p.reap()
	_ = p.stdin.Close()
	deadline := time.Now().Add(drainWait)
	_ = p.stdout.SetReadDeadline(deadline) // a pipe takes deadlines; a closed one needs none
	_ = p.stderr.SetReadDeadline(deadline)
	close(p.reaped)
}

// drainMax is the most that is read from a pipe after its deadline: more than
// a pipe can hold, so nothing of the agent's own is lost.
const drainMax = 2 << 20

// drainPause is how long an empty pipe is waited for after its deadline.
const drainPause = 10 * time.Millisecond

// pipeReader reads one pipe of the agent to its end. Past the deadline of run
// it takes what the pipe already holds, and then reports the end.
type pipeReader struct {
	f    *os.File
	late bool
	left int
}

func (r *pipeReader) Read(p []byte) (int, error) {
	if !r.late {
		n, err := r.f.Read(p)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		r.late, r.left = true, drainMax
	}
	if r.left <= 0 {
		return 0, os.ErrDeadlineExceeded
	}
	if err := r.f.SetReadDeadline(time.Now().Add(drainPause)); err != nil {
		return 0, err
	}
	n, err := r.f.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}
