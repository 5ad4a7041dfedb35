package acp

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"craze/craze-host/agent"
	"craze/shared/proto"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// entry is one line of a trace.
type entry struct {
	Dir string          `json:"dir"`
	Msg json.RawMessage `json:"msg"`
	m   message
}

func readTrace(path string) ([]entry, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []entry
	for line := range bytes.Lines(b) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(e.Msg, &e.m); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// trace plays the agent's side of a recorded exchange: it waits for each line
// that was sent to the agent, and writes each that the agent wrote, with the
// id the request has this time.
func (f *fake) trace(path string) int {
	entries, err := readTrace(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 4
	}
	ids := map[string]string{}
	for _, e := range entries {
		if e.Dir == "a2c" {
			f.line("%s", withID(e, ids))
			continue
		}
		f.flush()
		m, ok := f.read()
		if !ok {
			return 4
		}
		if m.Method != e.m.Method || m.Method == "" && !sameAnswer(m, e.m) {
			fmt.Fprintf(os.Stderr, "craze sent %s %s %s, recorded was %s\n", m.Method, m.Result, m.Error, e.Msg)
			return 4
		}
		ids[string(e.m.ID)] = string(m.ID)
	}
	f.flush()
	return f.drain()
}

// withID gives a response the id that its request had in this run.
func withID(e entry, ids map[string]string) string {
	if e.m.Method != "" || e.m.ID == nil {
		return string(e.Msg)
	}
	body := `"result":` + string(e.m.Result)
	if e.m.Error != nil {
		body = `"error":` + string(e.m.Error)
	}
	return `{"jsonrpc":"2.0","id":` + ids[string(e.m.ID)] + `,` + body + `}`
}

func sameAnswer(a, b message) bool {
	var av, bv any
	for raw, into := range map[*json.RawMessage]*any{&a.Result: &av, &b.Result: &bv} {
		if *raw != nil && json.Unmarshal(*raw, into) != nil {
			return false
		}
	}
	return string(a.ID) == string(b.ID) && cmp.Equal(av, bv) && (a.Error == nil) == (b.Error == nil)
}

// drive does what the recorded client did, as a session would.
func drive(t *testing.T, s started, entries []entry) {
	turns, asks, chunks := 0, 0, 0
	for _, e := range entries {
		switch {
		case e.Dir == "a2c":
			if bytes.Contains(e.Msg, []byte(`"agent_message_chunk"`)) {
				chunks++
			}
		case e.m.Method == "session/prompt":
			awaitN[agent.Ready](t, s.rec, 1)
			if turns > 0 {
				awaitN[agent.TurnEnded](t, s.rec, turns)
			}
			turns++
			if err := s.Prompt(fmt.Sprintf("turn-%d", turns), promptText(t, e)); err != nil {
				t.Fatal(err)
			}
		case e.m.Method == "session/cancel":
			if chunks > 0 {
				awaitN[agent.Text](t, s.rec, chunks)
			} else {
				awaitN[agent.Asked](t, s.rec, asks+1)
			}
			if err := s.Cancel(); err != nil {
				t.Fatal(err)
			}
		case e.m.Method == "" && e.m.Result != nil:
			asks++
			ask := awaitN[agent.Asked](t, s.rec, asks)
			if err := s.Answer(ask.ID, agent.Reply{Answer: proto.Answer{OptionID: optionOf(t, e)}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	awaitN[agent.TurnEnded](t, s.rec, turns)
}

func promptText(t *testing.T, e entry) string {
	var p struct {
		Prompt []struct{ Text string }
	}
	if err := json.Unmarshal(e.m.Params, &p); err != nil {
		t.Fatal(err)
	}
	return p.Prompt[0].Text
}

func optionOf(t *testing.T, e entry) string {
	var r struct{ Outcome struct{ OptionID string } }
	if err := json.Unmarshal(e.m.Result, &r); err != nil {
		t.Fatal(err)
	}
	return r.Outcome.OptionID
}

func TestRecordedAgentsAreUnderstood(t *testing.T) {
	for _, name := range []string{
		"opencode-hello", "opencode-permission-allow", "opencode-permission-reject", "opencode-permission-cancelled", "opencode-cancel", "opencode-failing-tool",
		"opencode-edit", "opencode-todos", "opencode-model-error",
		"grok-hello", "grok-permission-allow", "grok-cancel", "grok-failing-tool", "grok-todos",
	} {
		t.Run(name, func(t *testing.T) {
			path, err := filepath.Abs("testdata/traces/" + name + ".ndjson")
			if err != nil {
				t.Fatal(err)
			}
			entries, err := readTrace(path)
			if err != nil {
				t.Fatal(err)
			}
			s := startFake(t, "trace "+path, func(c *Config) {
				if strings.HasPrefix(name, "grok") {
					c.AuthMethod = "xai.api_key"
				}
			})
			drive(t, s, entries)
			s.Close()
			s.Wait()
			got, _ := s.rec.all()
			golden(t, "testdata/golden/"+name+".txt", show(got))
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Error(diff)
	}
}
