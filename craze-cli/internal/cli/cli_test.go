package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"craze/shared/proto"
	"craze/shared/transcript"
)

// run runs one command line in a home of its own.
func run(t *testing.T, stdin string, args ...string) (out, err string, code int) {
	t.Helper()
	home := t.TempDir()
	var o, e bytes.Buffer
	code = Run(context.Background(), args, Env{
		Stdin: strings.NewReader(stdin), Stdout: &o, Stderr: &e, Version: "v1",
		Getenv: func(name string) string {
			return map[string]string{"HOME": home, "CRAZE_HOME": home + "/craze", "CRAZE_RUNTIME_DIR": home}[name]
		},
	})
	return o.String(), e.String(), code
}

func TestUsageErrors(t *testing.T) {
	const secret = "sk-pasted-secret"
	for _, tt := range []struct {
		name string
		args []string
		says string
	}{
		{"an unknown command", []string{secret}, "no such command"},
		{"one that is near", []string{"stpo", "x"}, "did you mean stop?"},
		{"an unknown flag", []string{"ps", "--" + secret}, "flag"},
		{"help of an unknown command", []string{"help", secret}, "no such command"},
		{"a version of something", []string{"version", secret}, "takes no argument"},
		{"a flag's value missing", []string{"new", "--provider"}, "value is missing"},
		{"a flag's value wrong", []string{"wait", "x", "--timeout", secret}, "flag"},
		{"no session", []string{"wait"}, "takes one session"},
		{"two sessions", []string{"stop", "a", secret}, "takes one session"},
		{"ps with an argument", []string{"ps", secret}, "takes no argument"},
		{"send with no session", []string{"send"}, "takes a session"},
		{"send with no text", []string{"send", "x"}, "takes a text"},
		{"answer with no answer", []string{"answer", "x", "head"}, "one of --allow"},
		{"answer with two", []string{"answer", "x", "head", "--allow", "--skip"}, "one of --allow"},
		{"fast and not", []string{"new", "--fast", "--no-fast", "x"}, "exclude each other"},
		{"waiting for nothing", []string{"new", "--wait"}, "takes a prompt"},
		{"a bridge to both", []string{"bridge", "--hub", "--session", "x"}, "--hub or --session"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err, code := run(t, "", tt.args...)
			if code != exitUsage || out != "" || strings.Count(err, "\n") != 1 || !strings.Contains(err, tt.says) {
				t.Errorf("exit %d\nstdout %q\nstderr %q", code, out, err)
			}
			if strings.Contains(err, secret) {
				t.Errorf("what was typed is repeated: %q", err)
			}
		})
	}
}

func TestAFailureIsOneLineOrOneObject(t *testing.T) {
	out, err, code := run(t, "", "wait", "nobody")
	if code != exitError || out != "" || strings.Count(err, "\n") != 1 || !strings.Contains(err, "craze ps lists them") {
		t.Errorf("exit %d, %q, %q", code, out, err)
	}
	out, err, code = run(t, "", "wait", "nobody", "--json")
	if code != exitError || err != "" || !strings.HasPrefix(out, `{"error":{"code":-32000,"message":"no running session`) {
		t.Errorf("exit %d, %q, %q", code, out, err)
	}
}

func TestFlagsStandAnywhereUpToTheDashes(t *testing.T) {
	cmds := (&app{}).commands()
	for _, tt := range []struct{ in, want string }{
		{"send s hi --json", "send --json -- s hi"},
		{"send --json s hi", "send --json -- s hi"},
		{"wait s --timeout 5s", "wait --timeout 5s -- s"},
		{"wait s --timeout=5s", "wait --timeout=5s -- s"},
		{"send s -- --json -x", "send -- s --json -x"},
		{"send s - x", "send -- s - x"},
		{"new -C dir words", "new -C dir -- words"},
		{"nosuch a --b", "nosuch a --b"},
		{"--help", "--help"},
	} {
		got, err := permute(strings.Fields(tt.in), cmds)
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" || err != nil {
			t.Errorf("%s: %s %v", tt.in, diff, err)
		}
	}
}

func TestTheVersion(t *testing.T) {
	if out, err, code := run(t, "", "version"); out != "craze v1\n" || err != "" || code != 0 {
		t.Errorf("%q %q %d", out, err, code)
	}
}

func turn(id, phase string, change func(*proto.Turn)) *proto.Event {
	tu := &proto.Turn{ID: id, Phase: phase}
	if change != nil {
		change(tu)
	}
	return &proto.Event{Type: proto.EvTurn, Turn: tu}
}

func said(s string) *proto.Event { return &proto.Event{Type: proto.EvText, Text: s} }

