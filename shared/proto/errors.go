package proto

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// JSON-RPC error codes of protocol 1. Everything that is not about the
// envelope or the params is RPCRefused.
const (
	RPCParse         = -32700
	RPCInvalid       = -32600
	RPCUnknownMethod = -32601
	RPCBadParams     = -32602
	RPCRefused       = -32000
)

// Code is what a client decides from; Reason only adds detail.
type Code string

// Reason says why, within its one Code.
type Reason string

// The refusal codes that group several reasons.
const (
	CodeUnavailable  Code = "unavailable"
	CodeNotAccepting Code = "not_accepting"
	CodeInProgress   Code = "in_progress"
	CodeStaleModel   Code = "stale_model"
	CodeAborted      Code = "aborted"
	CodeFailed       Code = "failed"
	CodeBadRequest   Code = "bad_request"
	CodeUnsupported  Code = "unsupported"
)

// Codes that are their own only reason.
const (
	CodeUnknownSession  Code = "unknown_session"
	CodeUnknownAsk      Code = "unknown_ask"
	CodeAlreadySubmit   Code = "already_submitted"
	CodeAlreadyResolved Code = "already_resolved"
	CodeQueueFull       Code = "queue_full"
	CodeTextTooLong     Code = "text_too_long"
	CodePromptInFlight  Code = "prompt_in_flight"
	CodeForeignTurn     Code = "foreign_turn"
	CodePromptCancelled Code = "prompt_cancelled"
	CodeStaleVersion    Code = "stale_version"
	CodeStaleTurn       Code = "stale_turn"
	CodeUnknownRow      Code = "unknown_row"
	CodeUnknownCommand  Code = "unknown_command"
	CodeIndexWrite      Code = "index_write"
	CodeUnknownSubagent Code = "unknown_subagent"
)

// Codes that only a client gives itself; no host or hub sends them.
const (
	CodeResumeLost   Code = "resume_lost"
	CodeDisconnected Code = "disconnected"
	CodeNoAnswer     Code = "no_answer"
)

// The reasons of the grouped codes.
const (
	ReasonBusy             Reason = "busy"
	ReasonClosing          Reason = "closing"
	ReasonNotReady         Reason = "not_ready"
	ReasonAttachRaced      Reason = "attach_raced"
	ReasonSpawnFailed      Reason = "spawn_failed"
	ReasonHostUnreachable  Reason = "host_unreachable"
	ReasonNotAccepting     Reason = "not_accepting"
	ReasonNotInTurn        Reason = "not_in_turn"
	ReasonStartFailed      Reason = "start_failed"
	ReasonContext          Reason = "context"
	ReasonFailed           Reason = "failed"
	ReasonResponseTooLarge Reason = "response_too_large"
	ReasonSnapshotTooLarge Reason = "snapshot_too_large"
	ReasonBadRequest       Reason = "bad_request"
	ReasonBadAnswer        Reason = "bad_answer"
	ReasonHelloRequired    Reason = "hello_required"
	ReasonUnknownField     Reason = "unknown_field"
	ReasonLineTooLong      Reason = "line_too_long"
	ReasonProtocolVersion  Reason = "protocol_version"
	ReasonBadToken         Reason = "bad_token"
	ReasonAlreadyAttached  Reason = "already_attached"
	ReasonConnectNotFirst  Reason = "connect_not_first"
	ReasonAmbiguous        Reason = "ambiguous_session"
	ReasonRequestConflict  Reason = "request_conflict"
	ReasonUnsupported      Reason = "unsupported"
	ReasonUnknownMethod    Reason = "unknown_method"
	ReasonStopUnsupported  Reason = "stop_unsupported"
	ReasonModelsRefresh    Reason = "models_refresh_unsupported"
	ReasonAside            Reason = "aside_unsupported"
	ReasonRoster           Reason = "roster_unsupported"
	ReasonHubOnly          Reason = "hub_only"
	ReasonHostOnly         Reason = "host_only"
)

// ErrorData is the member every refusal of protocol 1 carries.
type ErrorData struct {
	Code   Code           `json:"code"`
	Reason Reason         `json:"reason"`
	Result jsontext.Value `json:"result,omitzero"`
	Cause  string         `json:"cause,omitzero"`
}

// Error is a JSON-RPC error object, and the error a client returns for a
// refused call. errors.Is matches two Errors by Data.Code alone, because that
// is all a client may decide from; a target that also has a Reason matches
// only that reason.
type Error struct {
	RPC     int       `json:"code"`
	Message string    `json:"message"`
	Data    ErrorData `json:"data"`
}

// Error gives the message, with the cause where the host sent one.
func (e *Error) Error() string {
	if e.Data.Cause != "" {
		return e.Message + ": " + e.Data.Cause
	}
	return e.Message
}

// Is reports whether target is an *Error of the same code (and reason, where
// the target names one).
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Data.Code == e.Data.Code && (t.Data.Reason == "" || t.Data.Reason == e.Data.Reason)
}

// Refuse builds a refusal of craze's own, with a message for a person.
func Refuse(code Code, reason Reason, format string, args ...any) *Error {
	return &Error{RPC: RPCRefused, Message: fmt.Sprintf(format, args...), Data: ErrorData{Code: code, Reason: reason}}
}

// RefuseOne builds a refusal whose code is its own only reason.
func RefuseOne(code Code, format string, args ...any) *Error {
	return Refuse(code, Reason(code), format, args...)
}

// BadParams builds the -32602 refusal of malformed params.
func BadParams(reason Reason, format string, args ...any) *Error {
	e := Refuse(CodeBadRequest, reason, format, args...)
	e.RPC = RPCBadParams
	return e
}

// Stored reports whether an answer with this code is kept under its command
// id. The four that are not ran nothing, so a resend is judged afresh.
func (c Code) Stored() bool {
	switch c {
	case CodeUnavailable, CodeNotAccepting, CodeInProgress, CodeStaleModel:
		return false
	}
	return true
}
