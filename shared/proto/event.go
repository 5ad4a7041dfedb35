package proto

import "time"

// EventType is an event's kind. The set is open: a reader keeps or skips one
// it does not know.
type EventType string

// The event types of event codec 1.
const (
	EvText       EventType = "text"
	EvThought    EventType = "thought"
	EvUser       EventType = "user"
	EvTool       EventType = "tool"
	EvTodos      EventType = "todos"
	EvPermission EventType = "permission"
	EvQuestion   EventType = "question"
	EvPlan       EventType = "plan"
	EvAsk        EventType = "ask"
	EvTurn       EventType = "turn"
	EvDone       EventType = "done"
	EvError      EventType = "error"
	EvMeta       EventType = "meta"
	EvSubagent   EventType = "subagent"
	EvQueue      EventType = "queue"
	EvCommand    EventType = "command"
	EvForeign    EventType = "foreign_turn"
	EvReplay     EventType = "replay"
	EvCompaction EventType = "compaction"
)

// Event is one record of a session's stream, in event codec 1. Every member
// but Type is absent at its zero value; a present, empty object differs from
// an absent one. Its seq is the log's and rides outside it.
type Event struct {
	Type           EventType    `json:"type"`
	Text           string       `json:"text,omitzero"`
	Tool           *Tool        `json:"tool,omitzero"`
	Todos          []Todo       `json:"todos,omitzero"`
	Agent          string       `json:"agent,omitzero"`
	Interjection   bool         `json:"interjection,omitzero"`
	Permission     *Permission  `json:"permission,omitzero"`
	Question       *Question    `json:"question,omitzero"`
	Plan           *Plan        `json:"plan,omitzero"`
	Ask            *AskEnd      `json:"ask,omitzero"`
	Turn           *Turn        `json:"turn,omitzero"`
	State          *StateDelta  `json:"state,omitzero"`
	Mode           string       `json:"mode,omitzero"`
	Subagent       *Subagent    `json:"subagent,omitzero"`
	SubagentChange string       `json:"subagentChange,omitzero"`
	Queue          *QueueRow    `json:"queue,omitzero"`
	QueueChange    string       `json:"queueChange,omitzero"`
	QueuePos       int          `json:"queuePos,omitzero"`
	Command        *CommandRun  `json:"command,omitzero"`
	ForeignTurn    *ForeignTurn `json:"foreignTurn,omitzero"`
	Replay         *Replay      `json:"replay,omitzero"`
	Compaction     *Compaction  `json:"compaction,omitzero"`
	Replayed       bool         `json:"replayed,omitzero"`
	Cause          string       `json:"cause,omitzero"` // clientId/commandId of the command behind it
	Err            *EventErr    `json:"err,omitzero"`
	StopReason     string       `json:"stopReason,omitzero"`
	At             time.Time    `json:"at,omitzero"`
}

// Tool statuses. Cancelled is craze's own, for a tool its turn left behind.
const (
	ToolPending    = "pending"
	ToolInProgress = "in_progress"
	ToolCompleted  = "completed"
	ToolFailed     = "failed"
	ToolCancelled  = "cancelled"
)

// Tool is a tool call's whole state as it stands, merged by ID.
type Tool struct {
	ID          string      `json:"id,omitzero"`
	Name        string      `json:"name,omitzero"`
	Status      string      `json:"status,omitzero"`
	Kind        string      `json:"kind,omitzero"`
	Title       string      `json:"title,omitzero"`
	ToolName    string      `json:"toolName,omitzero"`
	RawInput    string      `json:"rawInput,omitzero"`
	ContentText string      `json:"contentText,omitzero"`
	Locations   []string    `json:"locations,omitzero"`
	Output      *ToolOutput `json:"output,omitzero"`
	Diffs       []Diff      `json:"diffs,omitzero"`
	Task        *Task       `json:"task,omitzero"`
	At          time.Time   `json:"at,omitzero"`
}

// ToolOutput is what a tool printed. Head members hold the start of a stream
// whose middle was cut.
type ToolOutput struct {
	ExitCode   *int   `json:"exitCode,omitzero"`
	Stdout     string `json:"stdout,omitzero"`
	Stderr     string `json:"stderr,omitzero"`
	Content    string `json:"content,omitzero"`
	StdoutHead string `json:"stdoutHead,omitzero"`
	StderrHead string `json:"stderrHead,omitzero"`
	Truncated  bool   `json:"truncated,omitzero"`
}

// Diff is one file's change.
type Diff struct {
	Path      string `json:"path,omitzero"`
	OldText   string `json:"oldText,omitzero"`
	NewText   string `json:"newText,omitzero"`
	Added     int    `json:"added,omitzero"`
	Removed   int    `json:"removed,omitzero"`
	Truncated bool   `json:"truncated,omitzero"`
}

// Task is what a tool that started a sub-agent says of it.
type Task struct {
	Description  string `json:"description,omitzero"`
	Prompt       string `json:"prompt,omitzero"`
	Model        string `json:"model,omitzero"`
	AgentID      string `json:"agentId,omitzero"`
	SubagentType string `json:"subagentType,omitzero"`
	DurationMs   int64  `json:"durationMs,omitzero"`
	Receipt      bool   `json:"receipt,omitzero"`
	Status       string `json:"status,omitzero"`
	Background   bool   `json:"background,omitzero"`
}

