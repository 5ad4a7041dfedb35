package acp

import (
	"fmt"
	"strconv"
	"strings"

	"craze/shared/proto"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// envelope is any line of an agent. A request has an ID and a Method, a
// notification a Method alone, a response an ID alone.
type envelope struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *rpcError      `json:"error"`
}

type rpcError struct {
	Code    jsontext.Value `json:"code"`
	Message jsontext.Value `json:"message"`
	Data    jsontext.Value `json:"data"`
}

// lenient decodes what an agent wrote: a member twice and half a surrogate
// pair are an agent's slips, not a reason to lose what it said. Names are
// matched exactly and unknown ones are ignored.
func lenient(data []byte, into any) error {
	return json.Unmarshal(data, into, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// absent reports whether v is missing or null, which ACP uses alike.
func absent(v jsontext.Value) bool { return len(v) == 0 || v.Kind() == 'n' }

// str gives a JSON string decoded, with the replacement rune for what is not
// text, and whether v was one.
func str(v jsontext.Value) (string, bool) {
	if v.Kind() != '"' {
		return "", false
	}
	b, _ := jsontext.AppendUnquote(nil, v) // its error is half a surrogate pair, replaced
	return strings.ToValidUTF8(string(b), replacement), true
}

// first gives the first of vs that is a non-empty string.
func first(vs ...jsontext.Value) string {
	for _, v := range vs {
		if s, _ := str(v); s != "" {
			return s
		}
	}
	return ""
}

// integer gives a JSON number that is a whole one: 1, 1.0 and 1e0 are alike.
func integer(v jsontext.Value) (int64, bool) {
	if v.Kind() != '0' {
		return 0, false
	}
	s := string(v)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(s, 64)
	n := int64(f)
	return n, err == nil && f > -1e15 && f < 1e15 && float64(n) == f
}

// event makes the error of a turn: the agent's message, with the words of its
// data, where the person's reason often is.
func (e *rpcError) event() *proto.EventErr {
	code, _ := integer(e.Code)
	return &proto.EventErr{Message: e.text(), Class: proto.ErrRPC, Code: int(code)}
}

func (e *rpcError) text() string {
	msg := clean(first(e.Message), messageMax)
	var data struct {
		Message jsontext.Value `json:"message"`
		Detail  jsontext.Value `json:"detail"`
		Details jsontext.Value `json:"details"`
	}
	more := first(e.Data)
	if e.Data.Kind() == '{' && lenient(e.Data, &data) == nil {
		more = first(data.Message, data.Detail, data.Details)
	}
	more = clean(more, messageMax)
	switch {
	case msg == "" && more == "":
		return "the agent gave no reason"
	case msg == "":
		return more
	case more == "" || strings.Contains(msg, more):
		return msg
	}
	return msg + ": " + more
}

// quote appends s as a JSON string of valid UTF-8.
func quote(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(s, replacement)) // valid by then
	return dst
}

// callFrame is a request's line; params is JSON.
func callFrame(id int64, method string, params []byte) []byte {
	b := append(make([]byte, 0, len(params)+96), `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendInt(b, id, 10)
	b = quote(append(b, `,"method":`...), method)
	b = append(append(b, `,"params":`...), params...)
	return append(b, "}\n"...)
}

// noteFrame is a notification's line.
func noteFrame(method string, params []byte) []byte {
	b := quote([]byte(`{"jsonrpc":"2.0","method":`), method)
	b = append(append(b, `,"params":`...), params...)
	return append(b, "}\n"...)
}

// resultFrame answers the agent's request of the raw id.
func resultFrame(id jsontext.Value, result []byte) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = append(append(b, `,"result":`...), result...)
	return append(b, "}\n"...)
}

// refusalFrame refuses the agent's request as one craze does not serve.
func refusalFrame(id jsontext.Value) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	return append(b, `,"error":{"code":-32601,"message":"method not found"}}`+"\n"...)
}

// rawID makes an agent's id fit to be written back on one line.
func rawID(id jsontext.Value) (jsontext.Value, error) {
	id = id.Clone()
	if err := id.Compact(); err != nil || len(id) > proto.PathCharsMax {
		return nil, fmt.Errorf("request id of %d bytes is not usable", len(id))
	}
	return id, nil
}

// newSession and the like are the params of craze's own calls.
func newSession(cwd string) []byte {
	return append(quote([]byte(`{"cwd":`), cwd), `,"mcpServers":[]}`...)
}

func initialize(version string) []byte {
	b := quote([]byte(`{"protocolVersion":1,"clientInfo":{"name":"craze","version":`), version)
	return append(b, `},"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false}}`...)
}

// members is an object of string members, given as names and values.
func members(pairs ...string) []byte {
	b := []byte{'{'}
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			b = append(b, ',')
		}
		b = quote(append(quote(b, pairs[i]), ':'), pairs[i+1])
	}
	return append(b, '}')
}

func promptParams(session, text string) []byte {
	b := quote([]byte(`{"sessionId":`), session)
	b = quote(append(b, `,"prompt":[{"type":"text","text":`...), text)
	return append(b, "}]}"...)
}

func selected(option string) []byte {
	return append(quote([]byte(`{"outcome":{"outcome":"selected","optionId":`), option), "}}"...)
}

func cancelled() []byte { return []byte(`{"outcome":{"outcome":"cancelled"}}`) }