func TestAWaitSettles(t *testing.T) {
	started := turn("turn-1", proto.TurnStarted, nil)
	done1 := turn("turn-1", proto.TurnEnded, func(t *proto.Turn) { t.StopReason = proto.StopEndTurn })
	row := func(change string) *proto.Event {
		return &proto.Event{Type: proto.EvQueue, QueueChange: change, Queue: &proto.QueueRow{ID: "q-1"}}
	}
	perm := &proto.Event{Type: proto.EvPermission, Permission: &proto.Permission{ID: "p"}}
	for _, tt := range []struct {
		name    string
		f       facts
		events  []*proto.Event
		want    outcome
		message string
	}{
		{"done", facts{turn: "turn-1"}, []*proto.Event{started, said("a"), said("b"), done1}, done, "ab"},
		{"still running", facts{turn: "turn-1"}, []*proto.Event{started, said("a")}, pending, "a"},
		{"the last message alone", facts{}, []*proto.Event{
			started, said("let me look"), {Type: proto.EvTool, Tool: &proto.Tool{}}, said("it is "), said("so"), done1,
		}, done, "it is so"},
		{"a sub-agent's text is not its", facts{}, []*proto.Event{started, said("a"), {Type: proto.EvText, Text: "child", Agent: "c"}, done1}, done, "a"},
		{"failed", facts{turn: "turn-1"}, []*proto.Event{started, turn("turn-1", proto.TurnEnded, func(t *proto.Turn) { t.Err = "boom" })}, failed, ""},
		{"cancelled", facts{turn: "turn-1"}, []*proto.Event{started, turn("turn-1", proto.TurnEnded, func(t *proto.Turn) { t.StopReason = proto.StopCancelled })}, cancelled, ""},
		{"closing", facts{turn: "turn-1"}, []*proto.Event{started, turn("turn-1", proto.TurnEnded, func(t *proto.Turn) { t.StopReason = proto.StopClosing })}, ended, ""},
		{"an ask", facts{turn: "turn-1"}, []*proto.Event{started, perm}, asking, ""},
		{"an ask that was answered", facts{turn: "turn-1"}, []*proto.Event{started, perm, {Type: proto.EvAsk, Ask: &proto.AskEnd{ID: "p"}}}, pending, ""},
		{"another's turn", facts{turn: "turn-2"}, []*proto.Event{started, done1}, pending, ""},
		{"its own queued row", facts{row: "q-1"}, []*proto.Event{
			row(proto.RowQueued), started, done1, row(proto.RowSent), turn("turn-2", proto.TurnStarted, nil), said("x"),
			turn("turn-2", proto.TurnEnded, func(t *proto.Turn) { t.StopReason = proto.StopEndTurn }),
		}, done, "x"},
		{"its row removed", facts{row: "q-1"}, []*proto.Event{row(proto.RowQueued), started, row(proto.RowRemoved)}, cancelled, ""},
		{"another follows at once", facts{}, []*proto.Event{
			started, turn("turn-1", proto.TurnEnded, func(t *proto.Turn) { t.Next = "turn-2"; t.StopReason = proto.StopEndTurn }),
		}, pending, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &tt.f
			for _, ev := range tt.events {
				f.fold(ev)
			}
			if got := f.settle(); got != tt.want {
				t.Errorf("settled %q, want %q (%+v)", got, tt.want, f)
			}
			if tt.message != "" && f.message.String() != tt.message {
				t.Errorf("message %q, want %q", f.message.String(), tt.message)
			}
		})
	}
	f := &facts{turn: "turn-1", over: true}
	if f.settle() != ended {
		t.Error("a session that is over is waited for")
	}
}

// TestAWaitThatJoinsInMidMessageHasAllOfIt joins behind every event of a turn,
// over a snapshot, as a client does that attaches late.
func TestAWaitThatJoinsInMidMessageHasAllOfIt(t *testing.T) {
	events := []*proto.Event{
		turn("turn-1", proto.TurnStarted, nil), said("let me look"),
		{Type: proto.EvTool, Tool: &proto.Tool{ID: "t"}},
		said("it is "), said("so"),
		{Type: proto.EvDone, StopReason: proto.StopEndTurn},
		turn("turn-1", proto.TurnEnded, func(t *proto.Turn) { t.StopReason = proto.StopEndTurn }),
	}
	for cut := range len(events) + 1 {
		live := transcript.New("inc")
		for i, ev := range events[:cut] {
			live.Fold(uint64(i+1), ev)
		}
		snap, err := live.Cut(uint64(cut)).Encode(0, "")
		if err != nil {
			t.Fatal(err)
		}
		restored, err := transcript.Restore(snap)
		if err != nil {
			t.Fatal(err)
		}
		f := &facts{}
		f.restore(restored)
		for _, ev := range events[cut:] {
			f.fold(ev)
		}
		if got := f.message.String(); got != "it is so" {
			t.Errorf("joined behind %d events: %q", cut, got)
		}
	}
}

func TestAMessageIsCutBetweenCharacters(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "a", 2: "a", 3: "aé", 9: "aéb"} {
		if got := head("aéb", n); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func TestAnAskIsPickedByItsEnd(t *testing.T) {
	open := []proto.AskSummary{{ID: "perm-1"}, {ID: "perm-11"}, {ID: "perm-2"}}
	for word, want := range map[string]string{"head": "perm-1", "perm-1": "perm-1", "2": "perm-2", "1": "", "9": ""} {
		got, err := pick(open, word)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%s: %q %v", word, got, err)
		}
	}
}
