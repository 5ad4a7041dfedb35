// Package stub is the scripted agent of the fake host: an agent.Agent that
// does what it is told, one op at a time, and nothing else.
//
// It owns the turn it was prompted with and the ops it has been given. Every
// update leaves it through the session's Sink, in the order of the calls that
// caused it; a call waits only for that Sink. It starts no goroutine.
package stub

import (
	"errors"
	"fmt"
	"sync"

	"craze/craze-host/agent"
	"craze/shared/proto"
)

// ErrUnknownOp says an op has a name the stub does not know.
var ErrUnknownOp = errors.New("unknown op")

// Op is one scripted act. Only the members its name uses matter.
type Op struct {
	Name      string               `json:"name"`
	ID        string               `json:"id,omitzero"`
	Text      string               `json:"text,omitzero"`
	Title     string               `json:"title,omitzero"`
	ToolName  string               `json:"toolName,omitzero"`
	Status    string               `json:"status,omitzero"`
	Kind      string               `json:"kind,omitzero"`
	Plan      string               `json:"plan,omitzero"`
	Tool      *proto.Tool          `json:"tool,omitzero"`
	Options   []proto.Option       `json:"options,omitzero"`
	Questions []proto.QuestionItem `json:"questions,omitzero"`
}

// Agent is the scripted agent. Its updates are queued by whoever causes them
// and delivered by Pump, so that the session's goroutine, which calls Prompt
// and Cancel, never waits for its own inbox.
type Agent struct {
	wake chan struct{}

	mu    sync.Mutex
	queue []agent.Update
	turn  string
	hang  bool
	gone  bool
}

// New makes a stub whose start is already queued.
func New() *Agent {
	a := &Agent{wake: make(chan struct{}, 1)}
	a.say(Start())
	return a
}

// Start is what the stub's start installs.
func Start() agent.Ready {
	return agent.Ready{
		ProviderSessionID: "stub-session-1",
		Catalogs: proto.Catalogs{
			Models: []proto.Model{{ID: "grok", Name: "Grok"}, {ID: "fast", Name: "Fast"}},
			Modes: []proto.ModeInfo{
				{ID: "agent", Name: "Agent", Description: "Full agent capabilities with tool access"},
				{ID: "plan", Name: "Plan", Description: "Read-only mode for planning and designing before implementation"},
				{ID: "ask", Name: "Ask", Description: "Q&A mode - no edits or command execution"},
			},
		},
		Caps: proto.SessionCaps{
			Modes: true, Effort: true, FastToggle: true, SubagentRows: true, Todos: true, AskCards: true,
			PlanCards: true, ParameterizedPicker: true, Cancel: true, Approvals: true, HistoryCursor: true,
		},
		State: proto.StateDelta{
			Mode: "agent", Model: "grok",
			Config: &proto.Config{Options: []proto.ConfigOption{
				choice("effort", "Effort", "thought_level", "medium", "low", "Low", "medium", "Medium", "high", "High"),
				choice("fast", "Fast", "model_config", "false", "false", "Off", "true", "Fast"),
			}},
			Commands: &proto.Commands{Commands: []proto.AgentCommand{{Name: "research", Description: "Agent-advertised command"}}},
		},
	}
}

func choice(id, name, category, current string, pairs ...string) proto.ConfigOption {
	o := proto.ConfigOption{ID: id, Name: name, Category: category, Type: "select", Current: current}
	for i := 0; i+1 < len(pairs); i += 2 {
		o.SelectValues = append(o.SelectValues, proto.SelectValue{Value: pairs[i], Name: pairs[i+1]})
	}
	return o
}

// Pump delivers updates until the stub has been closed and all is delivered.
func (a *Agent) Pump(sink agent.Sink) {
	for range a.wake {
		a.mu.Lock()
		updates, gone := a.queue, a.gone
		a.queue = nil
		a.mu.Unlock()
		if len(updates) > 0 {
			sink(updates)
		}
		if gone {
			return
		}
	}
}

// say queues updates; nothing follows Close's.
func (a *Agent) say(us ...agent.Update) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sayLocked(us...)
}

func (a *Agent) sayLocked(us ...agent.Update) {
	if a.gone {
		return
	}
	a.queue = append(a.queue, us...)
	select {
	case a.wake <- struct{}{}:
	default: // Pump has been woken already
	}
}

// Prompt answers with one echo and ends the turn, unless it was told to hang.
func (a *Agent) Prompt(turn, text string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turn = turn
	if a.hang {
		a.hang = false
		return nil
	}
	a.sayLocked(agent.Text{Kind: proto.EvText, Text: "echo: " + text})
	a.endLocked(proto.StopEndTurn)
	return nil
}

func (a *Agent) endLocked(reason string) {
	if a.turn != "" {
		a.sayLocked(agent.TurnEnded{Turn: a.turn, StopReason: reason})
		a.turn = ""
	}
}

// Cancel ends the running turn as cancelled.
func (a *Agent) Cancel() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.endLocked(proto.StopCancelled)
	return nil
}

// Answer is taken and changes nothing: the script says what happens next.
func (a *Agent) Answer(string, agent.Reply) error { return nil }

// Close ends the stub.
func (a *Agent) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sayLocked(agent.Exited{})
	a.gone = true
}

// Do does one op.
func (a *Agent) Do(op Op) error {
	switch op.Name {
	case "text":
		a.say(agent.Text{Kind: proto.EvText, Text: op.Text})
	case "thought":
		a.say(agent.Text{Kind: proto.EvThought, Text: op.Text})
	case "tool":
		a.say(agent.ToolCall{Tool: proto.Tool{ID: op.ID, Status: op.Status, Kind: op.Kind, Title: op.Title, ToolName: op.ToolName}})
	case "permission":
		a.ask(op.ID, proto.AskPermission, proto.AskBody{Permission: &proto.Permission{ID: op.ID, Tool: op.Tool, Options: op.Options}})
	case "question":
		a.ask(op.ID, proto.AskQuestion, proto.AskBody{Question: &proto.Question{ID: op.ID, Title: op.Title, Questions: op.Questions}})
	case "plan":
		a.ask(op.ID, proto.AskPlan, proto.AskBody{Plan: &proto.Plan{ID: op.ID, Name: op.Title, Plan: op.Plan}})
	case "end":
		a.mu.Lock()
		a.endLocked(proto.StopEndTurn)
		a.mu.Unlock()
	case "hang_next":
		a.mu.Lock()
		a.hang = true
		a.mu.Unlock()
	default:
		return fmt.Errorf("op %q: %w", op.Name, ErrUnknownOp)
	}
	return nil
}

func (a *Agent) ask(id string, kind proto.AskKind, body proto.AskBody) {
	a.say(agent.Asked{ID: id, Kind: kind, Body: body})
}