// Todo is one row of the agent's task list.
type Todo struct {
	ID      string `json:"id,omitzero"`
	Content string `json:"content,omitzero"`
	Status  string `json:"status,omitzero"`
}

// Turn phases and origins.
const (
	TurnStarted  = "started"
	TurnEnded    = "ended"
	OriginSubmit = "submit"
	OriginDrain  = "drain"
	OriginNow    = "send_now"
)

// Stop reasons a turn ends with. The first five are ACP's; closing is
// craze's, for a turn its session's stop ended.
const (
	StopEndTurn   = "end_turn"
	StopCancelled = "cancelled"
	StopRefusal   = "refusal"
	StopMaxTokens = "max_tokens"
	StopMaxTurns  = "max_turn_requests"
	StopClosing   = "closing"
)

// Turn brackets one of craze's turns.
type Turn struct {
	ID         string `json:"id,omitzero"`
	Phase      string `json:"phase,omitzero"`
	Text       string `json:"text,omitzero"`
	Origin     string `json:"origin,omitzero"`
	StopReason string `json:"stopReason,omitzero"`
	ErrClass   string `json:"errClass,omitzero"`
	Err        string `json:"err,omitzero"`
	Synthetic  bool   `json:"synthetic,omitzero"`
	Next       string `json:"next,omitzero"`
	Pending    int    `json:"pending,omitzero"`
}

// Error classes of an EventErr. The set is open.
const (
	ErrRPC             = "rpc"
	ErrClosed          = "closed"
	ErrAgentExited     = "agent_exited"
	ErrAgentExitStatus = "agent_exit_status"
	ErrDeadline        = "deadline_exceeded"
	ErrAuth            = "auth"
	ErrOther           = "other"
)

// EventErr is why a turn or a session failed; all three members are always
// written.
type EventErr struct {
	Message string `json:"message"`
	Class   string `json:"class"`
	Code    int    `json:"code"`
}

// Subagent is a sub-agent's row.
type Subagent struct {
	ID           string    `json:"id,omitzero"`
	AttemptID    string    `json:"attemptId,omitzero"`
	ParentID     string    `json:"parentId,omitzero"`
	ToolCallID   string    `json:"toolCallId,omitzero"`
	Description  string    `json:"description,omitzero"`
	SubagentType string    `json:"subagentType,omitzero"`
	Model        string    `json:"model,omitzero"`
	Status       string    `json:"status,omitzero"`
	Error        string    `json:"error,omitzero"`
	Prompt       string    `json:"prompt,omitzero"`
	Output       string    `json:"output,omitzero"`
	Activity     string    `json:"activity,omitzero"`
	StartedAt    time.Time `json:"startedAt,omitzero"`
	EndedAt      time.Time `json:"endedAt,omitzero"`
	DurationMs   int64     `json:"durationMs,omitzero"`
	ToolCalls    int       `json:"toolCalls,omitzero"`
	Turns        int       `json:"turns,omitzero"`
	TokensUsed   int64     `json:"tokensUsed,omitzero"`
	ToolsUsed    []string  `json:"toolsUsed,omitzero"`
	Transcript   bool      `json:"transcript,omitzero"`
	Background   bool      `json:"background,omitzero"`
}

// Sub-agent changes.
const (
	SubSpawned  = "spawned"
	SubProgress = "progress"
	SubFinished = "finished"
)

// Queue changes.
const (
	RowQueued  = "queued"
	RowEdited  = "edited"
	RowRemoved = "removed"
	RowSent    = "sent"
)

// QueueRow is a prompt that waits for its turn.
type QueueRow struct {
	ID       string    `json:"id,omitzero"`
	Text     string    `json:"text,omitzero"`
	QueuedAt time.Time `json:"queuedAt,omitzero"`
	Version  int       `json:"version,omitzero"`
}

// CommandRun is a plugin command or skill that was expanded into a prompt.
type CommandRun struct {
	PluginCommand *PluginCommand `json:"pluginCommand,omitzero"`
	Path          string         `json:"path,omitzero"`
	Text          string         `json:"text,omitzero"`
}

// PluginCommand names a command, a skill or an agent that a plugin ships.
type PluginCommand struct {
	Plugin      string `json:"plugin,omitzero"`
	Bare        string `json:"bare,omitzero"`
	Display     string `json:"display,omitzero"`
	Qualified   string `json:"qualified,omitzero"`
	Description string `json:"description,omitzero"`
	Kind        string `json:"kind,omitzero"`
}

// ForeignTurn brackets a turn the agent runs on its own.
type ForeignTurn struct {
	ID      string `json:"id"`
	Text    string `json:"text,omitzero"`
	Reason  string `json:"reason,omitzero"`
	Running bool   `json:"running,omitzero"`
}

// Replay brackets what a load replays.
type Replay struct {
	Phase string `json:"phase"` // "start" or "end"
}

// Compaction is a context compaction's start or end.
type Compaction struct {
	Phase        string `json:"phase,omitzero"`
	Reason       string `json:"reason,omitzero"`
	TokensBefore int64  `json:"tokensBefore,omitzero"`
	TokensAfter  int64  `json:"tokensAfter,omitzero"`
	Err          string `json:"err,omitzero"`
}
