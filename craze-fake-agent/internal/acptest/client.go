// Package acptest is a small ACP client for this module's tests: it writes what
// a test tells it to, however wrong, and hands over each line that comes back.
// Tests only.
//
// Order: lines come in the order they were read. Blocking: every wait ends the
// test after a limit, so a hang is a failure. It has one goroutine, which reads
// until the agent's output ends; the test's cleanup waits for that, and so the
// test must end the agent before.
package acptest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// waitLimit is far over what any answer takes on a busy machine.
const waitLimit = 20 * time.Second

// Message is a line the agent wrote. Line is the line itself; the rest is what
// it holds, and Bad why it holds nothing.
type Message struct {
	Line   []byte         `json:"-"`
	Bad    error          `json:"-"`
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// Client is one end of an agent's pipes.
type Client struct {
	t       testing.TB
	in      io.Writer
	lines   chan Message
	ids     int
	Session string // the session Handshake opened
}

// New starts reading an agent's output.
func New(t testing.TB, in io.Writer, out io.Reader) *Client {
	t.Helper()
	c := &Client{t: t, in: in, lines: make(chan Message)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(c.lines)
		c.read(out)
	}()
	t.Cleanup(func() {
		for range c.lines { // what the test did not care for
		}
		<-done
	})
	return c
}

func (c *Client) read(out io.Reader) {
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			m := Message{Line: line}
			m.Bad = json.Unmarshal(line, &m)
			c.lines <- m
		}
		if err != nil {
			return
		}
	}
}

// Raw writes s as it is.
func (c *Client) Raw(s string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, s); err != nil {
		c.t.Fatalf("write to the agent: %v", err)
	}
}

func (c *Client) write(v any) {
	c.t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		c.t.Fatal(err)
	}
	c.Raw(string(b) + "\n")
}

// M is a JSON object.
type M = map[string]any

// Send sends a request and returns its id as it will be in the answer.
func (c *Client) Send(method string, params M) string {
	c.t.Helper()
	c.ids++
	c.write(M{"jsonrpc": "2.0", "id": c.ids, "method": method, "params": params})
	return fmt.Sprint(c.ids)
}

// Notify sends a notification.
func (c *Client) Notify(method string, params M) {
	c.t.Helper()
	c.write(M{"jsonrpc": "2.0", "method": method, "params": params})
}

// Cancel cancels the turn of the session.
func (c *Client) Cancel() {
	c.t.Helper()
	c.Notify("session/cancel", M{"sessionId": c.Session})
}

// Answer answers a request of the agent; member is "result" or "error".
func (c *Client) Answer(m Message, member string, v any) {
	c.t.Helper()
	c.write(M{"jsonrpc": "2.0", "id": m.ID, member: v})
}

// Next waits for the agent's next line; ok is false at the end of its output.
func (c *Client) Next() (m Message, ok bool) {
	c.t.Helper()
	limit := time.NewTimer(waitLimit)
	defer limit.Stop()
	select {
	case m, ok = <-c.lines:
		return m, ok
	case <-limit.C:
		c.t.Fatal("the agent writes nothing")
		return Message{}, false
	}
}

// Until waits for a line that is wanted, and returns it with those before it.
func (c *Client) Until(wanted func(Message) bool) (Message, []Message) {
	c.t.Helper()
	var before []Message
	for {
		m, ok := c.Next()
		if !ok {
			c.t.Fatalf("the agent's output ended after %d lines", len(before))
		}
		if wanted(m) {
			return m, before
		}
		before = append(before, m)
	}
}

// Rest returns the lines up to the end of the output.
func (c *Client) Rest() []Message {
	c.t.Helper()
	var all []Message
	for m, ok := c.Next(); ok; m, ok = c.Next() {
		all = append(all, m)
	}
	return all
}

