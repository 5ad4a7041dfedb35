package proto

import "github.com/go-json-experiment/json/jsontext"

// EventNote carries one record; Event is the record's body byte for byte.
type EventNote struct {
	Subscription string         `json:"subscription"`
	Seq          uint64         `json:"seq"`
	Event        jsontext.Value `json:"event"`
}

// SyncedNote says the stream has passed the attachment's cutoff.
type SyncedNote struct {
	Subscription string `json:"subscription"`
	Seq          uint64 `json:"seq"`
}

// ReadyNote tells an attachment made before readiness how the start ended.
type ReadyNote struct {
	Subscription string `json:"subscription"`
	Session      Info   `json:"session"`
	StartFailed  bool   `json:"startFailed"`
	Err          string `json:"err,omitzero"`
}

// ResetReason says why a subscription ended.
type ResetReason string

// The reset reasons.
const (
	ResetSlow     ResetReason = "slow_consumer"
	ResetOmitted  ResetReason = "omitted"
	ResetReplay   ResetReason = "replay_failed"
	ResetReplaced ResetReason = "session_replaced"
	ResetClosed   ResetReason = "session_closed"
	ResetHub      ResetReason = "hub_closing"
)

// ResetNote ends a subscription.
type ResetNote struct {
	Subscription string      `json:"subscription"`
	Reason       ResetReason `json:"reason"`
}
