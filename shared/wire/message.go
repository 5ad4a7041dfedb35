package wire

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"craze/shared/proto"
)

// Request is one client line, decoded.
type Request struct {
	ID     jsontext.Value // a string or a number, as sent
	Method proto.Method
	Params jsontext.Value // nil when absent
}

type requestWire struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Method  proto.Method   `json:"method"`
	Params  jsontext.Value `json:"params"`
}

// ParseRequest decodes a client's line. On a refusal the Request still holds
// the id when it could be read, so that the refusal can be addressed. The
// values are copies; line may be reused.
func ParseRequest(line []byte) (Request, *proto.Error) {
	v := jsontext.Value(line)
	if !v.IsValid() {
		return Request{}, invalid(proto.RPCParse, "the line is not one JSON value")
	}
	if v.Kind() != '{' {
		return Request{}, invalid(proto.RPCInvalid, "a request is a JSON object; arrays and batches are not taken")
	}
	var w requestWire
	if err := json.Unmarshal(line, &w); err != nil {
		return Request{}, invalid(proto.RPCInvalid, "the request's envelope is malformed")
	}
	req := Request{Method: w.Method, Params: w.Params}
	if k := w.ID.Kind(); k == '"' || k == '0' {
		req.ID = w.ID
	}
	switch {
	case req.ID == nil:
		return req, invalid(proto.RPCInvalid, "a request has an id that is a string or a number")
	case w.JSONRPC != "2.0":
		return req, invalid(proto.RPCInvalid, `a request says "jsonrpc":"2.0"`)
	case w.Method == "":
		return req, invalid(proto.RPCInvalid, "a request names a method")
	}
	return req, nil
}

func invalid(rpc int, msg string) *proto.Error {
	e := proto.Refuse(proto.CodeBadRequest, proto.ReasonBadRequest, "%s", msg)
	e.RPC = rpc
	return e
}

// LineTooLong is the refusal of a line past the inbound limit.
func LineTooLong() *proto.Error {
	e := proto.Refuse(proto.CodeBadRequest, proto.ReasonLineTooLong, "a line is at most %d bytes", proto.InboundLineMax)
	e.RPC = proto.RPCInvalid
	return e
}

// DecodeParams decodes a request's params into a struct, strictly: an unknown
// member, a null one, one given twice or of another type is refused. Absent
// params are {}.
func DecodeParams(params jsontext.Value, into any) *proto.Error {
	if len(params) == 0 {
		params = jsontext.Value("{}")
	}
	if params.Kind() != '{' {
		return proto.BadParams(proto.ReasonBadRequest, "params is an object")
	}
	if name, found := nullMember(params); found {
		return proto.BadParams(proto.ReasonBadRequest, "params.%s is null", name)
	}
	err := json.Unmarshal(params, into, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	where := "params"
	if sem, ok := errors.AsType[*json.SemanticError](err); ok {
		where += dotted(string(sem.JSONPointer))
		if errors.Is(err, json.ErrUnknownName) {
			return proto.BadParams(proto.ReasonUnknownField, "%s is not a member this method takes", where)
		}
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return proto.BadParams(proto.ReasonBadRequest, "params has a member twice")
	}
	return proto.BadParams(proto.ReasonBadRequest, "%s has the wrong type", where)
}

// DecodeHello decodes hello's params, ignoring members it does not know.
func DecodeHello(params jsontext.Value, into *proto.HelloParams) *proto.Error {
	if len(params) == 0 {
		params = jsontext.Value("{}")
	}
	if err := json.Unmarshal(params, into); err != nil {
		return proto.BadParams(proto.ReasonBadRequest, "hello's params are malformed")
	}
	return nil
}

func dotted(pointer string) string {
	return string(bytes.ReplaceAll([]byte(pointer), []byte("/"), []byte(".")))
}

// nullMember finds a top-level member that is null.
func nullMember(obj jsontext.Value) (string, bool) {
	d := jsontext.NewDecoder(bytes.NewReader(obj))
	if _, err := d.ReadToken(); err != nil {
		return "", false
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return "", false
		}
		key := name.String()
		v, err := d.ReadValue()
		if err != nil {
			return "", false
		}
		if v.Kind() == 'n' {
			return key, true
		}
	}
	return "", false
}

// Message is one line an endpoint sent: a reply (ID, and Result or Err) or a
// notification (Method and Params).
type Message struct {
	ID     jsontext.Value
	Method proto.Method
	Params jsontext.Value
	Result jsontext.Value
	Err    *proto.Error
}

type messageWire struct {
	ID     jsontext.Value `json:"id"`
	Method proto.Method   `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Err    *proto.Error   `json:"error"`
}

// ParseMessage decodes an endpoint's line, ignoring members it does not know.
// The values are copies.
func ParseMessage(line []byte) (Message, error) {
	var w messageWire
	if err := json.Unmarshal(line, &w); err != nil {
		return Message{}, fmt.Errorf("parse message: %w", err)
	}
	return Message(w), nil
}
