package script

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"craze/craze-fake-agent/internal/peer"
)

const (
	crashCode      = 3                     // of a crash in a turn
	crashStartCode = 1                     // of one at the start
	lateBy         = 50 * time.Millisecond // of the last late update: after a client has ended its turn
	longGarbage    = 1 << 20               // bytes of garbage's long line: over the limit of many a line reader
)

func crash(_ context.Context, t *peer.Turn) (string, error) {
	t.Text("about to crash ")
	return "", &peer.Exit{Code: crashCode, Words: "fatal: the script ends the agent in the middle of a turn"}
}

func crashStart(arg string) (peer.Behaviour, error) {
	fail := func() error {
		return &peer.Exit{Code: crashStartCode, Words: "fatal: the script ends the agent at its start"}
	}
	switch arg {
	case "":
		return peer.Behaviour{Initialize: fail}, nil
	case "early":
		return peer.Behaviour{Begin: func(context.Context) error { return fail() }}, nil
	case "late":
		return peer.Behaviour{Initialized: fail}, nil
	}
	return peer.Behaviour{}, fmt.Errorf("%q is neither early nor late", arg)
}

func hangStart() peer.Behaviour {
	return peer.Behaviour{Initialize: func() error { return peer.ErrSilent }}
}

func hang() peer.Behaviour {
	return peer.Behaviour{
		IgnoreCancel: true,
		Prompt: func(ctx context.Context, t *peer.Turn) (string, error) {
			t.Text("hanging ")
			<-ctx.Done() // the end of the input
			return "", peer.ErrSilent
		},
	}
}

func refuse(context.Context, *peer.Turn) (string, error) {
	return "", &peer.Error{
		Code: peer.CodeInternal, Message: "Internal error: the script refuses this prompt",
		Data: map[string]any{"service": "script"},
	}
}

func deaf() peer.Behaviour {
	return peer.Behaviour{
		Deaf: true, Life: strayLife,
		Prompt: func(ctx context.Context, t *peer.Turn) (string, error) {
			drip(ctx, millis(slowEvery), unlimited, func(i int) { t.Text(fmt.Sprintf("tick-%d ", i)) })
			return "", peer.ErrSilent
		},
	}
}

func late() peer.Behaviour {
	return peer.Behaviour{
		Prompt: func(_ context.Context, t *peer.Turn) (string, error) {
			t.Tool(shellCall(t))
			t.Text("in time ")
			return peer.EndTurn, nil
		},
		After: func(ctx context.Context, t *peer.Turn) {
			t.Text("late ")
			runShell(t)
			timer := time.NewTimer(lateBy)
			defer timer.Stop()
			select {
			case <-timer.C:
				t.Text("later ")
			case <-ctx.Done():
			}
		},
	}
}

func unknownRequest(ctx context.Context, t *peer.Turn) (string, error) {
	a, err := t.Call(ctx, "_fake/unknown", map[string]any{"sessionId": t.ID, "why": "nobody serves this"})
	switch {
	case err != nil:
		return peer.Cancelled, nil
	case a.Err != nil:
		t.Text("answered: error " + a.Err.Error())
	default:
		t.Text("answered: result")
	}
	return peer.EndTurn, nil
}

// garbage says "good-0 " to "good-N " with a bad line after each but the last.
func garbage(_ context.Context, t *peer.Turn) (string, error) {
	bad := badLines(t)
	for i, b := range bad {
		t.Text(fmt.Sprintf("good-%d ", i))
		b()
	}
	t.Text(fmt.Sprintf("good-%d ", len(bad)))
	return peer.EndTurn, nil
}

// badLines are the ways in which garbage breaks the protocol. None holds text
// of the answer.
func badLines(t *peer.Turn) []func() {
	raw := func(s string) func() { return func() { t.Raw([]byte(s + "\n")) } }
	type update struct {
		Kind    string       `json:"sessionUpdate"`
		Content peer.Content `json:"content"`
	}
	bad := update{"agent_message_chunk", peer.TextContent("BAD ")}
	return []func(){
		raw("this line is not JSON"),
		raw(`{"jsonrpc":"2.0","method":"session/update","params":{"sess`),
		raw(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + t.ID +
			`","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"BAD ` + "\xff\xfe" + `"}}}}`),
		raw(`[{"jsonrpc":"2.0","method":"session/update"},1,null]`),
		raw(""),
		raw(`{"jsonrpc":"2.0","id":999999,"result":{"stopReason":"refusal"}}`),
		raw(`{"jsonrpc":"2.0","method":"session/update"}`),
		func() { t.Notify("_fake/unheard", map[string]any{"text": "BAD "}) },
		func() { t.Update(update{"fake_unheard_kind", peer.TextContent("BAD ")}) },
		func() {
			t.Notify("session/update", map[string]any{"sessionId": t.ID + "-of-another", "update": bad})
		},
		func() { t.Raw(append(bytes.Repeat([]byte("x"), longGarbage), '\n')) },
	}
}
