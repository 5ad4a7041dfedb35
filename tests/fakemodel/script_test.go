package fakemodel

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNextFollowsTheScript(t *testing.T) {
	user := func(text string) []message { return []message{{role: "system", text: "ERR:500"}, {roleUser, text}} }
	with := func(messages []message, more ...message) []message { return append(messages, more...) }
	tests := map[string]struct {
		messages []message
		noTools  bool
		want     answer
	}{
		"a text is echoed":                    {messages: user("hello"), want: answer{text: "echo: hello"}},
		"an empty conversation has an answer": {want: answer{text: "echo: "}},
		"an echo keeps the end of a text": {
			messages: user("x" + strings.Repeat("é", textLimit)), want: answer{text: "echo: " + strings.Repeat("é", textLimit)},
		},
		"what grok wraps is unwrapped": {
			messages: user("facts <user_query>\n hi \n</user_query> more"), want: answer{text: "echo: hi"},
		},
		"a long answer has its words": {messages: user("LONG:3 please"), want: answer{text: "word0 word1 word2"}},
		"a slow answer has its pause": {
			messages: user("SLOW:250 hi"), want: answer{text: "echo: SLOW:250 hi", pause: 250 * time.Millisecond},
		},
		"an error has its status": {messages: user("ERR:429"), want: answer{status: http.StatusTooManyRequests}},
		"a status that is no error is echoed": {
			messages: user("ERR:200"), want: answer{text: "echo: ERR:200"},
		},
		"an earlier error is over": {
			messages: with(user("ERR:400"), message{roleUser, "on"}), want: answer{text: "echo: on"},
		},
		"a tool is called with its JSON as written": {
			messages: user(`TOOL:bash:{"b": 1, "a": "}"} and so on`),
			want:     answer{call: &call{id: "call_1", name: "bash", arguments: `{"b": 1, "a": "}"}`}},
		},
		"a tool whose JSON is torn is echoed": {
			messages: user(`TOOL:bash:{"b"`), want: answer{text: `echo: TOOL:bash:{"b"`},
		},
		"a request without tools gets no call": {
			messages: user(`TOOL:bash:{}`), noTools: true, want: answer{text: `echo: TOOL:bash:{}`},
		},
		"a result ends the call": {
			messages: with(user(`TOOL:bash:{}`), message{roleTool, "done"}), want: answer{text: "tool said: done"},
		},
		"the start of a long result is said": {
			messages: with(user(`TOOL:bash:{}`), message{roleTool, strings.Repeat("é", textLimit) + "x"}),
			want:     answer{text: "tool said: " + strings.Repeat("é", textLimit)},
		},
		"a second call has an id of its own": {
			messages: with(user(`TOOL:bash:{}`), message{roleTool, "done"}, message{roleUser, "TOOL:read:{}"}),
			want:     answer{call: &call{id: "call_2", name: "read", arguments: "{}"}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := next(conversation{tools: !tt.noTools, messages: tt.messages})
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(answer{}, call{})); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestChunksJoinToTheText(t *testing.T) {
	for _, text := range []string{"", "one", "  two  words\n", "tool said: \n"} {
		if got := strings.Join(answer{text: text}.chunks(), ""); got != text {
			t.Errorf("chunks of %q join to %q", text, got)
		}
	}
}
