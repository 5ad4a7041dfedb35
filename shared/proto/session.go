package proto

import "time"

// Model is one model of a catalog.
type Model struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	Recent        int      `json:"recent,omitzero"`
	Efforts       []string `json:"efforts,omitzero"`
	DefaultEffort string   `json:"defaultEffort,omitzero"`
	SwitchEffort  string   `json:"switchEffort,omitzero"`
}

// ModeInfo is one mode of a catalog.
type ModeInfo struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Catalogs are what a session can be set to.
type Catalogs struct {
	Models   []Model    `json:"models"`
	Modes    []ModeInfo `json:"modes"`
	Revision int64      `json:"revision,omitzero"`
}

// Provider names the agent provider of a session.
type Provider struct {
	Name  string `json:"name"`
	Label string `json:"label"`
}

// SessionCaps is what a session can do. A client hides what is false.
type SessionCaps struct {
	Interject           bool `json:"interject"`
	SubagentCancel      bool `json:"subagentCancel"`
	SubagentBackground  bool `json:"subagentBackground"`
	Modes               bool `json:"modes"`
	Effort              bool `json:"effort"`
	FastToggle          bool `json:"fastToggle"`
	SubagentRows        bool `json:"subagentRows"`
	SubagentTranscript  bool `json:"subagentTranscript"`
	Todos               bool `json:"todos"`
	AskCards            bool `json:"askCards"`
	PlanCards           bool `json:"planCards"`
	ParameterizedPicker bool `json:"parameterizedPicker"`
	Cancel              bool `json:"cancel"`
	Approvals           bool `json:"approvals"`
	HistoryCursor       bool `json:"historyCursor"`
	Stop                bool `json:"stop"`
	RowFacts            bool `json:"rowFacts,omitzero"`
	Presence            bool `json:"presence,omitzero"`
	ModelsRefresh       bool `json:"modelsRefresh,omitzero"`
	Aside               bool `json:"aside,omitzero"`
	SlashCatalog        bool `json:"slashCatalog,omitzero"`
	EffortFacts         bool `json:"effortFacts,omitzero"`
}

// Permission modes.
const (
	PermBypass = "bypass"
	PermPrompt = "prompt"
)

// Info is the session info document.
type Info struct {
	SessionID         string       `json:"sessionId"`
	ProviderSessionID string       `json:"providerSessionId"`
	Incarnation       string       `json:"incarnation"`
	HostID            string       `json:"hostId"`
	Workspace         string       `json:"workspace"`
	Provider          Provider     `json:"provider"`
	Catalogs          Catalogs     `json:"catalogs"`
	Capabilities      SessionCaps  `json:"capabilities"`
	RetryHorizon      RetryHorizon `json:"retryHorizon"`
	PermissionMode    string       `json:"permissionMode,omitzero"`
	StartedAt         time.Time    `json:"startedAt,omitzero"`
}

// Activity is what a session is doing.
type Activity string

// The activities.
const (
	ActStarting  Activity = "starting"
	ActReplaying Activity = "replaying"
	ActIdle      Activity = "idle"
	ActWorking   Activity = "working"
	ActError     Activity = "error"
	ActClosing   Activity = "closing"
)

// Turn outcomes.
const (
	TurnDone      = "done"
	TurnFailed    = "failed"
	TurnCancelled = "cancelled"
)

// LastTurn is how the latest turn ended; it is absent while one runs.
type LastTurn struct {
	Outcome string    `json:"outcome"`
	Err     string    `json:"err,omitzero"`
	EndedAt time.Time `json:"endedAt"`
	TurnID  string    `json:"turnId"`
}

// Row is a host's own row of sessions.list: the info document and what a list
// says of the session.
type Row struct {
	Info
	Title       string    `json:"title"`
	Activity    Activity  `json:"activity"`
	ForeignTurn bool      `json:"foreignTurn"`
	PendingAsks int       `json:"pendingAsks"`
	HeadAsk     *HeadAsk  `json:"headAsk,omitzero"`
	LastTurn    *LastTurn `json:"lastTurn,omitzero"`
	Doing       string    `json:"doing,omitzero"`
	LastReply   string    `json:"lastReply,omitzero"`
	Since       time.Time `json:"since,omitzero"`
	StartFailed bool      `json:"startFailed,omitzero"`
	StartErr    string    `json:"startErr,omitzero"`
	Prompted    bool      `json:"prompted,omitzero"`
	Model       string    `json:"model,omitzero"`
	Attached    int       `json:"attached,omitzero"`
}

// ListResult is a host's answer to sessions.list.
type ListResult struct {
	Epoch    string `json:"epoch"`
	Cursor   uint64 `json:"cursor"`
	Sessions []Row  `json:"sessions"`
}

// Cursor is a place in a session's stream: the last seq a client folded.
type Cursor struct {
	Incarnation string `json:"incarnation"`
	Seq         uint64 `json:"seq"`
}

// Settings is the settings member of session.state.
type Settings struct {
	Model   string     `json:"model"`
	Mode    string     `json:"mode"`
	Config  Config     `json:"config"`
	Usage   *Usage     `json:"usage,omitzero"`
	Catalog *ModelList `json:"catalog,omitzero"`
}

// ArmedPrompt is the sendNow member of session.state.
type ArmedPrompt struct {
	Text    string `json:"text"`
	FromRow string `json:"fromRow"`
	Turn    string `json:"turn"`
	Cause   string `json:"cause"`
}

// StateRow is one queued prompt in session.state.
type StateRow struct {
	ID       string    `json:"id"`
	Text     string    `json:"text"`
	QueuedAt time.Time `json:"queuedAt"`
	Version  int       `json:"version,omitzero"`
}

// StateResult is the answer of session.state.
type StateResult struct {
	Seq         uint64       `json:"seq"`
	Activity    Activity     `json:"activity"`
	ForeignTurn bool         `json:"foreignTurn"`
	Turn        string       `json:"turn"`
	Waiting     bool         `json:"waiting"`
	SendNow     *ArmedPrompt `json:"sendNow,omitzero"`
	Queue       []StateRow   `json:"queue"`
	PendingAsks int          `json:"pendingAsks"`
	HeadAsk     *HeadAsk     `json:"headAsk,omitzero"`
	Err         string       `json:"err"`
	StartFailed bool         `json:"startFailed"`
	Prompted    bool         `json:"prompted"`
	Cancelled   bool         `json:"cancelled"`
	Settings    Settings     `json:"settings"`
	LastTurn    *LastTurn    `json:"lastTurn,omitzero"`
}
