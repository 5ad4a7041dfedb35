package transcript

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"craze/shared/proto"
)

// small are limits that a short random stream passes often.
var small = limits{str: 24, text: 64, total: 8 * entryWeight, extra: 60}

// roomy are limits that only strings pass.
var roomy = limits{str: 24, text: 64, total: TranscriptMax, extra: 60}

// stream draws a random sequence of events: plausible ones in an implausible
// order, as a fold must take any.
func stream(t *rapid.T) []*proto.Event {
	n := rapid.SampledFrom([]int{0, 1, 5, 20, 60, 120}).Draw(t, "events")
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	out := make([]*proto.Event, n)
	for i := range out {
		at = at.Add(time.Duration(rapid.IntRange(0, 1500).Draw(t, "ms")) * time.Millisecond)
		out[i] = event(t)
		out[i].At = at
	}
	return out
}

func event(t *rapid.T) *proto.Event {
	kinds := []func(*rapid.T) *proto.Event{
		textEvent, textEvent, textEvent, textEvent, toolEvent, toolEvent, toolEvent, turnEvent, endEvent,
		todosEvent, askEvent, askEndEvent, metaEvent, subagentEvent, queueEvent, bracketEvent, compactionEvent,
	}
	return rapid.SampledFrom(kinds).Draw(t, "kind")(t)
}

func pick(t *rapid.T, of ...string) string { return rapid.SampledFrom(of).Draw(t, "pick") }

func words(t *rapid.T) string {
	base := pick(t, "a", "héllo ", "line\n", "\"q\"\u0001", "日本語テキスト", "x")
	return strings.Repeat(base, rapid.IntRange(1, 12).Draw(t, "times"))
}

func agentID(t *rapid.T) string { return pick(t, "", "", "", "", "a1", "a2", "a3") }

func textEvent(t *rapid.T) *proto.Event {
	kind := pick(t, "text", "text", "thought", "user")
	return &proto.Event{
		Type: proto.EventType(kind), Text: words(t), Agent: agentID(t),
		Interjection: kind == "user" && rapid.Bool().Draw(t, "interjection"),
	}
}

func toolEvent(t *rapid.T) *proto.Event {
	tool := &proto.Tool{
		ID:     pick(t, "t1", "t2", "t3", "t4", "t5", ""),
		Name:   "run",
		Status: pick(t, "pending", "in_progress", "completed", "failed", "cancelled"),
		Title:  words(t),
	}
	if rapid.Bool().Draw(t, "full") {
		code := 3
		tool.Output = &proto.ToolOutput{ExitCode: &code, Stdout: words(t)}
		tool.Locations = []string{words(t)}
		tool.Diffs = []proto.Diff{{Path: "p", NewText: words(t)}}
		tool.At = time.Date(2026, 1, 1, 5, 0, 0, 0, time.FixedZone("x", 3600))
	}
	return &proto.Event{Type: proto.EvTool, Tool: tool, Agent: agentID(t)}
}

func turnEvent(t *rapid.T) *proto.Event {
	return &proto.Event{Type: proto.EvTurn, Turn: &proto.Turn{ID: "turn-1", Phase: proto.TurnStarted, Text: words(t), Origin: "submit"}}
}

func endEvent(t *rapid.T) *proto.Event {
	reason := pick(t, "end_turn", "cancelled", "max_tokens")
	switch pick(t, "done", "error", "turn", "failed") {
	case "done":
		return &proto.Event{Type: proto.EvDone, StopReason: reason}
	case "error":
		return &proto.Event{Type: proto.EvError, Err: &proto.EventErr{Message: words(t), Class: "rpc", Code: -1}}
	case "failed":
		return &proto.Event{Type: proto.EvTurn, Turn: &proto.Turn{ID: "turn-1", Phase: proto.TurnEnded, Err: "gone", ErrClass: "closed"}}
	}
	return &proto.Event{Type: proto.EvTurn, Turn: &proto.Turn{ID: "turn-1", Phase: proto.TurnEnded, StopReason: reason}}
}

func todosEvent(t *rapid.T) *proto.Event {
	var list []proto.Todo
	for i := range rapid.IntRange(0, 3).Draw(t, "todos") {
		list = append(list, proto.Todo{ID: fmt.Sprint(i), Content: words(t), Status: pick(t, "pending", "completed")})
	}
	return &proto.Event{Type: proto.EvTodos, Todos: list}
}

