package cli

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"craze/shared/client"
	"craze/shared/proto"
	"craze/shared/text"
)

const evil = "a\x1b]52;c;eA==\x07b\x9b31m\u202ec\x1b[2J"

// capture is a run whose output is kept.
func capture() (a *app, out, err *bytes.Buffer) {
	out, err = &bytes.Buffer{}, &bytes.Buffer{}
	return &app{env: Env{Stdout: out, Stderr: err, Getenv: func(string) string { return "" }}}, out, err
}

func TestAFailureIsOneCleanLine(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		code int
		want string
	}{
		{"none", nil, exitDone, ""},
		{"one that was told already", exitErr{code: exitCancelled}, exitCancelled, ""},
		{"of two lines", errors.New("one\ntwo"), exitError, "craze: one: two\n"},
		{"with what a terminal obeys", errors.New("agent: " + evil), exitError, "craze: agent: abc\n"},
		{"a refusal", proto.RefuseOne(proto.CodeQueueFull, "full\x1b[2J"), exitError, "craze: full\n"},
		{"usage", usage("takes %d", 1), exitUsage, "craze: takes 1\n"},
	} {
		a, out, err := capture()
		if code := a.exit(tt.err); code != tt.code || out.Len() > 0 || err.String() != tt.want {
			t.Errorf("%s: exit %d, %q, %q", tt.name, code, out, err)
		}
	}
}

func TestAFailureAsJSONIsARefusalWhole(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		code proto.Code
	}{
		{"the host's", errors.Join(errors.New("send"), proto.RefuseOne(proto.CodeQueueFull, "full")), proto.CodeQueueFull},
		{"our own", errors.New("boom"), proto.CodeFailed},
	} {
		a, out, err := capture()
		a.json = true
		code := a.exit(tt.err)
		var got failure
		if uerr := json.Unmarshal(out.Bytes(), &got); uerr != nil || got.Error == nil || got.Error.Data.Code != tt.code {
			t.Errorf("%s: %v %q", tt.name, uerr, out)
		}
		if code != exitError || err.Len() > 0 || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%s: exit %d, %q", tt.name, code, err)
		}
	}
}

func TestHowAWaitEndedIsShown(t *testing.T) {
	ask := &proto.Ask{ID: "p", Kind: proto.AskPlan, Body: proto.AskBody{Plan: &proto.Plan{Name: "n", Plan: "p"}}}
	for _, tt := range []struct {
		name     string
		r        result
		out, err string
	}{
		{"done", result{Outcome: done, Message: "hi " + evil}, "hi abc\n", ""},
		{"done in silence", result{Outcome: done}, "", ""},
		{"a long message", result{Outcome: done, Message: "head", Truncated: true, File: "/f.md"}, "head\n(the whole message is in /f.md)\n", ""},
		{"failed", result{Outcome: failed, Message: "half", Err: "boom " + evil}, "half\n", "craze: the turn failed: boom abc\n"},
		{"cancelled", result{Outcome: cancelled}, "", "craze: the turn was cancelled\n"},
		{"ended", result{Outcome: ended}, "", "craze: the session has ended\n"},
		{"gone", result{Outcome: ended, Err: "the session's host is gone"}, "", "craze: the session's host is gone\n"},
		{"an ask", result{Outcome: asking, Ask: ask}, "plan p asks:\nn\np\nanswer with: craze answer 23456789 p --accept or --reject\n", ""},
	} {
		a, out, err := capture()
		a.show(&target{id: "session-123456789"}, tt.r)
		if diff := cmp.Diff([]string{tt.out, tt.err}, []string{out.String(), err.String()}); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	a, out, err := capture()
	a.json = true
	a.show(&target{id: "s"}, result{Session: "s", Turn: "t", Outcome: cancelled, Message: "m"})
	if want := `{"session":"s","turn":"t","outcome":"cancelled","message":"m","truncated":false}` + "\n"; out.String() != want || err.Len() > 0 {
		t.Errorf("%q %q", out, err)
	}
}

func TestALogReadsAsItGrows(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []*proto.Event
		want   string
	}{
		{"a turn", []*proto.Event{
			turn("1", proto.TurnStarted, func(t *proto.Turn) { t.Text = "go\non" }),
			{Type: proto.EvThought, Text: "hm"},
			said("I "), said("see"),
			toolEvent("List", proto.ToolPending), toolEvent("List", proto.ToolInProgress), toolEvent("List", proto.ToolCompleted), said("two"), endedTurn("1", nil),
		}, "> go\n> on\n~ hm\nI see\n* List [pending]\n* List [completed]\ntwo\n"},
		{"what prints nothing parts no text", []*proto.Event{
			said("it is "), queued("r", proto.RowQueued), toolEvent("t", proto.ToolInProgress), said("so"), endedTurn("1", nil),
		}, "it is so\n"},
		{"a sub-agent's own", []*proto.Event{said("a"), {Type: proto.EvText, Agent: "c", Text: "child"}, said("b")}, "ab\n"},
		{
			"an ask",
			[]*proto.Event{said("a"), question("q"), {Type: proto.EvAsk, Ask: &proto.AskEnd{ID: "q", Outcome: proto.OutcomeAnswered, By: proto.ByClient}}},
			"a\n? the session asks: craze asks shows it\n? " + string(proto.OutcomeAnswered) + " by " + string(proto.ByClient) + "\n",
		},
		{"an ask nobody had to answer", []*proto.Event{{Type: proto.EvAsk, Ask: &proto.AskEnd{ID: "q", Outcome: proto.OutcomeAutomatic}}}, ""},
		{"an error", []*proto.Event{said("a"), {Type: proto.EvError, Err: &proto.EventErr{Message: evil + "\nmore"}}}, "a\n! abc\n"},
		{"a cancel", []*proto.Event{said("a"), {Type: proto.EvDone, StopReason: proto.StopCancelled}}, "a\n- cancelled\n"},
		{"escapes over two chunks", []*proto.Event{said("a\x1b"), said("[2Jb\x07")}, "a[2Jb\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, out, err := capture()
			p := &printer{a: a}
			for _, ev := range tt.events {
				p.event(client.Event{Event: *ev})
			}
			if ferr := p.finish(io.EOF); ferr != nil {
				t.Error(ferr)
			}
			if diff := cmp.Diff(tt.want, out.String()); diff != "" || err.Len() > 0 || out.String() != text.Clean(out.String()) {
				t.Errorf("%s\nstderr %q", diff, err)
			}
		})
	}
}

