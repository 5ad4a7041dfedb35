package peer_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"craze/craze-fake-agent/internal/acptest"
	"craze/craze-fake-agent/internal/peer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs an agent over real pipes and returns its client, what closes its
// input, and what waits for its end.
func start(t *testing.T, cfg peer.Config) (*acptest.Client, func(), func() error) {
	t.Helper()
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cfg.In, cfg.Out = inR, outW
	end := make(chan error, 1)
	go func() {
		end <- peer.Run(t.Context(), cfg)
		_ = outW.Close()
	}()
	client := acptest.New(t, inW, outR)
	t.Cleanup(func() { // before the client's, which waits for the output's end
		_ = inW.Close()
	})
	return client, func() { _ = inW.Close() }, func() error {
		defer func() { _ = inR.Close() }()
		return <-end
	}
}

func answering(stop string) peer.Behaviour {
	return peer.Behaviour{Prompt: func(_ context.Context, t *peer.Turn) (string, error) {
		t.Text(t.Prompt)
		return stop, nil
	}}
}

// untilCancelled is a turn that says it has begun and waits for its end.
func untilCancelled() peer.Behaviour {
	return peer.Behaviour{Prompt: func(ctx context.Context, t *peer.Turn) (string, error) {
		t.Text("begun")
		<-ctx.Done()
		return peer.Cancelled, nil
	}}
}

