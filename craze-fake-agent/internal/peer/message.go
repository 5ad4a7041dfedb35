package peer

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Codes of JSON-RPC's error object.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	// CodeInternal is what an agent's own failure is answered with.
	CodeInternal = -32603
)

// Error is JSON-RPC's error object: one that a client sent, or one that a
// Prompt hook returns to have the prompt refused with it.
type Error struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    map[string]any `json:"data,omitzero"`
}

// Error gives the code and the message.
func (e *Error) Error() string { return fmt.Sprintf("%d %s", e.Code, e.Message) }

func invalidParams(format string, args ...any) *Error {
	return &Error{Code: codeInvalidParams, Message: "Invalid params: " + fmt.Sprintf(format, args...)}
}

// incoming is any line a client may write. An absent id is nil.
type incoming struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *Error         `json:"error"`
}

type request struct {
	JSONRPC string `json:"jsonrpc"`
	ID      int64  `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

type notification struct {
	JSONRPC string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

type result struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Result  any            `json:"result"`
}

type refusal struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Error   *Error         `json:"error"`
}

const (
	jsonrpc       = "2.0"
	methodUpdate  = "session/update"
	methodRequest = "session/request_permission"
)

// parse decodes a line, or says what to answer it with.
func parse(l line) (incoming, *Error) {
	if errors.Is(l.err, errLineTooLong) {
		return incoming{}, &Error{Code: codeInvalidRequest, Message: "Invalid request: " + l.err.Error()}
	}
	if !jsontext.Value(l.data).IsValid() {
		return incoming{}, &Error{Code: codeParse, Message: "Parse error: the line is not one JSON value in UTF-8"}
	}
	var m incoming
	if err := json.Unmarshal(l.data, &m); err != nil {
		return incoming{}, &Error{Code: codeInvalidRequest, Message: "Invalid request: the line is no JSON-RPC object"}
	}
	return m, nil
}

// params decodes a request's params into a T. Members it does not name are
// ignored.
func params[T any](m incoming) (T, *Error) {
	var v T
	if err := json.Unmarshal(m.Params, &v); err != nil {
		return v, invalidParams("%s does not take these", m.Method)
	}
	return v, nil
}
