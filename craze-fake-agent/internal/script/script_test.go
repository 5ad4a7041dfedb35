package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"craze/craze-fake-agent/internal/acptest"
	"craze/craze-fake-agent/internal/peer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// agent is a script being run in this process.
type agent struct {
	*acptest.Client
	closeInput func()
	wait       func() error // what Run returned
}

// run runs a script, by its name and argument, over pipes.
func run(t *testing.T, named string) agent {
	t.Helper()
	behaviour, err := Choose([]string{"-script", named}, "")
	if err != nil {
		t.Fatal(err)
	}
	inR, inW := pipe(t)
	outR, outW := pipe(t)
	end := make(chan error, 1)
	go func() {
		ctx := context.WithoutCancel(t.Context()) // the input ends it, in the cleanup
		end <- peer.Run(ctx, peer.Config{In: inR, Out: outW, SessionID: "s", Behaviour: behaviour})
		_ = outW.Close()
	}()
	a := agent{Client: acptest.New(t, inW, outR), closeInput: func() { _ = inW.Close() }}
	ended := false
	a.wait = func() error { ended = true; return <-end }
	t.Cleanup(func() {
		a.closeInput()
		if ended {
			return
		}
		if err := a.wait(); err != nil {
			t.Errorf("the agent ended with %v", err)
		}
	})
	return a
}

func pipe(t *testing.T) (*os.File, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r, w
}

// texts are a text's chunks, in a trail.
func texts(n int, before ...string) []string {
	for range n {
		before = append(before, "agent_message_chunk")
	}
	return before
}

