package fakemodel_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// said is what a client makes of an answer, on any wire.
type said struct {
	Text   string
	Tool   string
	Args   string
	ID     string
	Finish string
}

// dialect is a client of one wire: how it asks, and how it reads an answer.
type dialect struct {
	path   string
	ask    func(stream bool, text string) string                 // a first request
	result func(stream bool, text, id, result string) string     // and one with a tool's result
	whole  func(t *testing.T, body []byte) said                  // reads a whole answer
	event  func(t *testing.T, s *said, name string, data []byte) // adds one event
}

var dialects = map[string]dialect{
	"chat completions": {
		path: "/v1/chat/completions",
		ask: func(stream bool, text string) string {
			return doc(`{"model":"m","stream":%v,"tools":[{"type":"function"}],"messages":[
				{"role":"system","content":"be good"},{"role":"user","content":[{"type":"text","text":%s}]}]}`, stream, text)
		},
		result: func(stream bool, text, id, result string) string {
			return doc(`{"stream":%v,"tools":[{}],"messages":[{"role":"user","content":%s},
				{"role":"assistant","content":null,"tool_calls":[{"id":%s}]},
				{"role":"tool","tool_call_id":%[3]s,"content":%s}]}`, stream, text, id, result)
		},
		whole: func(t *testing.T, body []byte) said {
			var a struct {
				Choices []struct {
					Message      chatMessage
					FinishReason string `json:"finish_reason"`
				}
			}
			parse(t, body, &a)
			s := said{Finish: a.Choices[0].FinishReason}
			a.Choices[0].Message.addTo(&s)
			return s
		},
		event: func(t *testing.T, s *said, _ string, data []byte) {
			if string(data) == "[DONE]" {
				return
			}
			var a struct {
				Choices []struct {
					Delta        chatMessage
					FinishReason string `json:"finish_reason"`
				}
			}
			parse(t, data, &a)
			for _, c := range a.Choices {
				c.Delta.addTo(s)
				s.Finish += c.FinishReason
			}
		},
	},
	"responses": {
		path: "/v1/responses",
		ask: func(stream bool, text string) string {
			return doc(`{"stream":%v,"tools":[{}],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":%s}]}]}`, stream, text)
		},
		result: func(stream bool, text, id, result string) string {
			return doc(`{"stream":%v,"tools":[{}],"input":[{"role":"user","content":%s},
				{"type":"function_call","call_id":%s},{"type":"function_call_output","call_id":%[3]s,"output":%s}]}`, stream, text, id, result)
		},
		whole: func(t *testing.T, body []byte) said {
			var r response
			parse(t, body, &r)
			return r.said()
		},
		event: func(t *testing.T, s *said, name string, data []byte) {
			var e struct {
				Type     string
				Delta    string
				Response response
			}
			parse(t, data, &e)
			if e.Type != name {
				t.Errorf("event %q has type %q", name, e.Type)
			}
			switch name {
			case "response.output_text.delta":
				s.Text += e.Delta
			case "response.completed":
				done := e.Response.said()
				if done.Text != s.Text {
					t.Errorf("deltas are %q, the response is %q", s.Text, done.Text)
				}
				*s = done
			}
		},
	},
	"messages": {
		path: "/v1/messages",
		ask: func(stream bool, text string) string {
			return doc(`{"stream":%v,"tools":[{}],"messages":[{"role":"user","content":[{"type":"text","text":%s}]}]}`, stream, text)
		},
		result: func(stream bool, text, id, result string) string {
			return doc(`{"stream":%v,"tools":[{}],"messages":[{"role":"user","content":%s},
				{"role":"assistant","content":[{"type":"tool_use","id":%s}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":%[3]s,"content":[{"type":"text","text":%s}]},
					{"type":"text","text":"a reminder"}]}]}`, stream, text, id, result)
		},
		whole: func(t *testing.T, body []byte) said {
			var m struct {
				Content    []block
				StopReason string `json:"stop_reason"`
			}
			parse(t, body, &m)
			b := m.Content[0]
			return said{Text: b.Text, Tool: b.Name, ID: b.ID, Args: string(b.Input), Finish: m.StopReason}
		},
		event: func(t *testing.T, s *said, name string, data []byte) {
			var e struct {
				Type         string
				ContentBlock block `json:"content_block"`
				Delta        struct {
					Text        string
					PartialJSON string `json:"partial_json"`
					StopReason  string `json:"stop_reason"`
				}
			}
			parse(t, data, &e)
			if e.Type != name {
				t.Errorf("event %q has type %q", name, e.Type)
			}
			s.Tool += e.ContentBlock.Name
			s.ID += e.ContentBlock.ID
			s.Text += e.Delta.Text
			s.Args += e.Delta.PartialJSON
			s.Finish += e.Delta.StopReason
		},
	},
}

type chatMessage struct {
	Content   string
	ToolCalls []struct {
		ID       string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

func (m chatMessage) addTo(s *said) {
	s.Text += m.Content
	for _, c := range m.ToolCalls {
		s.ID, s.Tool, s.Args = c.ID, c.Function.Name, c.Function.Arguments
	}
}

type response struct {
	Status string
	Output []struct {
		Name, Arguments string
		CallID          string `json:"call_id"`
		Content         []struct{ Text string }
	}
}

func (r response) said() said {
	o := r.Output[0]
	s := said{Tool: o.Name, Args: o.Arguments, ID: o.CallID, Finish: r.Status}
	for _, c := range o.Content {
		s.Text += c.Text
	}
	return s
}

type block struct {
	Name, ID, Text string
	Input          json.RawMessage
}

// read makes one said of a response, which it checks to be of the right kind.
func (d dialect) read(t *testing.T, r *http.Response, stream bool) said {
	t.Helper()
	body := readAll(t, r)
	kind := r.Header.Get("Content-Type")
	if !stream {
		if kind != "application/json" {
			t.Fatalf("content type %q: %s", kind, body)
		}
		return d.whole(t, body)
	}
	if kind != "text/event-stream" {
		t.Fatalf("content type %q: %s", kind, body)
	}
	var s said
	name := ""
	for lines := bufio.NewScanner(bytes.NewReader(body)); lines.Scan(); {
		switch field, value, _ := strings.Cut(lines.Text(), ": "); field {
		case "event":
			name = value
		case "data":
			d.event(t, &s, name, []byte(value))
		}
	}
	return s
}

func parse(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
}

func readAll(t *testing.T, r *http.Response) []byte {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body
}
