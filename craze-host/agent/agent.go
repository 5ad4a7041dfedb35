// Package agent is the seam between a session and whatever answers its
// prompts: what a session asks of an agent, and what an agent tells a
// session. It is types only.
//
// Order: an agent calls its Sink from one goroutine, in the order it learned
// things. Everything it said before a turn's end is delivered before that
// TurnEnded. A Sink call may block while the session's inbox is full, which
// is the only back pressure an agent feels.
//
// Blocking: no method of Agent waits for the agent. Each hands work to the
// agent's own writer and returns an error at once when that writer's outbox
// is full or the agent is gone.
package agent

import "craze/shared/proto"

// Sink takes what an agent says, several things at a time.
type Sink func([]Update)

// Agent is one running agent. Its methods are safe for one caller at a time,
// which is the session's goroutine.
type Agent interface {
	// Prompt starts a turn. Exactly one TurnEnded with the same turn follows,
	// unless Prompt returns an error.
	Prompt(turn, text string) error
	// Cancel asks the agent to end the running turn. The turn still ends with
	// its TurnEnded.
	Cancel() error
	// Answer answers an Asked. The ask's id is the one Asked carried; each is
	// answered once. A zero Reply is "cancelled".
	Answer(ask string, reply Reply) error
	// Close begins the agent's end. It returns at once; Exited is the last
	// update. Calling it again does nothing.
	Close()
}

// Reply is an ask's answer as the agent is told it.
type Reply struct {
	proto.Answer
	Cancelled bool // the ask ended without an answer: cancel, turn end, close
}

// Update is one thing an agent says. The set is closed.
type Update interface{ update() }

// Ready says the agent's start is done. It comes once, first but for a
// StartFailed in its place.
type Ready struct {
	ProviderSessionID string
	Catalogs          proto.Catalogs
	Caps              proto.SessionCaps // only what the agent decides
	State             proto.StateDelta  // mode, model, config, commands as installed
}

// StartFailed says the agent's start has failed for good; Exited follows. The
// error's message is fit for a person: one line, sanitised.
type StartFailed struct{ Err proto.EventErr }

// Text is a chunk of text. Kind is EvText, EvThought or EvUser; Agent names
// the sub-agent it belongs to, "" for the session's own.
type Text struct {
	Kind  proto.EventType
	Agent string
	Text  string
}

// ToolCall is a tool call's whole state as the agent has now told it.
type ToolCall struct {
	Agent string
	Tool  proto.Tool
}

// Todos is the agent's whole task list.
type Todos struct{ Todos []proto.Todo }

// State is a change of the agent's settings.
type State struct{ Delta proto.StateDelta }

// Asked is a request of the agent that a person answers. The id is unique in
// this agent's life. Body holds the member of Kind.
type Asked struct {
	ID   string
	Kind proto.AskKind
	Body proto.AskBody
}

// AskGone says the agent no longer waits for an answer.
type AskGone struct{ ID string }

// TurnEnded ends the turn that Prompt began: with Err nil, by StopReason;
// else failed.
type TurnEnded struct {
	Turn       string
	StopReason string
	Err        *proto.EventErr
}

// Diag is a line for the session's journal: the agent's stderr, a bad line it
// wrote, a setting not applied. It is already clean text.
type Diag struct{ Text string }

// Exited is the last thing an agent says: its process is gone and reaped, its
// group killed. Err says how, nil for an end that Close asked for.
type Exited struct{ Err *proto.EventErr }

func (Ready) update()       {}
func (StartFailed) update() {}
func (Text) update()        {}
func (ToolCall) update()    {}
func (Todos) update()       {}
func (State) update()       {}
func (Asked) update()       {}
func (AskGone) update()     {}
func (TurnEnded) update()   {}
func (Diag) update()        {}
func (Exited) update()      {}
