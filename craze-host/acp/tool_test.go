package acp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"craze/craze-host/agent"
	"craze/shared/proto"

	"github.com/google/go-cmp/cmp"
)

// toolsOf runs updates of one session and gives the calls told.
func toolsOf(t *testing.T, updates ...string) []proto.Tool {
	t.Helper()
	l := bare("s")
	for _, u := range updates {
		l.line([]byte(`{"method":"session/update","params":{"sessionId":"s","update":` + u + `}}`))
	}
	var out []proto.Tool
	for _, c := range pick[agent.ToolCall](l.out) {
		out = append(out, c.Tool)
	}
	return out
}

func TestToolUpdatesMergeByID(t *testing.T) {
	got := toolsOf(
		t,
		`{"sessionUpdate":"tool_call","toolCallId":"a","title":"run","kind":"execute","rawInput":{"x": 2.50},"locations":[{"path":"/w"},{"path":"/w/f","line":3}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"b","status":"in_progress"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"a","title":null,"status":"completed","content":[{"type":"content","content":{"type":"text","text":"one"}},{"type":"terminal","terminalId":"t"},{"type":"content","content":{"type":"text","text":"two"}}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"a","locations":7,"rawInput":null}`,
		`{"sessionUpdate":"tool_call","toolCallId":"a","title":"again"}`,
	)
	a := proto.Tool{ID: "a", Status: "pending", Kind: "execute", Title: "run", RawInput: `{"x":2.50}`, Locations: []string{"/w", "/w/f:3"}}
	done := a
	done.Status, done.ContentText = "completed", "one\ntwo"
	odd := done
	odd.Locations = nil
	want := []proto.Tool{a, {ID: "b", Status: "in_progress"}, done, odd, {ID: "a", Status: "pending", Title: "again"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestToolOutputs(t *testing.T) {
	zero, three := 0, 3
	cases := map[string]struct {
		raw  string
		want *proto.ToolOutput
	}{
		"opencode, a command":     {`{"output":"o\n","metadata":{"exit":3,"truncated":true}}`, &proto.ToolOutput{Stdout: "o\n", ExitCode: &three, Truncated: true}},
		"opencode, no command":    {`{"output":"o","metadata":{"truncated":false}}`, &proto.ToolOutput{Content: "o"}},
		"opencode, an error":      {`{"error":"aborted","metadata":{"interrupted":true}}`, &proto.ToolOutput{Stderr: "aborted"}},
		"grok, bytes":             {`{"type":"Bash","output":[104,105,255],"exit_code":0,"truncated":false,"signal":null}`, &proto.ToolOutput{Stdout: "hi\uFFFD", ExitCode: &zero}},
		"grok, nothing printed":   {`{"type":"Bash","output":[],"exit_code":0}`, &proto.ToolOutput{ExitCode: &zero}},
		"text":                    {`{"type":"Text","text":"t"}`, &proto.ToolOutput{Content: "t"}},
		"streams apart":           {`{"stdout":"o","stderr":"e","exitCode":3}`, &proto.ToolOutput{Stdout: "o", Stderr: "e", ExitCode: &three}},
		"a string":                {`"plain"`, &proto.ToolOutput{Content: "plain"}},
		"a shape of its own":      {`{"x": [1, 2]}`, &proto.ToolOutput{Content: `{"x":[1,2]}`}},
		"a list":                  {`[1]`, &proto.ToolOutput{Content: `[1]`}},
		"an exit that is no code": {`{"output":"o","exit":"soon"}`, &proto.ToolOutput{Content: "o"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := toolsOf(t, `{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed","rawOutput":`+c.raw+`}`)
			if diff := cmp.Diff(c.want, got[0].Output); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestARunningToolHasNoExitCode(t *testing.T) {
	got := toolsOf(t, `{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"in_progress","rawOutput":{"output":[],"exit_code":0}}`)
	if got[0].Output != nil {
		t.Errorf("%+v", got[0].Output)
	}
}

func TestDiffsCountTheirLines(t *testing.T) {
	big := strings.Repeat("a line\n", 200_000)
	cases := map[string]struct {
		before, after  string
		added, removed int
	}{
		"a change":                 {"one\ntwo\nthree\n", "one\nTWO\nthree\n", 1, 1},
		"a new file":               {"", "a\nb\n", 2, 0},
		"an emptied one":           {"a\nb\n", "", 0, 2},
		"no change":                {"a\n", "a\n", 0, 0},
		"no line end":              {"two", "TWO", 1, 1},
		"lines like a header":      {"--- a\n", "+++ b\n", 1, 1},
		"a big file, a line added": {big + "x\n" + big, big + "x\ny\n" + big, 1, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if a, r := changedLines(c.before, c.after); a != c.added || r != c.removed {
				t.Errorf("+%d -%d, want +%d -%d", a, r, c.added, c.removed)
			}
		})
	}
}

// TestTheLargestToolFitsAnEvent fills every member with what escapes worst.
func TestTheLargestToolFitsAnEvent(t *testing.T) {
	huge := `"` + strings.Repeat(`\u0001`, toolString+10) + `"`
	long := `"` + strings.Repeat(`\u0001`, pathMax+10) + `"`
	diffs := strings.Repeat(`,{"type":"diff","path":`+long+`,"oldText":`+huge+`,"newText":`+huge+`}`, 3)
	locs := strings.Repeat(`,{"path":`+long+`}`, locationsMax+5)
	got := toolsOf(t, `{"sessionUpdate":"tool_call","toolCallId":`+long+`,"title":`+long+`,"kind":`+long+`,"status":`+long+`,"rawInput":`+huge+
		`,"content":[{"type":"content","content":{"type":"text","text":`+huge+`}}`+diffs+`],"locations":[`+locs[1:]+
		`],"rawOutput":{"output":`+huge+`,"stdout":`+huge+`,"stderr":`+huge+`}}`)
	b, err := json.Marshal(got[0])
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > proto.MaxRecordBytes-optionsMax*3*nameMax*6 {
		t.Errorf("%d bytes", len(b))
	}
	if o := got[0].Output; !o.Truncated || len(o.StdoutHead)+len(o.Stdout) > toolString {
		t.Error("the output is not cut")
	}
	for _, d := range got[0].Diffs {
		if !d.Truncated {
			t.Error("a diff is not marked")
		}
	}
	if !strings.HasSuffix(got[0].ContentText, cutSuffix) {
		t.Error("the content has no mark")
	}
}

func TestTheToolboxIsBounded(t *testing.T) {
	var b toolbox
	text := strings.Repeat("x", toolString)
	for i := range 3 * toolsKept {
		b.keep(proto.Tool{ID: fmt.Sprint(i), ContentText: text})
	}
	if b.bytes > toolsKeptBytes || len(b.tools) != len(b.order) || len(b.tools) > toolsKept {
		t.Errorf("%d bytes in %d tools", b.bytes, len(b.tools))
	}
	n := 0
	for _, s := range b.tools {
		n += s.size
	}
	if n != b.bytes {
		t.Errorf("counted %d, holds %d", b.bytes, n)
	}
}

func TestUpdatesOfSettings(t *testing.T) {
	l := bare("s")
	for _, u := range []string{
		`{"sessionUpdate":"plan","entries":[{"content":"a","status":"pending","priority":"low"},{"content":"b","status":"completed"}]}`,
		`{"sessionUpdate":"current_mode_update","currentModeId":"plan"}`,
		`{"sessionUpdate":"config_option_update","configOptions":[{"id":"m","category":"model","currentValue":"x","options":[{"value":"x"}]}]}`,
		`{"sessionUpdate":"session_info_update","title":"T"}`,
		`{"sessionUpdate":"session_info_update","title":null}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[]}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[]}`,
		`{"sessionUpdate":"usage_update","used":1}`,
		`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"mine"}}`,
	} {
		l.line([]byte(`{"method":"session/update","params":{"sessionId":"s","update":` + u + `}}`))
	}
	want := `todos [{"id":"1","content":"a","status":"pending"},{"id":"2","content":"b","status":"completed"}]
state {"mode":"plan"}
state {"model":"x","config":{"options":[{"id":"m","category":"model","current":"x","selectValues":[{"value":"x","name":"x"}]}]}}
state {"title":"T"}
state {"commands":{}}
user "mine"
`
	if diff := cmp.Diff(want, show(l.out)); diff != "" {
		t.Error(diff)
	}
}
