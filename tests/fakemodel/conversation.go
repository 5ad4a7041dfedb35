package fakemodel

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Roles a conversation is reduced to. A tool's result is a role of its own on
// every wire, although Messages sends it as a part of a user message.
const (
	roleUser = "user"
	roleTool = "tool"
)

// conversation is what the script needs of a request, whichever wire it came by.
type conversation struct {
	model    string
	stream   bool
	tools    bool // any tool was offered
	messages []message
}

type message struct {
	role string
	text string
}

// request is the superset of the three wires' request bodies: the fields that
// two of them share mean the same, so one type reads all three.
type request struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	Tools    []json.RawMessage `json:"tools"`
	Messages []item            `json:"messages"` // Chat Completions and Messages
	Input    json.RawMessage   `json:"input"`    // Responses: a string or items
}

// item is one message of a request, or a tool's result in Responses' input.
type item struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Output  json.RawMessage `json:"output"`
}

// part is one block of a message's content, or of a tool's result.
type part struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Content json.RawMessage `json:"content"`
}

// decode reads a request's body; read turns each of its items into a message, and
// reports false for one that is none, such as a call the model made.
func decode(body []byte, read func(item) (message, bool)) (conversation, error) {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return conversation{}, fmt.Errorf("decode request: %w", err)
	}
	items, err := r.items()
	if err != nil {
		return conversation{}, err
	}
	c := conversation{model: r.Model, stream: r.Stream, tools: len(r.Tools) > 0}
	for _, it := range items {
		if m, ok := read(it); ok {
			c.messages = append(c.messages, m)
		}
	}
	return c, nil
}

func (r request) items() ([]item, error) {
	if len(r.Input) == 0 {
		return r.Messages, nil
	}
	if r.Input[0] == '"' {
		return []item{{Role: roleUser, Content: r.Input}}, nil
	}
	var items []item
	if err := json.Unmarshal(r.Input, &items); err != nil {
		return nil, fmt.Errorf("decode input: %w", err)
	}
	return items, nil
}

// textOf is the text of a content in any of its forms: a string, or a list of
// parts, which hold text or a content themselves. Anything else has none.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var b strings.Builder
	for _, p := range partsOf(raw) {
		b.WriteString(p.Text)
		b.WriteString(textOf(p.Content))
	}
	return b.String()
}

func partsOf(raw json.RawMessage) []part {
	var parts []part
	if json.Unmarshal(raw, &parts) != nil {
		return nil
	}
	return parts
}

// last is the text of the last message of a role.
func (c conversation) last(role string) string {
	for i := len(c.messages) - 1; i >= 0; i-- {
		if c.messages[i].role == role {
			return c.messages[i].text
		}
	}
	return ""
}

// results counts the tools' results, which numbers the next call.
func (c conversation) results() int {
	n := 0
	for _, m := range c.messages {
		if m.role == roleTool {
			n++
		}
	}
	return n
}

// afterTool tells whether a tool's result is what the model is to answer.
func (c conversation) afterTool() bool {
	return len(c.messages) > 0 && c.messages[len(c.messages)-1].role == roleTool
}
