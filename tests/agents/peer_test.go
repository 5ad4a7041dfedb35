//go:build agents

package agents_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"craze/tests/agents"
)

// patience bounds one call: the slowest start seen took 2 s.
const patience = 60 * time.Second

// lineLimit is above any line an agent writes in these tests.
const lineLimit = 16 << 20

// peer is an agent that a test talks to over ACP. All of it but the reader
// belongs to the test's goroutine.
type peer struct {
	t       *testing.T
	cmd     *exec.Cmd
	in      io.WriteCloser
	lines   chan rpc // closed at the end of the agent's output
	stderr  *bytes.Buffer
	session string
	calls   int

	allow   string          // the kind of option to choose for a permission
	asked   []permission    // permissions the agent asked for
	text    string          // what it said in the last turn
	onChunk func()          // called after every piece of text
	cue     <-chan struct{} // when closed, onCue is called, once
	onCue   func()
}

type rpc struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

type permission struct {
	ToolCall struct{ Title string }
	Options  []struct{ OptionID, Kind string }
}

// launch starts an agent in a group of its own, in an empty folder, and at the end
// of the test kills the group and whatever else the agent left.
func launch(t *testing.T, p agents.Provider) *peer {
	t.Helper()
	cmd := exec.Command(p.Command[0], p.Command[1:]...)
	cmd.Dir, cmd.Env = t.TempDir(), p.Environ(os.Getenv("PATH"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	a := &peer{t: t, cmd: cmd, lines: make(chan rpc), stderr: new(bytes.Buffer)}
	cmd.Stderr = a.stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if a.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { // ends with the agent's output, or with done
		defer close(a.lines)
		a.read(out, done)
	}()
	t.Cleanup(func() {
		close(done)
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		// Before Wait, which lasts as long as anyone has the agent's stderr.
		if err := agents.Kill(p.Env["HOME"]); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the agent's errors: %s", a.stderr)
		}
	})
	return a
}

func (a *peer) read(out io.Reader, done <-chan struct{}) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, lineLimit)
	for lines.Scan() {
		var m rpc
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		select {
		case a.lines <- m:
		case <-done:
			return
		}
	}
}

// up brings the agent to a session.
func (a *peer) up(auth string) {
	a.t.Helper()
	capabilities := object{"fs": object{"readTextFile": false, "writeTextFile": false}, "terminal": false}
	begun := time.Now()
	a.call("initialize", object{
		"protocolVersion": 1, "clientCapabilities": capabilities,
		"clientInfo": object{"name": "craze", "version": "dev"},
	}, nil)
	a.t.Logf("initialize took %v", time.Since(begun).Round(time.Millisecond))
	if auth != "" {
		a.call("authenticate", object{"methodId": auth, "_meta": object{"headless": true}}, nil)
	}
	var made struct{ SessionID string }
	a.call("session/new", object{"cwd": a.cmd.Dir, "mcpServers": []any{}}, &made)
	a.t.Logf("a session took %v", time.Since(begun).Round(time.Millisecond))
	a.session = made.SessionID
}

// prompt runs a turn and returns how it ended; what was said is in text.
func (a *peer) prompt(text string) (stopReason string) {
	a.t.Helper()
	a.text = ""
	var end struct{ StopReason string }
	a.call("session/prompt", object{
		"sessionId": a.session, "prompt": []any{object{"type": "text", "text": text}},
	}, &end)
	return end.StopReason
}

type object = map[string]any

// call makes a request, and serves the agent until its response.
func (a *peer) call(method string, params object, result any) {
	a.t.Helper()
	a.calls++
	a.send(object{"id": a.calls, "method": method, "params": params})
	id, _ := json.Marshal(a.calls) // an int always can be
	ctx, cancel := context.WithTimeout(a.t.Context(), patience)
	defer cancel()
	for {
		m := a.next(ctx, method)
		if m.Method != "" {
			a.serve(m)
		}
		if m.Method != "" || !bytes.Equal(m.ID, id) {
			continue
		}
		if m.Error != nil {
			a.t.Fatalf("%s: %s", method, m.Error)
		}
		if result != nil {
			a.parse(m.Result, result)
		}
		return
	}
}

// next is the next message; the cue is taken while there is none.
func (a *peer) next(ctx context.Context, method string) rpc {
	a.t.Helper()
	for {
		select {
		case m, ok := <-a.lines:
			if !ok {
				a.t.Fatalf("%s: the agent ended", method)
			}
			return m
		case <-a.cue:
			a.cue = nil
			a.onCue()
		case <-ctx.Done():
			a.t.Fatalf("%s: no response: %v", method, ctx.Err())
		}
	}
}

func (a *peer) cancel() {
	a.t.Helper()
	a.send(object{"method": "session/cancel", "params": object{"sessionId": a.session}})
}

// serve takes a notification, or answers a request.
func (a *peer) serve(m rpc) {
	a.t.Helper()
	switch {
	case m.Method == "session/update":
		a.update(m.Params)
	case m.Method == "session/request_permission":
		a.permit(m)
	case m.ID != nil:
		a.send(object{"id": m.ID, "error": object{"code": -32601, "message": "method not found"}})
	}
}

func (a *peer) update(params json.RawMessage) {
	a.t.Helper()
	var u struct {
		Update struct {
			SessionUpdate string
			Content       json.RawMessage // a list for a tool's update
		}
	}
	a.parse(params, &u)
	if u.Update.SessionUpdate != "agent_message_chunk" {
		return
	}
	var content struct{ Text string }
	a.parse(u.Update.Content, &content)
	a.text += content.Text
	if a.onChunk != nil {
		a.onChunk()
	}
}

func (a *peer) permit(m rpc) {
	a.t.Helper()
	var p permission
	a.parse(m.Params, &p)
	a.asked = append(a.asked, p)
	outcome := object{"outcome": "cancelled"}
	for _, o := range p.Options {
		if o.Kind == a.allow {
			outcome = object{"outcome": "selected", "optionId": o.OptionID}
		}
	}
	a.send(object{"id": m.ID, "result": object{"outcome": outcome}})
}

func (a *peer) send(m object) {
	a.t.Helper()
	m["jsonrpc"] = "2.0"
	if err := json.NewEncoder(a.in).Encode(m); err != nil {
		a.t.Fatal(err)
	}
}

func (a *peer) parse(data json.RawMessage, v any) {
	a.t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		a.t.Fatalf("%s: %v", data, err)
	}
}

// leave closes the agent's input, and waits for it to end of its own accord.
func (a *peer) leave() error {
	_ = a.in.Close()
	for range a.lines {
		// what it still has to say
	}
	return a.cmd.Wait()
}
