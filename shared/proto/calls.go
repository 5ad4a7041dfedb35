package proto

import "github.com/go-json-experiment/json/jsontext"

// SessionParams name a session and nothing else.
type SessionParams struct {
	SessionID string `json:"sessionId"`
}

// CommandParams name a session and the command id of a mutating call.
type CommandParams struct {
	SessionID string `json:"sessionId"`
	CommandID string `json:"commandId"`
}

// When says when an attach answers.
type When string

// The two moments of an attach; "" is WhenReady.
const (
	WhenReady When = "ready"
	WhenNow   When = "now"
)

// Budget is an attachment's bounds; a zero member is the default.
type Budget struct {
	MaxItems      int `json:"maxItems,omitzero"`
	MaxBytes      int `json:"maxBytes,omitzero"`
	SnapshotBytes int `json:"snapshotBytes,omitzero"`
}

// AttachParams put a connection on a session's stream.
type AttachParams struct {
	SessionID string  `json:"sessionId"`
	Cursor    *Cursor `json:"cursor,omitzero"`
	When      When    `json:"when,omitzero"`
	Budget    *Budget `json:"budget,omitzero"`
}

// CursorReason says why a cursor was not honoured.
type CursorReason string

// The reasons a cursor is refused.
const (
	CursorForeign   CursorReason = "foreign_incarnation"
	CursorFuture    CursorReason = "future_seq"
	CursorBacklog   CursorReason = "backlog_too_large"
	CursorNoJournal CursorReason = "no_journal"
	CursorGap       CursorReason = "journal_gap"
	CursorBehind    CursorReason = "journal_behind"
	CursorEvicted   CursorReason = "evicted"
)

// AttachResult answers an attach. Snapshot is present exactly when no cursor
// was honoured; Reset when one was given and refused.
type AttachResult struct {
	Subscription string         `json:"subscription"`
	Session      Info           `json:"session"`
	Ready        bool           `json:"ready"`
	After        Cursor         `json:"after"`
	Snapshot     jsontext.Value `json:"snapshot,omitzero"`
	Reset        CursorReason   `json:"reset,omitzero"`
}

// DetachParams end an attachment.
type DetachParams struct {
	SessionID    string `json:"sessionId"`
	Subscription string `json:"subscription"`
}

// SnapshotParams ask for one snapshot.
type SnapshotParams struct {
	SessionID string          `json:"sessionId"`
	AgentID   string          `json:"agentId,omitzero"`
	Budget    *SnapshotBudget `json:"budget,omitzero"`
}

// SnapshotBudget bounds a snapshot, in bytes.
type SnapshotBudget struct {
	SnapshotBytes int `json:"snapshotBytes,omitzero"`
}

// SnapshotResult carries one snapshot.
type SnapshotResult struct {
	Snapshot jsontext.Value `json:"snapshot"`
}

// SyncResult is the log's committed head.
type SyncResult struct {
	Seq uint64 `json:"seq"`
}

// PromptMode says how a prompt meets a running turn.
type PromptMode string

// The prompt modes.
const (
	ModeQueue     PromptMode = "queue"
	ModeSendNow   PromptMode = "send_now"
	ModeInterject PromptMode = "interject"
)

// PromptParams send a prompt.
type PromptParams struct {
	SessionID string     `json:"sessionId"`
	CommandID string     `json:"commandId"`
	Text      string     `json:"text,omitzero"`
	FromRow   string     `json:"fromRow,omitzero"`
	Mode      PromptMode `json:"mode"`
}

// PromptResult is exactly one of a started turn, a queued row, an armed send
// and (all absent) an interjection.
type PromptResult struct {
	Turn   string    `json:"turn,omitzero"`
	Text   string    `json:"text,omitzero"`
	Queued *QueueRow `json:"queued,omitzero"`
	Armed  bool      `json:"armed,omitzero"`
}

// CancelParams cancel a turn; an empty TurnID is whatever runs.
type CancelParams struct {
	SessionID string `json:"sessionId"`
	CommandID string `json:"commandId"`
	TurnID    string `json:"turnId,omitzero"`
}

// Cancel outcomes.
const (
	CancelRequested = "requested"
	CancelSettled   = "settled"
	CancelUnknown   = "unknown"
)

// CancelResult says what a cancel met.
type CancelResult struct {
	Outcome  string `json:"outcome"`
	Turn     string `json:"turn"`
	Reported bool   `json:"reported"`
}

// AsksResult lists the open asks.
type AsksResult struct {
	Asks []AskSummary `json:"asks"`
}

// AskGetParams name one ask.
type AskGetParams struct {
	SessionID string `json:"sessionId"`
	AskID     string `json:"askId"`
}

// AskGetResult is one full ask.
type AskGetResult struct {
	Ask Ask `json:"ask"`
}

// AnswerParams answer one ask.
type AnswerParams struct {
	SessionID string `json:"sessionId"`
	CommandID string `json:"commandId"`
	AskID     string `json:"askId"`
	Answer    Answer `json:"answer"`
}

// Empty is the result {}.
type Empty struct{}
