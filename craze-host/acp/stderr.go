package acp

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// stderrPump copies the agent's stderr to the log, keeps its end for errors,
// and its lines until the loop takes them. It never waits for the loop: lines
// over the bound are counted and lost to the journal, not to the log.
type stderrPump struct {
	src  io.Reader
	log  io.Writer
	wake chan struct{}
	done chan struct{}

	mu    sync.Mutex
	tail  []byte
	open  []byte // the line being read
	lines []string
	lost  int
}

func newStderrPump(src io.Reader, log io.Writer) *stderrPump {
	return &stderrPump{src: src, log: log, wake: make(chan struct{}, 1), done: make(chan struct{})}
}

// run copies until the pipe's end.
func (s *stderrPump) run() {
	defer close(s.done)
	buf := make([]byte, 8<<10)
	for {
		n, err := s.src.Read(buf)
		if n > 0 {
			s.copyToLog(buf[:n])
			s.keep(buf[:n])
		}
		if err != nil {
			s.keep([]byte("\n"))
			return
		}
	}
}

func (s *stderrPump) copyToLog(b []byte) {
	if s.log == nil {
		return
	}
	if _, err := s.log.Write(b); err != nil {
		s.log = nil // a full disk: the agent must not stop for it
	}
}

func (s *stderrPump) keep(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tail = append(s.tail, b...)
	if over := len(s.tail) - tailKept; over > 0 {
		s.tail = append(s.tail[:0], s.tail[over:]...)
	}
	for line := range bytes.Lines(b) {
		s.open = append(s.open, line[:min(len(line), max(0, stderrLine-len(s.open)))]...)
		if line[len(line)-1] == '\n' {
			s.lineLocked()
		}
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *stderrPump) lineLocked() {
	text := clean(string(s.open), diagMax)
	s.open = s.open[:0]
	switch {
	case text == "":
	case len(s.lines) >= stderrLines:
		s.lost++
	default:
		s.lines = append(s.lines, "agent stderr: "+text)
	}
}

// take gives the lines that wait.
func (s *stderrPump) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.lines
	s.lines = nil
	if s.lost > 0 {
		lines = append(lines, fmt.Sprintf("agent stderr: %d more lines, in the log only", s.lost))
		s.lost = 0
	}
	return lines
}

// words gives the folded end of what the agent said.
func (s *stderrPump) words() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return stderrTail(s.tail)
}
