package proto

import "time"

// AskKind is what an ask wants.
type AskKind string

// The kinds of ask.
const (
	AskPermission AskKind = "permission"
	AskQuestion   AskKind = "question"
	AskPlan       AskKind = "plan"
)

// Option kinds of a permission, which are ACP's.
const (
	OptAllowOnce    = "allow_once"
	OptAllowAlways  = "allow_always"
	OptRejectOnce   = "reject_once"
	OptRejectAlways = "reject_always"
)

// Permission is an agent's request to run a tool.
type Permission struct {
	ID      string   `json:"id,omitzero"`
	Tool    *Tool    `json:"tool,omitzero"`
	Options []Option `json:"options,omitzero"`
}

// Option is one way to answer a permission. OptionID is the agent's own and
// opaque.
type Option struct {
	OptionID string `json:"optionId"`
	Name     string `json:"name,omitzero"`
	Kind     string `json:"kind,omitzero"`
}

// Question is a set of multiple-choice questions.
type Question struct {
	ID        string              `json:"id,omitzero"`
	Title     string              `json:"title,omitzero"`
	Questions []QuestionItem      `json:"questions,omitzero"`
	Auto      bool                `json:"auto,omitzero"`
	Answers   map[string][]string `json:"answers,omitzero"`
}

// QuestionItem is one question of a set.
type QuestionItem struct {
	ID            string           `json:"id,omitzero"`
	Prompt        string           `json:"prompt,omitzero"`
	Options       []QuestionOption `json:"options,omitzero"`
	AllowMultiple bool             `json:"allowMultiple,omitzero"`
}

// QuestionOption is one choice of a question.
type QuestionOption struct {
	ID          string `json:"id,omitzero"`
	Label       string `json:"label,omitzero"`
	Description string `json:"description,omitzero"`
}

// Plan is a plan the agent wants approved.
type Plan struct {
	ID       string `json:"id,omitzero"`
	Name     string `json:"name,omitzero"`
	Overview string `json:"overview,omitzero"`
	Plan     string `json:"plan,omitzero"`
	Todos    []Todo `json:"todos,omitzero"`
	Auto     bool   `json:"auto,omitzero"`
	Accepted bool   `json:"accepted,omitzero"`
}

// Ask outcomes.
const (
	OutcomeAnswered  = "answered"
	OutcomeCancelled = "cancelled"
	OutcomeTurnEnded = "turn_ended"
	OutcomeClosing   = "closing"
	OutcomeAutomatic = "automatic"
)

// Who ended an ask.
const (
	ByClient   = "client"
	ByCancel   = "cancel"
	ByTurn     = "turn"
	ByClose    = "close"
	ByPolicy   = "policy"
	ByProvider = "provider"
)

// AskBody is an ask's question, in the member of its kind.
type AskBody struct {
	Permission *Permission `json:"permission,omitzero"`
	Question   *Question   `json:"question,omitzero"`
	Plan       *Plan       `json:"plan,omitzero"`
}

// AskEnd is an ask's ending. Body is written only when no opening was ever
// published.
type AskEnd struct {
	ID       string              `json:"id,omitzero"`
	Kind     AskKind             `json:"kind,omitzero"`
	Outcome  string              `json:"outcome,omitzero"`
	By       string              `json:"by,omitzero"`
	OptionID string              `json:"optionId,omitzero"`
	Answers  map[string][]string `json:"answers,omitzero"`
	Skip     bool                `json:"skip,omitzero"`
	Accepted bool                `json:"accepted,omitzero"`
	Label    string              `json:"label,omitzero"`
	Body     *AskBody            `json:"body,omitzero"`
}

// HeadAsk is the first open ask, on a row or in session.state. Summary is
// the row's alone.
type HeadAsk struct {
	ID      string  `json:"id"`
	Kind    AskKind `json:"kind"`
	Label   string  `json:"label"`
	Summary string  `json:"summary,omitzero"`
}

// AskSummary is one row of asks.list.
type AskSummary struct {
	ID       string    `json:"id"`
	Kind     AskKind   `json:"kind"`
	Label    string    `json:"label"`
	OpenedAt time.Time `json:"openedAt"`
}

// Ask statuses of asks.get.
const (
	AskOpen     = "open"
	AskResolved = "resolved"
)

// Ask is a full ask, as asks.get gives it. Truncated says a string was cut to
// StringCap.
type Ask struct {
	ID         string    `json:"id"`
	Kind       AskKind   `json:"kind"`
	Status     string    `json:"status"`
	Outcome    string    `json:"outcome,omitzero"`
	By         string    `json:"by,omitzero"`
	Answer     *Answer   `json:"answer,omitzero"`
	Body       AskBody   `json:"body"`
	OpenedAt   time.Time `json:"openedAt"`
	ResolvedAt time.Time `json:"resolvedAt,omitzero"`
	Truncated  bool      `json:"truncated"`
}

// Answer answers one ask, with the members of its kind only: a permission
// OptionID or Cancel, a question Answers or Skip, a plan Accept or Reject.
type Answer struct {
	OptionID string              `json:"optionId,omitzero"`
	Cancel   bool                `json:"cancel,omitzero"`
	Answers  map[string][]string `json:"answers,omitzero"`
	Skip     bool                `json:"skip,omitzero"`
	Accept   bool                `json:"accept,omitzero"`
	Reject   bool                `json:"reject,omitzero"`
}
