package proto

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// RosterStatus is how the hub reaches a host.
type RosterStatus string

// The roster statuses.
const (
	Connecting  RosterStatus = "connecting"
	Reachable   RosterStatus = "reachable"
	Unreachable RosterStatus = "unreachable"
)

// RosterHost is what the registry says of a host.
type RosterHost struct {
	PID          int       `json:"pid"`
	CrazeVersion string    `json:"crazeVersion"`
	Protocol     int       `json:"protocol"`
	Provider     string    `json:"provider"`
	Workspace    string    `json:"workspace"`
	StartedAt    time.Time `json:"startedAt"`
	Ready        bool      `json:"ready"`
}

// RosterRow is one host of the hub's roster. Row is the host's own row as the
// host sent it, never re-encoded.
type RosterRow struct {
	HostID      string         `json:"hostId"`
	SessionID   string         `json:"sessionId"`
	Host        RosterHost     `json:"host"`
	Status      RosterStatus   `json:"status"`
	Approximate bool           `json:"approximate"`
	Row         jsontext.Value `json:"row,omitzero"`
}

// RosterResult is the hub's answer to sessions.list.
type RosterResult struct {
	Epoch     string      `json:"epoch"`
	Cursor    uint64      `json:"cursor"`
	Sessions  []RosterRow `json:"sessions"`
	Truncated bool        `json:"truncated,omitzero"`
}

// CreateParams start a session.
type CreateParams struct {
	Cwd            string `json:"cwd"`
	Prompt         string `json:"prompt,omitzero"`
	Provider       string `json:"provider,omitzero"`
	Model          string `json:"model,omitzero"`
	Effort         string `json:"effort,omitzero"`
	Fast           *bool  `json:"fast,omitzero"`
	PermissionMode string `json:"permissionMode,omitzero"`
	RequestID      string `json:"requestId,omitzero"`
}

// What became of a create's first prompt.
const (
	FirstNone     = "none"
	FirstAccepted = "accepted"
	FirstUnknown  = "unknown"
	FirstRefused  = "refused"
)

// CreateResult is a started session.
type CreateResult struct {
	Session     RosterRow `json:"session"`
	Prompt      string    `json:"prompt"`
	PromptError *Error    `json:"promptError,omitzero"`
}
