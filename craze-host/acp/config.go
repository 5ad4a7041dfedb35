package acp

import (
	"errors"
	"io"
	"time"

	"craze/craze-host/agent"
)

// Errors of the calls; a caller that branches uses errors.Is.
var (
	// ErrFull says the agent does not read what it is sent; the turn should
	// fail, and the agent be closed if it stays so.
	ErrFull = errors.New("the agent is not reading its input")
	// ErrGone says the agent has ended or is being closed; Exited tells how.
	ErrGone = errors.New("the agent is gone")
	// ErrNotReady says the agent's start has not ended; wait for Ready.
	ErrNotReady = errors.New("the agent is still starting")
	// ErrBusy says a turn runs; wait for its TurnEnded.
	ErrBusy = errors.New("the agent is busy with a turn")
	// ErrTooLong says the line would be over what an agent takes.
	ErrTooLong = errors.New("too long for the agent")
	// ErrUnknownAsk says the ask was never opened, is answered, or is gone.
	ErrUnknownAsk = errors.New("the agent does not wait for this answer")
)

// Config says which agent to run and how. Argv and Sink are required.
type Config struct {
	// Argv is the command; its first word is looked up on Env's PATH unless
	// it is absolute.
	Argv []string
	// Env is the agent's whole environment.
	Env []string
	// Dir is the working directory of the process and of its session.
	Dir string
	// Load is the provider session to load. It is reserved: every start makes
	// a session of its own.
	Load string
	// Bypass answers each permission with its allow option, without an Asked.
	Bypass bool
	// AuthMethod is the authenticate method to use where the agent offers it.
	AuthMethod string
	// Start is what the session is set to before Ready.
	Start StartSettings
	// InitTimeout bounds the whole start; 0 is 50 s.
	InitTimeout time.Duration
	// Grace is how long closing waits before SIGTERM, and again before
	// SIGKILL; 0 is 2 s.
	Grace time.Duration
	// WriteStall is how long one write to the agent may take before the agent
	// counts as deaf and is ended; 0 is a minute.
	WriteStall time.Duration
	// StderrLog takes the agent's stderr as it is; nil drops it. A write that
	// fails ends the copy.
	StderrLog io.Writer
	// OnGroup is told the process group before anything is sent to the agent;
	// its error fails the start.
	OnGroup func(pgid int) error
	// Version is craze's own, as the agent is told it.
	Version string
	// Sink takes every update.
	Sink agent.Sink
}

// StartSettings are applied once the session exists; "" leaves the agent's
// own. One that the agent refuses costs a Diag, not the start.
type StartSettings struct {
	Model  string
	Mode   string
	Effort string
	Fast   *bool // nil leaves the agent's own
}

// Limits of one agent.
const (
	lineMax     = 64 << 20 // bytes of one line read: as agents echo whole files, generous
	writeMax    = 16 << 20 // bytes of one line written: a longer one makes agents exit
	outboxBytes = 32 << 20 // two of the longest lines
	outboxItems = 1024     // answers and refusals a stuck agent may leave waiting
	// initTimeout is below the hub's minute for a start, so that the reason is
	// told before the hub gives up.
	initTimeout = 50 * time.Second
	authTimeout = 20 * time.Second // no login of a person is waited for
	closeGrace  = 2 * time.Second
	writeStall  = time.Minute
	earlyMax    = 1024 // updates held before Ready
)

// fill puts the defaults into zero members.
func (c Config) fill() (Config, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return c, errors.New("start agent: no command")
	}
	if c.Sink == nil {
		return c, errors.New("start agent: no sink")
	}
	for d, def := range map[*time.Duration]time.Duration{
		&c.InitTimeout: initTimeout, &c.Grace: closeGrace, &c.WriteStall: writeStall,
	} {
		if *d <= 0 {
			*d = def
		}
	}
	return c, nil
}
