package session

import (
	"time"

	"craze/craze-host/agent"
	"craze/shared/proto"
)

// input is one thing that happens to a session. The set is closed.
type input interface{ input() }

// said is what the agent said, in its order.
type said struct{ updates []agent.Update }

// command is a client's command.
type command struct {
	Command
	out chan answer
}

// reading reads the state on the session's goroutine; it changes nothing.
type reading struct{ f func(*Session, time.Time) }

// closing begins the session's end.
type closing struct{}

func (said) input()    {}
func (command) input() {}
func (reading) input() {}
func (closing) input() {}

// answer is what a caller gets.
type answer struct {
	result any
	err    error
}

// Command is one mutating call of one client.
type Command struct {
	Client string // the client id
	ID     string // the command id, a canonical positive decimal
	Hash   uint64 // of the params: the same id with another is refused
	Body   Body
}

// Body is what a command asks for. The set is closed.
type Body interface{ body() }

// Prompt sends a prompt: it starts a turn, or waits in the queue for one.
type Prompt struct{ Text string }

// Cancel cancels a turn; an empty TurnID is whatever runs.
type Cancel struct{ TurnID string }

// Answer answers an ask.
type Answer struct {
	AskID  string
	Answer proto.Answer
}

func (Prompt) body() {}
func (Cancel) body() {}
func (Answer) body() {}

// effect is one thing step wants done. Exactly one of its parts is set, as
// kind says. It is a struct, and its event a value, so that a chunk of text
// costs no allocation on its way to the log.
type effect struct {
	kind   effectKind
	ev     proto.Event // emit
	out    chan answer // reply
	answer answer      // reply
	turn   string      // prompt
	text   string      // prompt
	ask    string      // tell
	reply  agent.Reply // tell
	index  IndexRow    // index
	note   Note        // note
}

type effectKind string

const (
	emit        effectKind = "emit"         // commit ev
	reply       effectKind = "reply"        // answer a caller
	agentPrompt effectKind = "agent_prompt" // begin turn with text
	agentCancel effectKind = "agent_cancel" // cancel the running turn
	agentTell   effectKind = "agent_tell"   // answer the agent's ask
	agentClose  effectKind = "agent_close"  // begin the agent's end
	opened      effectKind = "opened"       // the start has ended
	logEnd      effectKind = "log_end"      // no more events
	index       effectKind = "index"        // write the index row
	note        effectKind = "note"         // write a journal line
)