// Await waits for the answer to the request id, and returns it with the lines
// before it.
func (c *Client) Await(id string) (Message, []Message) {
	c.t.Helper()
	return c.Until(func(m Message) bool { return m.Method == "" && string(m.ID) == id })
}

// Call sends a request and waits for its answer.
func (c *Client) Call(method string, params M) (Message, []Message) {
	c.t.Helper()
	return c.Await(c.Send(method, params))
}

// Initialize sends initialize and returns its request's id.
func (c *Client) Initialize() string {
	c.t.Helper()
	return c.Send("initialize", M{
		"protocolVersion": 1, "clientInfo": M{"name": "acptest", "version": "0"},
		"clientCapabilities": M{"fs": M{"readTextFile": false, "writeTextFile": false}, "terminal": false},
	})
}

// Handshake initializes the agent and opens a session in dir, and returns the
// answer to session/new.
func (c *Client) Handshake(dir string) Message {
	c.t.Helper()
	c.Await(c.Initialize())
	opened, _ := c.Call("session/new", M{"cwd": dir, "mcpServers": []any{}})
	var r struct {
		SessionID string `json:"sessionId"`
	}
	if err := json.Unmarshal(opened.Result, &r); err != nil || r.SessionID == "" {
		c.t.Fatalf("session/new answered %s", opened.Line)
	}
	c.Session = r.SessionID
	return opened
}

// Prompt sends a prompt and returns its request's id.
func (c *Client) Prompt(text string) string {
	c.t.Helper()
	return c.Send("session/prompt", M{"sessionId": c.Session, "prompt": []any{M{"type": "text", "text": text}}})
}

// Turn sends a prompt and waits for its end: its stop reason, or "error CODE",
// and the lines before.
func (c *Client) Turn(text string) (string, []Message) {
	c.t.Helper()
	end, before := c.Await(c.Prompt(text))
	return Stop(end), before
}

// Stop is the stop reason of a prompt's answer, or "error CODE".
func Stop(m Message) string {
	if m.Error != nil {
		return fmt.Sprintf("error %d", m.Error.Code)
	}
	var r struct {
		StopReason string `json:"stopReason"`
	}
	if err := json.Unmarshal(m.Result, &r); err != nil {
		return err.Error()
	}
	return r.StopReason
}

// Update is what tests look at in a session/update.
type Update struct {
	Kind       string         `json:"sessionUpdate"`
	Text       string         `json:"-"`
	Content    jsontext.Value `json:"content"`
	ToolCallID string         `json:"toolCallId"`
	Status     string         `json:"status"`
}

var errNoUpdate = errors.New("not a session/update")

// Update decodes m as an update of any session.
func (m Message) Update() (Update, error) {
	if m.Bad != nil || m.Method != "session/update" {
		return Update{}, errNoUpdate
	}
	var p struct {
		Update Update `json:"update"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return Update{}, err
	}
	var block struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(p.Update.Content, &block) == nil { // a tool call's content is no block
		p.Update.Text = block.Text
	}
	return p.Update, nil
}

// Text joins the answer's chunks among lines.
func Text(lines []Message) string { return strings.Join(Chunks(lines), "") }

// Chunks are the answer's chunks among lines.
func Chunks(lines []Message) []string {
	var all []string
	for _, m := range lines {
		if u, err := m.Update(); err == nil && u.Kind == "agent_message_chunk" {
			all = append(all, u.Text)
		}
	}
	return all
}

// Trail names each line in a word or two: an update by its kind and a tool's
// status, another by its method.
func Trail(lines []Message) []string {
	var all []string
	for _, m := range lines {
		u, err := m.Update()
		switch {
		case err == nil && u.Status != "":
			all = append(all, u.Kind+" "+u.Status)
		case err == nil:
			all = append(all, u.Kind)
		case m.Bad != nil:
			all = append(all, "bad")
		case m.Method != "":
			all = append(all, m.Method)
		default:
			all = append(all, "answer")
		}
	}
	return all
}
