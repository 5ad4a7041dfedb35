package acp

import (
	"context"
	"fmt"
	"sync"

	"craze/craze-host/agent"
)

// Agent is one running agent. It is an agent.Agent.
type Agent struct {
	cfg    Config
	proc   *process // nil when it could not be started; so are out and errs
	out    *outbox
	errs   *stderrPump
	book   ledger
	failed chan error // the writer's failure, told once
	wg     sync.WaitGroup
}

var _ agent.Agent = (*Agent)(nil)

// Start starts the agent and returns; how the start goes is told to the Sink,
// a command that cannot be run included. The error is a Config that lacks
// something. The agent's goroutines end with its process: by Close, by ctx
// (which kills at once), or by itself. Wait waits for them.
func Start(ctx context.Context, cfg Config) (*Agent, error) {
	cfg, err := cfg.fill()
	if err != nil {
		return nil, err
	}
	a := &Agent{cfg: cfg, failed: make(chan error, 1)}
	proc, err := spawn(cfg)
	if err != nil {
		a.book.end()
		a.wg.Go(func() { cfg.Sink(neverStarted(err)) })
		return a, nil
	}
	a.proc = proc
	a.errs = newStderrPump(&pipeReader{f: proc.stderr}, cfg.StderrLog)
	a.out = newOutbox(proc.stdin, cfg.WriteStall, func(err error) { a.failed <- err })
	a.run(ctx)
	return a, nil
}

// run starts the goroutines. Each ends once the process is reaped: the pumps
// at the end of their pipes, the writer and the loop after it.
func (a *Agent) run(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		a.book.close()
		a.proc.kill()
	})
	blocks, spare := make(chan block), make(chan []byte, 1)
	a.wg.Go(func() {
		a.proc.run()
		stop()
		a.out.kill()
	})
	a.wg.Go(a.out.run)
	a.wg.Go(a.errs.run)
	a.wg.Go(func() { pump(newFramer(&pipeReader{f: a.proc.stdout}, lineMax), blocks, spare) })
	a.wg.Go(func() {
		l := newLoop(a)
		l.run(blocks, spare)
		_ = a.proc.stdout.Close() // read to its end
		_ = a.proc.stderr.Close()
	})
}

// pump frames stdout until its end.
func pump(f *framer, blocks chan<- block, spare <-chan []byte) {
	defer close(blocks)
	for {
		var buf []byte
		select {
		case buf = <-spare:
		default:
		}
		b, err := f.next(buf)
		if err != nil {
			return // the end of the pipe, or of its last wait
		}
		blocks <- b
	}
}

// Prompt begins a turn.
func (a *Agent) Prompt(turn, text string) error {
	return wrap("prompt", a.book.prompt(turn, text, a.send))
}

// Cancel asks the agent to end the turn.
func (a *Agent) Cancel() error { return wrap("cancel", a.book.cancel(a.send)) }

// Answer answers an open ask. An ask that has ended meanwhile is ErrUnknownAsk.
func (a *Agent) Answer(ask string, reply agent.Reply) error {
	result := selected(reply.OptionID)
	if reply.Cancelled || reply.Cancel || reply.OptionID == "" {
		result = cancelled()
	}
	return wrap("answer", a.book.answer(ask, result, a.send))
}

// Close begins the end: what is queued is still written, then stdin is closed;
// SIGTERM after the grace and SIGKILL after another, each to the group.
func (a *Agent) Close() {
	if !a.book.close() || a.proc == nil {
		return
	}
	a.end()
}

// Wait waits until the agent is reaped and every goroutine of it has ended.
func (a *Agent) Wait() { a.wg.Wait() }

func (a *Agent) end() {
	a.out.finish()
	a.proc.close()
}

func (a *Agent) send(line []byte) error {
	if a.out == nil {
		return ErrGone
	}
	return a.out.add(line)
}

func wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", op, err)
}