func TestTurnOfAScript(t *testing.T) {
	shell := []string{"tool_call pending", "tool_call_update in_progress", "tool_call_update completed"}
	for _, c := range []struct {
		script string
		stop   string
		trail  []string
		text   string
	}{
		{"echo", "end_turn", texts(2), "echo: hello <you>\n"},
		{"acp-echo", "end_turn", texts(2), "echo: hello <you>\n"},
		{"tool", "end_turn", texts(1, shell...), "tool said: ok\n"},
		{
			"diff", "end_turn",
			texts(1, "tool_call pending", "tool_call_update completed", "tool_call pending", "tool_call_update completed"),
			"edited notes.txt and wrote fresh.txt, in words only",
		},
		{"todos", "end_turn", texts(1, "plan", "plan", "plan", "plan", "plan"), "all three done"},
		{"title", "end_turn", texts(1, "session_info_update"), "titled"},
		{"models", "end_turn", texts(1, "config_option_update"), "model: fake-late"},
		{"models:member", "end_turn", texts(1), "model: fake-swift"},
		{"slow:1,3", "end_turn", texts(3), "tick-0 tick-1 tick-2 "},
		{"burst:3", "end_turn", texts(3), "chunk-0 chunk-1 chunk-2 "},
		{"burst:5,2", "end_turn", texts(5), "chunk-0 chunk-1 chunk-2 chunk-3 chunk-4 "},
		{"error", "error -32603", nil, ""},
		{"late", "end_turn", texts(1, "tool_call pending"), "in time "},
	} {
		t.Run(c.script, func(t *testing.T) {
			a := run(t, c.script)
			a.Handshake("/a/b")
			stop, lines := a.Turn("hello <you>\n")
			if stop != c.stop {
				t.Errorf("ended %s, want %s", stop, c.stop)
			}
			if d := cmp.Diff(c.trail, acptest.Trail(lines)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(c.text, acptest.Text(lines)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestUpdatesOnTheWire(t *testing.T) {
	update := func(body string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + body + "}}\n"
	}
	for _, c := range []struct {
		script string
		first  []string
	}{
		{"echo", []string{
			update(`{"sessionUpdate":"agent_message_chunk","messageId":"msg-1","content":{"type":"text","text":"echo: "}}`),
		}},
		{"burst", []string{
			update(`{"sessionUpdate":"agent_message_chunk","messageId":"msg-1","content":{"type":"text","text":"chunk-0 "}}`),
		}},
		{"tool", []string{
			update(`{"sessionUpdate":"tool_call","toolCallId":"tool-1-1","title":"echo ok","kind":"execute","status":"pending",` +
				`"rawInput":{"command":"echo ok","cwd":"/a/b"}}`),
			update(`{"sessionUpdate":"tool_call_update","toolCallId":"tool-1-1","status":"in_progress"}`),
			update(`{"sessionUpdate":"tool_call_update","toolCallId":"tool-1-1","status":"completed",` +
				`"content":[{"type":"content","content":{"type":"text","text":"ok\n"}}],"rawOutput":{"exit":0,"output":"ok\n"}}`),
		}},
		{"diff", []string{
			update(`{"sessionUpdate":"tool_call","toolCallId":"tool-1-1","title":"Edit notes.txt","kind":"edit","status":"pending",` +
				`"locations":[{"path":"/a/b/notes.txt"}],"rawInput":{"path":"/a/b/notes.txt"}}`),
			update(`{"sessionUpdate":"tool_call_update","toolCallId":"tool-1-1","status":"completed","content":[{"type":"diff",` +
				`"path":"/a/b/notes.txt","oldText":"one\ntwo\nthree\n","newText":"one\nTWO\nthree\n"}]}`),
		}},
		{"todos", []string{
			update(`{"sessionUpdate":"plan","entries":[{"content":"read the prompt","priority":"high","status":"pending"},` +
				`{"content":"think about it","priority":"medium","status":"pending"},{"content":"answer it","priority":"low","status":"pending"}]}`),
		}},
		{"title", []string{update(`{"sessionUpdate":"session_info_update","title":"hi"}`)}},
		{"commands", []string{
			update(`{"sessionUpdate":"available_commands_update","availableCommands":[` +
				`{"name":"research","description":"look something up","input":{"hint":"what to look up"}},` +
				`{"name":"review","description":"review the changes"}]}`),
			update(`{"sessionUpdate":"available_commands_update","availableCommands":[` +
				`{"name":"review","description":"review the changes"},{"name":"turn-1","description":"offered by this turn"}]}`),
		}},
	} {
		t.Run(c.script, func(t *testing.T) {
			a := run(t, c.script)
			a.Handshake("/a/b")
			_, lines := a.Turn("hi")
			var got []string
			for _, m := range lines[:len(c.first)] {
				got = append(got, string(m.Line))
			}
			if d := cmp.Diff(c.first, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestModelsAsAMemberOfTheSessionsAnswer(t *testing.T) {
	a := run(t, "models:member")
	opened := string(a.Handshake("/a").Line)
	if !strings.Contains(opened, `"models":{"currentModelId":"fake-swift"`) || strings.Contains(opened, `"category":"model"`) {
		t.Errorf("session/new answered %s", opened)
	}
	if m, _ := a.Call("session/set_model", acptest.M{"sessionId": a.Session, "modelId": "fake-deep"}); m.Error != nil {
		t.Errorf("set_model answered %s", m.Line)
	}
	if _, lines := a.Turn("which"); acptest.Text(lines) != "model: fake-deep" {
		t.Errorf("then %q", acptest.Text(lines))
	}
}

func isRequest(m acptest.Message) bool { return m.Method != "" && m.ID != nil }

func TestPermissionIsAskedAndItsAnswerSaid(t *testing.T) {
	type M = acptest.M
	selected := func(id string) M { return M{"outcome": M{"outcome": "selected", "optionId": id}} }
	ran := []string{"tool_call_update in_progress", "tool_call_update completed"}
	failed := []string{"tool_call_update failed"}
	for _, c := range []struct {
		name   string
		cancel bool // before the answer
		member string
		answer any
		stop   string
		trail  []string
		text   string
	}{
		{"allowed once", false, "result", selected("allow-once"), "end_turn", texts(1, ran...), "answered: allow-once"},
		{"allowed always", false, "result", selected("allow-always"), "end_turn", texts(1, ran...), "answered: allow-always"},
		{"rejected", false, "result", selected("reject-once"), "end_turn", texts(1, failed...), "answered: reject-once"},
		{"an option it did not offer", false, "result", selected("x"), "end_turn", texts(1, failed...), "answered: x"},
		{"cancelled", false, "result", M{"outcome": M{"outcome": "cancelled"}}, "cancelled", failed, ""},
		{"the turn cancelled first", true, "result", M{"outcome": M{"outcome": "cancelled"}}, "cancelled", failed, ""},
		{"refused", false, "error", M{"code": -32601, "message": "no"}, "end_turn", texts(1, failed...), "answered: error -32601 no"},
		{
			"no outcome in the answer", false, "result", "yes", "end_turn", texts(1, failed...),
			"answered: error -32602 Invalid params: the answer to session/request_permission has no outcome",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := run(t, "ask")
			a.Handshake("/a")
			id := a.Prompt("do it")
			request, before := a.Until(isRequest)
			if d := cmp.Diff([]string{"tool_call pending"}, acptest.Trail(before)); d != "" {
				t.Error(d)
			}
			if request.Method != "session/request_permission" {
				t.Fatalf("asked %s", request.Line)
			}
			if c.cancel {
				a.Cancel()
			}
			a.Answer(request, c.member, c.answer)
			end, lines := a.Await(id)
			if got := acptest.Stop(end); got != c.stop {
				t.Errorf("ended %s, want %s", got, c.stop)
			}
			if d := cmp.Diff(c.trail, acptest.Trail(lines)); d != "" {
				t.Error(d)
			}
			if got := acptest.Text(lines); got != c.text {
				t.Errorf("said %q, want %q", got, c.text)
			}
		})
	}
}

func TestRequestThatClientsDoNotServe(t *testing.T) {
	for _, c := range []struct {
		member string
		answer any
		text   string
	}{
		{"error", acptest.M{"code": -32601, "message": "method not found"}, "answered: error -32601 method not found"},
		{"result", nil, "answered: result"},
	} {
		a := run(t, "unknown-request")
		a.Handshake("/a")
		id := a.Prompt("go")
		request, _ := a.Until(isRequest)
		a.Answer(request, c.member, c.answer)
		if _, lines := a.Await(id); acptest.Text(lines) != c.text {
			t.Errorf("said %q, want %q", acptest.Text(lines), c.text)
		}
	}
}

func TestSlowEndsWhenCancelled(t *testing.T) {
	a := run(t, "slow:1")
	a.Handshake("/a")
	for range 2 { // a cancelled turn leaves the session fit for the next
		id := a.Prompt("go")
		a.Until(func(m acptest.Message) bool { u, _ := m.Update(); return u.Text == "tick-2 " })
		a.Cancel()
		if m, _ := a.Await(id); acptest.Stop(m) != "cancelled" {
			t.Errorf("ended %s", m.Line)
		}
	}
}

func TestBurstIsInOrderAndWhole(t *testing.T) {
	a := run(t, "burst:5000")
	a.Handshake("/a")
	_, lines := a.Turn("go")
	for i, got := range acptest.Chunks(lines) {
		if want := fmt.Sprintf("chunk-%d ", i); got != want {
			t.Fatalf("chunk %d is %q", i, got)
		}
	}
	if len(lines) != 5000 {
		t.Errorf("%d chunks", len(lines))
	}
}

func TestBurstEndsWhenCancelled(t *testing.T) {
	a := run(t, "burst:1000000000")
	a.Handshake("/a")
	id := a.Prompt("go")
	a.Next()
	a.Cancel()
	if m, _ := a.Await(id); acptest.Stop(m) != "cancelled" {
		t.Errorf("ended %s", m.Line)
	}
}

func TestLongAnswer(t *testing.T) {
	a := run(t, "long")
	a.Handshake("/a")
	if _, lines := a.Turn("go"); acptest.Text(lines) != longText(0, 2<<20) || len(lines) != 64 {
		t.Errorf("%d bytes in %d chunks", len(acptest.Text(lines)), len(lines))
	}
	a = run(t, "long:100")
	a.Handshake("/a")
	if _, lines := a.Turn("go"); acptest.Text(lines) != longText(0, 100) {
		t.Errorf("%q", acptest.Text(lines))
	}
}

func TestUpdatesAfterTheAnswer(t *testing.T) {
	a := run(t, "late")
	a.Handshake("/a")
	a.Turn("go")
	last := func(m acptest.Message) bool { u, _ := m.Update(); return u.Text == "later " }
	_, before := a.Until(last)
	want := []string{"agent_message_chunk", "tool_call_update in_progress", "tool_call_update completed"}
	if d := cmp.Diff(want, acptest.Trail(before)); d != "" {
		t.Error(d)
	}
	a.Turn("again")
	a.closeInput() // ends the wait for the last update
	if err := a.wait(); err != nil {
		t.Error(err)
	}
}

func TestGarbageBetweenGoodLines(t *testing.T) {
	a := run(t, "garbage")
	a.Handshake("/a")
	id := a.Prompt("go")
	end, lines := a.Until(func(m acptest.Message) bool { return acptest.Stop(m) == "end_turn" })
	if string(end.ID) != id {
		t.Errorf("ended by %s", end.Line)
	}
	bad, longest := 0, 0
	for _, m := range lines {
		longest = max(longest, len(m.Line))
		if m.Bad != nil {
			bad++
		}
	}
	if bad != 6 || longest != 1<<20+1 {
		t.Errorf("%d lines are not JSON objects, want 6; the longest is %d bytes", bad, longest)
	}
	var good []string
	for _, s := range acptest.Chunks(lines) {
		if s != "BAD " { // what another session was sent
			good = append(good, s)
		}
	}
	var want []string
	for i := range 12 {
		want = append(want, fmt.Sprintf("good-%d ", i))
	}
	if d := cmp.Diff(want, good); d != "" {
		t.Error(d)
	}
}

func TestCrashes(t *testing.T) {
	for _, c := range []struct {
		script string
		code   int
		lines  []string // all the agent wrote
	}{
		{"crash", 3, []string{"answer", "answer", "agent_message_chunk"}},
		{"crash-start", 1, nil},
		{"crash-start:early", 1, nil},
		{"crash-start:late", 1, []string{"answer"}},
	} {
		t.Run(c.script, func(t *testing.T) {
			a := run(t, c.script)
			if c.script == "crash" {
				a.Initialize()
				a.Session = "s"
				a.Send("session/new", acptest.M{"cwd": "/a", "mcpServers": []any{}})
				a.Prompt("go")
			} else {
				a.Initialize()
			}
			if d := cmp.Diff(c.lines, acptest.Trail(a.Rest())); d != "" {
				t.Error(d)
			}
			var exit *peer.Exit
			if err := a.wait(); !errors.As(err, &exit) || exit.Code != c.code || !strings.HasPrefix(exit.Words, "fatal: ") {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

func TestHangStartAnswersAllButInitialize(t *testing.T) {
	a := run(t, "hang-start")
	a.Initialize()
	a.Call("session/new", acptest.M{"cwd": "/a", "mcpServers": []any{}})
	a.closeInput()
	if rest := a.Rest(); len(rest) != 0 {
		t.Errorf("wrote %v", acptest.Trail(rest))
	}
}

func TestHangIgnoresCancel(t *testing.T) {
	a := run(t, "hang")
	a.Handshake("/a")
	a.Prompt("go")
	a.Next()
	a.Cancel()
	// Still running, as a second prompt finds out.
	if stop, _ := a.Turn("again"); stop != "error -32600" {
		t.Errorf("second prompt: %s", stop)
	}
	a.closeInput()
	if rest := a.Rest(); len(rest) != 0 {
		t.Errorf("wrote %v", acptest.Trail(rest))
	}
}

func TestDemo(t *testing.T) {
	dir := t.TempDir()
	for i := range 12 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file-%02d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "a-folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	base := filepath.Base(dir)
	tail := "That is all this demo does: no model was asked, nothing was changed."
	looked := base + " holds 12 files and 1 folder. " + tail
	thought := []string{"agent_thought_chunk", "agent_thought_chunk", "tool_call pending"}
	ran := []string{"tool_call_update in_progress", "tool_call_update completed"}
	for _, c := range []struct {
		name, dir, prompt string
		option            string // of a permission, "" when none is asked
		trail             []string
		text              string
	}{
		{"a plain prompt", dir, "hello\nthere", "", texts(6, ran...), `You said "hello...". ` + looked},
		{"slow", dir, "be slow", "", texts(26, ran...), slowText() + `You said "be slow". ` + looked},
		{"permission given", dir, "with permission", "allow-once", texts(6, ran...), `You said "with permission". ` + looked},
		{
			"permission refused", dir, "with permission", "reject-once", texts(6, "tool_call_update failed"),
			`You said "with permission". I was not permitted to look, and did not. ` + tail,
		},
		{
			"no such folder", filepath.Join(dir, "none"), "hi", "", texts(6, "tool_call_update in_progress", "tool_call_update failed"),
			`You said "hi". The folder could not be read. ` + tail,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := run(t, "demo")
			a.Handshake(c.dir)
			id := a.Prompt(c.prompt)
			var asked []acptest.Message
			if c.option != "" {
				var request acptest.Message
				request, asked = a.Until(isRequest)
				a.Answer(request, "result", acptest.M{"outcome": acptest.M{"outcome": "selected", "optionId": c.option}})
			}
			end, lines := a.Await(id)
			lines = append(asked, lines...)
			if got := acptest.Stop(end); got != "end_turn" {
				t.Errorf("ended %s", got)
			}
			if d := cmp.Diff(append(slices.Clone(thought), c.trail...), acptest.Trail(lines)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(c.text, acptest.Text(lines)); d != "" {
				t.Error(d)
			}
		})
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := "a-folder/\nfile-00\nfile-01\nfile-02\nfile-03\nfile-04\nfile-05\nfile-06\nfile-07\nfile-08\nand 3 more\n"
	if d := cmp.Diff(want, listing(entries)); d != "" {
		t.Error(d)
	}
}

func slowText() string {
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, "slowly, %d of 20\n", i+1)
	}
	return b.String()
}

func TestDemoEndsWhenCancelled(t *testing.T) {
	for _, c := range []struct {
		prompt string
		at     func(acptest.Message) bool // the line after which it is cancelled
	}{
		{"be slow", func(m acptest.Message) bool { return len(acptest.Chunks([]acptest.Message{m})) > 0 }},
		{"hello", func(m acptest.Message) bool { return len(acptest.Chunks([]acptest.Message{m})) > 0 }},
		{"with permission", isRequest},
	} {
		a := run(t, "demo")
		a.Handshake(t.TempDir())
		id := a.Prompt(c.prompt)
		a.Until(c.at)
		a.Cancel()
		if m, _ := a.Await(id); acptest.Stop(m) != "cancelled" {
			t.Errorf("%s: ended %s", c.prompt, m.Line)
		}
	}
}

func TestPromptIsQuotedShortly(t *testing.T) {
	for in, want := range map[string]string{
		"":                      `""`,
		"hi":                    `"hi"`,
		"one\ntwo":              `"one..."`,
		strings.Repeat("é", 60): `"` + strings.Repeat("é", 60) + `"`,
		strings.Repeat("é", 61): `"` + strings.Repeat("é", 60) + `..."`,
	} {
		if got := quote(in); got != want {
			t.Errorf("quote(%q) = %s", in, got)
		}
	}
}
