package fakemodel_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryWireFollowsTheScript(t *testing.T) {
	const tool = `TOOL:bash:{"command":"ls"}`
	stop := map[string][2]string{ // how each wire ends a text, and a call
		"chat completions": {"stop", "tool_calls"},
		"responses":        {"completed", "completed"},
		"messages":         {"end_turn", "tool_use"},
	}
	for name, d := range dialects {
		for _, stream := range []bool{false, true} {
			s := start(t)
			t.Run(name+map[bool]string{false: " whole", true: " streamed"}[stream], func(t *testing.T) {
				check := func(body string, want said) {
					t.Helper()
					got := d.read(t, post(t, s.URL()+d.path, body), stream)
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("answer to %s (-want +got):\n%s", body, diff)
					}
				}
				check(d.ask(stream, "hello there"), said{Text: "echo: hello there", Finish: stop[name][0]})
				check(d.ask(stream, "LONG:3"), said{Text: "word0 word1 word2", Finish: stop[name][0]})
				check(d.ask(stream, "SLOW:1 hi"), said{Text: "echo: SLOW:1 hi", Finish: stop[name][0]})
				check(d.ask(stream, tool), said{Tool: "bash", Args: `{"command":"ls"}`, ID: "call_1", Finish: stop[name][1]})
				check(d.result(stream, tool, "call_1", "a file"), said{Text: "tool said: a file", Finish: stop[name][0]})
			})
		}
	}
}

func TestEveryWireRefuses(t *testing.T) {
	for name, d := range dialects {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			for body, want := range map[string]int{d.ask(true, "ERR:418"): http.StatusTeapot, "{": http.StatusBadRequest} {
				r := post(t, s.URL()+d.path, body)
				var e struct{ Error struct{ Message string } }
				parse(t, readAll(t, r), &e)
				if r.StatusCode != want || e.Error.Message == "" {
					t.Errorf("%s: status %d, error %q, want %d", body, r.StatusCode, e.Error.Message, want)
				}
			}
		})
	}
}