func TestALogBeginsWithTheTranscriptSoFar(t *testing.T) {
	s := restored(t, []*proto.Event{
		turn("1", proto.TurnStarted, func(t *proto.Turn) { t.Text = "go" }), said("one"), {Type: proto.EvDone, StopReason: proto.StopEndTurn}, endedTurn("1", nil),
	})
	a, out, err := capture()
	p := &printer{a: a}
	p.restored(s)
	if out.String() != "> go\none\n" || err.Len() > 0 {
		t.Errorf("%q %q", out, err)
	}
	p.restored(s) // over a gap
	if out.String() != "> go\none\n> go\none\n" || !strings.Contains(err.String(), "was cut") {
		t.Errorf("%q %q", out, err)
	}
	if e, ok := errors.AsType[exitErr](p.finish(client.ErrGone)); !ok || e.code != exitEnded {
		t.Errorf("%+v", e)
	}
}

func TestALogAsJSONIsALineEach(t *testing.T) {
	a, out, _ := capture()
	a.json = true
	p := &printer{a: a}
	p.restored(restored(t, []*proto.Event{said("one")}))
	p.event(client.Event{Seq: 7, Event: *said("x"), Body: []byte(`{"type":"text","text":"x"}`)})
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], `{"entry":{`) || lines[1] != `{"seq":7,"event":{"type":"text","text":"x"}}` {
		t.Errorf("%q", lines)
	}
}

func TestAPromptIsItsWordsOrStdin(t *testing.T) {
	for _, tt := range []struct {
		name  string
		words []string
		stdin string
		tty   bool
		want  string
		fails bool
	}{
		{"words", []string{"a", "b  c"}, "not read", false, "a b  c", false},
		{"stdin", nil, " two\nlines \n", false, "two\nlines", false},
		{"a terminal is not read", nil, "typed", true, "", false},
		{"all that fits", nil, strings.Repeat("x", stdinMax), false, strings.Repeat("x", stdinMax), false},
		{"too much", nil, strings.Repeat("x", stdinMax+1), false, "", true},
	} {
		a := &app{env: Env{Stdin: strings.NewReader(tt.stdin), StdinTTY: tt.tty}}
		if got, err := a.prompt(tt.words); got != tt.want || (err != nil) != tt.fails {
			t.Errorf("%s: %d bytes, %v", tt.name, len(got), err)
		}
	}
}