func TestSessionIsNamedByTheConfiguration(t *testing.T) {
	for _, c := range []struct{ name, id, cwd, want string }{
		{"as given", "session-1", "/a/b", "session-1"},
		{"by the base name of the client's directory", "{dir}-x", "/a/b", "b-x"},
		{"by the agent's own directory where the client names none", "{dir}", "", "own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, stop, wait := start(t, peer.Config{SessionID: c.id, Dir: "/the/own"})
			client.Handshake(c.cwd)
			if client.Session != c.want {
				t.Errorf("session %q, want %q", client.Session, c.want)
			}
			client.Handshake(c.cwd)
			if want := c.want + "-2"; client.Session != want {
				t.Errorf("second session %q, want %q", client.Session, want)
			}
			stop()
			if err := wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestUnnamedSessionsHaveNamesOfTheirOwn(t *testing.T) {
	client, stop, wait := start(t, peer.Config{})
	client.Handshake("/a")
	first := client.Session
	client.Handshake("/a")
	if !strings.HasPrefix(first, "fake-") || first == client.Session {
		t.Errorf("sessions %q and %q", first, client.Session)
	}
	stop()
	if err := wait(); err != nil {
		t.Error(err)
	}
}

func TestBadRequestsAreRefusedAlone(t *testing.T) {
	client, stop, wait := start(t, peer.Config{Behaviour: answering(peer.EndTurn)})
	client.Handshake("/a")
	in := `{"sessionId":"` + client.Session + `",`
	for _, c := range []struct {
		name, line string
		id         string
		code       int
	}{
		{"not JSON", `nonsense`, "null", -32700},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", "null", -32700},
		{"a name twice", `{"id":1,"id":2,"method":"x"}`, "null", -32700},
		{"an array", `[{"id":1,"method":"initialize"}]`, "null", -32600},
		{"no method", `{"jsonrpc":"2.0","id":1}`, "null", -32600},
		{"unknown method", `{"jsonrpc":"2.0","id":"a","method":"session/nope","params":{}}`, `"a"`, -32601},
		{"loading, which it does not offer", `{"id":7,"method":"session/load","params":{}}`, "7", -32601},
		{"signing in, which it does not offer", `{"id":7,"method":"authenticate","params":{}}`, "7", -32602},
		{"no params", `{"id":7,"method":"session/new"}`, "7", -32602},
		{"unknown session", `{"id":7,"method":"session/prompt","params":{"sessionId":"x"}}`, "7", -32602},
		{"empty prompt", `{"id":7,"method":"session/prompt","params":` + in + `"prompt":[]}}`, "7", -32602},
		{"unknown mode", `{"id":7,"method":"session/set_mode","params":` + in + `"modeId":"x"}}`, "7", -32602},
		{"unknown model", `{"id":7,"method":"session/set_model","params":` + in + `"modelId":"x"}}`, "7", -32602},
		{"unknown option", `{"id":7,"method":"session/set_config_option","params":` + in + `"configId":"x","value":"y"}}`, "7", -32602},
		{"unknown value", `{"id":7,"method":"session/set_config_option","params":` + in + `"configId":"model","value":"y"}}`, "7", -32602},
		{"value of another type", `{"id":7,"method":"session/set_config_option","params":` + in + `"configId":"model","value":3}}`, "7", -32602},
	} {
		client.Raw(c.line + "\n")
		m, _ := client.Next()
		if m.Error == nil || m.Error.Code != c.code || string(m.ID) != c.id {
			t.Errorf("%s: answered %s", c.name, m.Line)
		}
	}
	client.Raw("\n \n" + `{"jsonrpc":"2.0","method":"x/unheard"}` + "\n") // neither is answered
	if got, lines := client.Turn("still here"); got != peer.EndTurn || acptest.Text(lines) != "still here" {
		t.Errorf("then %s, %q", got, acptest.Text(lines))
	}
	stop()
	if err := wait(); err != nil {
		t.Error(err)
	}
}

func TestPromptIsTheTextOfItsBlocks(t *testing.T) {
	client, stop, wait := start(t, peer.Config{Behaviour: answering("refusal")})
	client.Handshake("/a")
	_, lines := client.Call("session/prompt", acptest.M{"sessionId": client.Session, "prompt": []any{
		acptest.M{"type": "text", "text": "see "}, acptest.M{"type": "image", "data": ""}, acptest.M{"type": "text", "text": " here"},
	}})
	if got := acptest.Text(lines); got != "see [image] here" {
		t.Errorf("prompt %q", got)
	}
	stop()
	if err := wait(); err != nil {
		t.Error(err)
	}
}

func TestOneTurnAtATimeInASession(t *testing.T) {
	client, stop, wait := start(t, peer.Config{Behaviour: untilCancelled()})
	client.Handshake("/a")
	first := client.Prompt("one")
	client.Until(func(m acptest.Message) bool { return m.Method == "session/update" })
	if got, _ := client.Turn("two"); got != "error -32600" {
		t.Errorf("second prompt: %s", got)
	}
	client.Cancel()
	if m, _ := client.Await(first); acptest.Stop(m) != peer.Cancelled {
		t.Errorf("first prompt: %s", m.Line)
	}
	client.Cancel() // of no turn: nothing happens
	last := client.Prompt("three")
	client.Until(func(m acptest.Message) bool { return m.Method == "session/update" })
	stop()
	if m, _ := client.Await(last); acptest.Stop(m) != peer.Cancelled {
		t.Errorf("the turn at the end of the input: %s", m.Line)
	}
	if err := wait(); err != nil {
		t.Error(err)
	}
}

func TestSettingsAreToldAndAnswered(t *testing.T) {
	for _, c := range []struct {
		name, method string
		params       acptest.M
		trail        []string
		current      map[string]string // config options in the answer
	}{
		{"mode", "session/set_mode", acptest.M{"modeId": "plan"}, []string{"current_mode_update"}, map[string]string{}},
		{"model", "session/set_model", acptest.M{"modelId": "fake-deep"}, []string{"config_option_update"}, map[string]string{}},
		{
			"model as an option", "session/set_config_option",
			acptest.M{"configId": "model", "value": "fake-deep"},
			[]string{"config_option_update"},
			map[string]string{"model": "fake-deep", "effort": "medium"},
		},
		{
			"effort", "session/set_config_option",
			acptest.M{"configId": "effort", "value": "high"},
			[]string{"config_option_update"},
			map[string]string{"model": "fake-swift", "effort": "high"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, stop, wait := start(t, peer.Config{})
			client.Handshake("/a")
			c.params["sessionId"] = client.Session
			m, before := client.Call(c.method, c.params)
			if d := cmp.Diff(c.trail, acptest.Trail(before)); d != "" {
				t.Error(d)
			}
			var r struct {
				ConfigOptions []struct {
					ID           string `json:"id"`
					CurrentValue string `json:"currentValue"`
				} `json:"configOptions"`
			}
			if err := json.Unmarshal(m.Result, &r); err != nil {
				t.Fatalf("%v in %s", err, m.Line)
			}
			got := map[string]string{}
			for _, o := range r.ConfigOptions {
				got[o.ID] = o.CurrentValue
			}
			if d := cmp.Diff(c.current, got); d != "" {
				t.Error(d)
			}
			stop()
			if err := wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestLastLineNeedsNoNewline(t *testing.T) {
	client, stop, wait := start(t, peer.Config{})
	client.Raw(`{"jsonrpc":"2.0","id":null,"method":"initialize"}`)
	stop()
	if m, _ := client.Next(); m.Result == nil || string(m.ID) != "null" {
		t.Errorf("answered %s", m.Line)
	}
	if err := wait(); err != nil {
		t.Error(err)
	}
}

func TestTurnThatNoOneReadsDoesNotOutliveTheInput(t *testing.T) {
	inR, inW := io.Pipe()
	out := stuckWriter{stuck: make(chan struct{}), release: make(chan struct{})}
	t.Cleanup(func() { close(out.release) })
	end := make(chan error, 1)
	go func() {
		end <- peer.Run(t.Context(), peer.Config{In: inR, Out: out, SessionID: "s", Behaviour: answering(peer.EndTurn)})
	}()
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/a"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"x"}]}}`,
	} {
		if _, err := io.WriteString(inW, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	<-out.stuck
	_ = inW.Close()
	if err := <-end; err != nil {
		t.Errorf("ended with %v", err)
	}
}

// stuckWriter takes what is no update, and is stuck at the first that is.
type stuckWriter struct{ stuck, release chan struct{} }

func (w stuckWriter) Write(b []byte) (int, error) {
	if strings.Contains(string(b), "session/update") {
		close(w.stuck)
		<-w.release
	}
	return len(b), nil
}

var errGone = errors.New("the client is gone")

func TestFailedWriteEndsTheAgent(t *testing.T) {
	inR, inW := io.Pipe()
	t.Cleanup(func() { _ = inW.Close() })
	end := make(chan error, 1)
	go func() { end <- peer.Run(t.Context(), peer.Config{In: inR, Out: brokenWriter{}}) }()
	if _, err := io.WriteString(inW, `{"jsonrpc":"2.0","id":1,"method":"initialize"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-end; !errors.Is(err, errGone) {
		t.Errorf("ended with %v", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errGone }
