package peer

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Stop reasons a Prompt hook may return.
const (
	EndTurn   = "end_turn"
	Cancelled = "cancelled"
)

// ErrSilent, returned by a hook that would be followed by an answer, leaves
// that request unanswered for ever.
var ErrSilent = errors.New("no answer")

// Exit, returned by a hook, ends the process at once, whatever else runs.
type Exit struct {
	Code  int
	Words string // for stderr, without a newline
}

// Error names the exit code.
func (e *Exit) Error() string { return fmt.Sprintf("exit %d: %s", e.Code, e.Words) }

// Behaviour is what a script makes of the agent. Every hook may be nil, which
// does nothing; the zero value ends each turn without a word.
type Behaviour struct {
	// Begin runs before anything is read.
	Begin func(context.Context) error
	// Initialize runs before initialize is answered, Initialized after.
	Initialize, Initialized func() error
	// Opened runs after session/new is answered.
	Opened func(*Session)
	// Prompt is a turn. Its context ends at session/cancel and at the end of
	// the input. It returns the stop reason, or an *Error to refuse the
	// prompt with, an *Exit, or ErrSilent.
	Prompt func(context.Context, *Turn) (string, error)
	// After runs once the prompt is answered, beside any later turn. Its
	// context ends with the input.
	After func(context.Context, *Turn)

	Deaf         bool // read nothing more once the first prompt has begun
	IgnoreCancel bool // session/cancel does not end a turn's context
	Outlive      bool // the end of the input is not the end of the agent
	// Life, if not zero, is how long Run lasts at most: for a Behaviour that
	// would not notice that it is forgotten.
	Life time.Duration

	ModelsMember bool // models in session/new's models, not as a config option
}
