package peer

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// drainLimit is how long turns may take to notice that the input has ended. A
// turn that waits for a client that no longer reads never does; the end of the
// process is its end. It is under the 2 s after which craze sends SIGTERM.
const drainLimit = time.Second

// errLifeOver ends a Run that lasted its Behaviour's Life.
var errLifeOver = errors.New("this script does not run for longer")

// Config is what Run needs. In and Out are required.
type Config struct {
	In  io.Reader
	Out io.Writer
	// Dir stands in for a session's working directory where the client names
	// none.
	Dir string
	// SessionID names the first session; {dir} in it becomes the base name of
	// the session's working directory. Later sessions get -2, -3 and so on
	// after it. Empty means a random name.
	SessionID string
	Behaviour Behaviour
}

// peer is the state of Run's goroutine, which alone touches it.
type peer struct {
	cfg      Config
	out      *output
	calls    *calls
	life     context.Context // ends with the input
	sessions map[string]*Session
	ended    chan ending
	done     chan struct{} // closed when Run returns
	running  int           // goroutines that will send an ending
	deaf     bool
}

// ending is a turn's goroutine saying that it is over.
type ending struct {
	turn  *Turn
	after bool // it was the After hook
	stop  string
	err   error
}

// Run serves one client until its input ends, ctx ends, a write fails or a
// hook ends the process with an *Exit. It returns nil at the end of the input.
// The goroutine that reads In ends when In does, which may be after Run.
func Run(ctx context.Context, cfg Config) error {
	if cfg.Behaviour.Life > 0 {
		limited, stop := context.WithTimeoutCause(ctx, cfg.Behaviour.Life, errLifeOver)
		defer stop()
		ctx = limited
	}
	life, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &peer{
		cfg: cfg, out: newOutput(cfg.Out), calls: &calls{}, life: life,
		sessions: map[string]*Session{}, ended: make(chan ending), done: make(chan struct{}),
	}
	defer close(p.done)
	if begin := cfg.Behaviour.Begin; begin != nil {
		if err := begin(life); err != nil {
			return err
		}
	}
	lines := make(chan line) // unbuffered, so that a deaf agent does not read ahead
	go pump(cfg.In, lines, p.done)
	ended, err := p.serve(ctx, lines)
	if !ended {
		return err
	}
	cancel()
	return p.drain()
}

// serve handles lines and endings until something ends the agent. It reports
// whether that was the end of the input.
func (p *peer) serve(ctx context.Context, lines <-chan line) (bool, error) {
	for {
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-p.out.failed:
			return false, p.out.failure()
		case e := <-p.ended:
			if err := p.end(e); err != nil {
				return false, err
			}
		case l, open := <-lines:
			switch {
			case open:
				if err := p.handle(l); err != nil {
					return false, err
				}
			case p.cfg.Behaviour.Outlive:
				lines = nil
			default:
				return true, nil
			}
			if p.deaf {
				lines = nil
			}
		}
	}
}

// drain waits for the turns that were running at the end of the input.
func (p *peer) drain() error {
	limit := time.NewTimer(drainLimit)
	defer limit.Stop()
	for p.running > 0 {
		select {
		case e := <-p.ended:
			if err := p.end(e); err != nil {
				return err
			}
		case <-p.out.failed:
			return p.out.failure()
		case <-limit.C:
			return nil
		}
	}
	return nil
}

// handle takes one line. An error is the end of the agent.
func (p *peer) handle(l line) error {
	m, bad := parse(l)
	switch {
	case bad != nil:
		p.refuse(jsontext.Value("null"), bad)
	case m.Method == "" && m.ID != nil && (m.Result != nil || m.Error != nil):
		p.calls.deliver(m)
	case m.Method == "":
		p.refuse(jsontext.Value("null"), &Error{Code: codeInvalidRequest, Message: "Invalid request: no method"})
	case m.ID == nil:
		p.notified(m)
	default:
		return p.requested(m)
	}
	return nil
}

func (p *peer) answer(id jsontext.Value, v any) {
	p.out.frame(result{JSONRPC: jsonrpc, ID: id, Result: v})
}

func (p *peer) refuse(id jsontext.Value, e *Error) {
	p.out.frame(refusal{JSONRPC: jsonrpc, ID: id, Error: e})
}