func askEvent(t *rapid.T) *proto.Event {
	id := pick(t, "k1", "k2", "k3")
	switch pick(t, "permission", "question", "plan") {
	case "permission":
		return &proto.Event{Type: proto.EvPermission, Permission: &proto.Permission{
			ID: id, Tool: &proto.Tool{ID: "t1", Title: words(t)}, Options: []proto.Option{{OptionID: "o", Name: "Yes", Kind: "allow_once"}},
		}}
	case "question":
		return &proto.Event{Type: proto.EvQuestion, Question: &proto.Question{
			ID: id, Questions: []proto.QuestionItem{{ID: "q", Prompt: words(t)}}, Answers: map[string][]string{"q": {words(t)}, "r": {}},
		}}
	}
	return &proto.Event{Type: proto.EvPlan, Plan: &proto.Plan{ID: id, Name: "p", Plan: words(t)}}
}

func askEndEvent(t *rapid.T) *proto.Event {
	end := &proto.AskEnd{ID: pick(t, "k1", "k2", "k3"), Kind: proto.AskPlan, Outcome: "answered", By: "client", Accepted: true}
	if rapid.Bool().Draw(t, "body") {
		end.Body = &proto.AskBody{Plan: &proto.Plan{ID: end.ID, Plan: words(t)}}
	}
	return &proto.Event{Type: proto.EvAsk, Ask: end}
}

func metaEvent(t *rapid.T) *proto.Event {
	title := words(t)
	d := &proto.StateDelta{}
	switch pick(t, "title", "mode", "config", "commands", "plugins", "sendNow", "usage", "catalog", "slash", "text") {
	case "title":
		d.Title = &title
	case "mode":
		d.Mode, d.Model = title, "m"
	case "config":
		d.Config = &proto.Config{Options: []proto.ConfigOption{{ID: "effort", Current: title}}}
	case "commands":
		d.Commands = &proto.Commands{Commands: []proto.AgentCommand{{Name: "x", Description: title}}}
	case "plugins":
		d.Plugins = &proto.Plugins{}
	case "sendNow":
		d.SendNow = &proto.SendNow{Armed: true, Text: title}
	case "usage":
		d.Usage = &proto.Usage{ContextTokens: 5}
	case "catalog":
		d.Catalog = &proto.ModelList{Models: []proto.Model{{ID: "m", Name: title}}, Revision: rapid.Int64Range(0, 3).Draw(t, "revision")}
	case "slash":
		d.Slash = &proto.SlashCatalog{Items: []proto.SlashRow{{Name: "x", Source: "agent", Description: title, Plugin: words(t)}}}
	case "text":
		return &proto.Event{Type: proto.EvMeta, Text: title, Mode: "plan"}
	}
	return &proto.Event{Type: proto.EvMeta, State: d}
}

func subagentEvent(t *rapid.T) *proto.Event {
	return &proto.Event{
		Type: proto.EvSubagent, SubagentChange: pick(t, "spawned", "progress", "finished"),
		Subagent: &proto.Subagent{ID: pick(t, "a1", "a2", "a3"), Prompt: words(t), StartedAt: time.Unix(1_700_000_000, 5)},
	}
}

func queueEvent(t *rapid.T) *proto.Event {
	return &proto.Event{
		Type: proto.EvQueue, QueueChange: pick(t, "queued", "queued", "edited", "removed", "sent"),
		QueuePos: rapid.IntRange(0, 4).Draw(t, "pos"), Queue: &proto.QueueRow{ID: pick(t, "q-1", "q-2", "q-3"), Text: words(t)},
	}
}

func bracketEvent(t *rapid.T) *proto.Event {
	switch pick(t, "replay", "foreign", "unknown", "bare") {
	case "replay":
		return &proto.Event{Type: proto.EvReplay, Replay: &proto.Replay{Phase: pick(t, "start", "end")}}
	case "foreign":
		return &proto.Event{Type: proto.EvForeign, ForeignTurn: &proto.ForeignTurn{ID: "wake-1", Text: words(t), Running: rapid.Bool().Draw(t, "running")}}
	case "unknown":
		return &proto.Event{Type: "of a later codec", Text: "x"}
	}
	return &proto.Event{Type: rapid.SampledFrom([]proto.EventType{proto.EvTool, proto.EvTurn, proto.EvAsk, proto.EvPlan, proto.EvQueue, proto.EvSubagent, proto.EvError}).Draw(t, "bare")}
}

func compactionEvent(t *rapid.T) *proto.Event {
	return &proto.Event{Type: proto.EvCompaction, Agent: agentID(t), Compaction: &proto.Compaction{
		Phase: pick(t, "started", "ended"), Reason: pick(t, "auto", "manual", "overflow"), TokensBefore: 890000, TokensAfter: 21000,
	}}
}
