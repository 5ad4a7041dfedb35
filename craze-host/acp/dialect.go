package acp

import (
	"slices"

	"craze/craze-host/agent"
	"craze/shared/proto"

	"github.com/go-json-experiment/json/jsontext"
)

// dialect decides by name what an agent's lines mean: its notifications, its
// requests (each must be answered, now or by Answer) and the kinds of
// session/update. A name that is missing is ignored, a request refused.
type dialect struct {
	notes    map[string]func(*loop, jsontext.Value)
	requests map[string]func(*loop, jsontext.Value, jsontext.Value)
	kinds    map[string]func(*loop, jsontext.Value)
}

// plain is ACP as it is published.
func plain() dialect {
	return dialect{
		notes: map[string]func(*loop, jsontext.Value){
			"session/update": (*loop).update,
		},
		requests: map[string]func(*loop, jsontext.Value, jsontext.Value){
			"session/request_permission": (*loop).permission,
		},
		kinds: map[string]func(*loop, jsontext.Value){
			"agent_message_chunk":       chunkOf(proto.EvText),
			"agent_thought_chunk":       chunkOf(proto.EvThought),
			"user_message_chunk":        chunkOf(proto.EvUser),
			"tool_call":                 (*loop).toolCall,
			"tool_call_update":          (*loop).toolUpdate,
			"plan":                      (*loop).plan,
			"available_commands_update": (*loop).commands,
			"current_mode_update":       (*loop).modeChanged,
			"config_option_update":      (*loop).configChanged,
			"session_info_update":       (*loop).infoChanged,
		},
	}
}

// update handles a session/update that the chunk scanner left.
func (l *loop) update(params jsontext.Value) {
	var p struct {
		SessionID string         `json:"sessionId"`
		Update    jsontext.Value `json:"update"`
	}
	var kind struct {
		Kind string `json:"sessionUpdate"`
	}
	if lenient(params, &p) != nil || lenient(p.Update, &kind) != nil {
		l.badLine("agent update of %d bytes skipped: not understood", len(params))
		return
	}
	if !l.ours(p.SessionID) {
		return
	}
	if handle := l.speak.kinds[kind.Kind]; handle != nil {
		handle(l, p.Update)
	}
}

// Bounds of lists an agent sends.
const (
	todosMax   = 256
	optionsMax = 32
)

// plan is the whole task list; its entries have no ids but their places.
func (l *loop) plan(update jsontext.Value) {
	var u struct {
		Entries []struct {
			Content jsontext.Value `json:"content"`
			Status  jsontext.Value `json:"status"`
		} `json:"entries"`
	}
	if lenient(update, &u) != nil {
		l.badLine("agent plan of %d bytes skipped: not understood", len(update))
		return
	}
	todos := make([]proto.Todo, 0, min(len(u.Entries), todosMax))
	for i, e := range u.Entries[:cap(todos)] {
		todos = append(todos, proto.Todo{
			ID: placeID(i), Content: cutHead(first(e.Content), descMax), Status: cutHead(first(e.Status), nameMax),
		})
	}
	l.tell(agent.Todos{Todos: todos})
}

func (l *loop) commands(update jsontext.Value) {
	var u struct {
		Commands []struct {
			Name        jsontext.Value `json:"name"`
			Description jsontext.Value `json:"description"`
		} `json:"availableCommands"`
	}
	if lenient(update, &u) != nil {
		l.badLine("agent commands of %d bytes skipped: not understood", len(update))
		return
	}
	c := &proto.Commands{}
	for _, r := range u.Commands[:min(len(u.Commands), catalogMax)] {
		if name := first(r.Name); name != "" && len(name) <= nameMax {
			c.Commands = append(c.Commands, proto.AgentCommand{Name: name, Description: cutHead(first(r.Description), descMax)})
		}
	}
	if l.told && slices.Equal(c.Commands, l.commandsTold) {
		return // agents repeat the list with every turn
	}
	l.told, l.commandsTold = true, c.Commands
	l.tell(agent.State{Delta: proto.StateDelta{Commands: c}})
}

func (l *loop) modeChanged(update jsontext.Value) {
	var u struct {
		Mode jsontext.Value `json:"currentModeId"`
	}
	_ = lenient(update, &u) // another shape names no mode
	mode := cutHead(first(u.Mode), nameMax)
	if mode == "" {
		return
	}
	if l.phase == starting {
		l.start.set.mode = mode
		return
	}
	l.tell(agent.State{Delta: proto.StateDelta{Mode: mode}})
}

// configChanged is the whole option list; it also tells mode and model where
// they are options.
func (l *loop) configChanged(update jsontext.Value) {
	s := readSettings(update)
	if len(s.options) == 0 {
		return
	}
	if l.phase == starting {
		l.start.set.options = s.options
		l.start.set.adopt()
		return
	}
	l.tell(agent.State{Delta: s.state()})
}

func (l *loop) infoChanged(update jsontext.Value) {
	var u struct {
		Title jsontext.Value `json:"title"`
	}
	_ = lenient(update, &u) // another shape has no title
	if title, ok := str(u.Title); ok {
		title = cutHead(title, descMax)
		l.tell(agent.State{Delta: proto.StateDelta{Title: &title}})
	}
}

// permission opens an ask, or answers it where permissions are bypassed.
func (l *loop) permission(id, params jsontext.Value) {
	var p struct {
		ToolCall jsontext.Value `json:"toolCall"`
		Options  []struct {
			ID   jsontext.Value `json:"optionId"`
			Name jsontext.Value `json:"name"`
			Kind jsontext.Value `json:"kind"`
		} `json:"options"`
	}
	_ = lenient(params, &p) // another shape is a permission that can only be cancelled
	var options []proto.Option
	for _, o := range p.Options[:min(len(p.Options), optionsMax)] {
		if oid, ok := str(o.ID); ok && len(oid) <= nameMax {
			options = append(options, proto.Option{OptionID: oid, Name: cutHead(first(o.Name), nameMax), Kind: cutHead(first(o.Kind), nameMax)})
		}
	}
	if option := allow(options); l.a.cfg.Bypass && option != "" {
		l.send(resultFrame(id, selected(option)))
		return
	}
	name, ok := l.a.book.ask(id)
	if !ok {
		l.send(resultFrame(id, cancelled()))
		l.badLine("agent permission cancelled: %d wait already", askMax)
		return
	}
	l.tell(agent.Asked{ID: name, Kind: proto.AskPermission, Body: proto.AskBody{
		Permission: &proto.Permission{ID: name, Tool: l.tools.asked(p.ToolCall), Options: options},
	}})
}

// allow picks the option a bypass answers with: the narrowest that allows.
func allow(options []proto.Option) string {
	for _, kind := range []string{proto.OptAllowOnce, proto.OptAllowAlways} {
		for _, o := range options {
			if o.Kind == kind {
				return o.OptionID
			}
		}
	}
	return ""
}
