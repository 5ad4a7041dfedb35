package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	ucli "github.com/urfave/cli/v2"
	"pgregory.net/rapid"

	"craze/shared/client"
	"craze/shared/proto"
	"craze/shared/transcript"
)

func endedTurn(id string, change func(*proto.Turn)) *proto.Event {
	return turn(id, proto.TurnEnded, func(t *proto.Turn) {
		t.StopReason = proto.StopEndTurn
		if change != nil {
			change(t)
		}
	})
}

func queued(id, change string) *proto.Event {
	return &proto.Event{Type: proto.EvQueue, QueueChange: change, Queue: &proto.QueueRow{ID: id}}
}

func toolEvent(id, status string) *proto.Event {
	return &proto.Event{Type: proto.EvTool, Tool: &proto.Tool{ID: id, Title: id, Status: status}}
}

func question(id string) *proto.Event {
	return &proto.Event{Type: proto.EvQuestion, Question: &proto.Question{ID: id}}
}

func unasked(id string) *proto.Event {
	return &proto.Event{Type: proto.EvAsk, Ask: &proto.AskEnd{ID: id}}
}

func TestAWaitIsOverWhenItIs(t *testing.T) {
	started := func(id string) *proto.Event { return turn(id, proto.TurnStarted, nil) }
	for _, tt := range []struct {
		name   string
		f      facts
		events []*proto.Event
		want   outcome
		err    string
	}{
		{"its own end before another's ask", facts{turn: "1"}, []*proto.Event{started("1"), endedTurn("1", nil), started("2"), question("q")}, done, ""},
		{"another's ask stands in its way", facts{turn: "2"}, []*proto.Event{started("1"), question("q")}, asking, ""},
		{"the first of two asks answered", facts{}, []*proto.Event{started("1"), question("a"), question("b"), unasked("a")}, asking, ""},
		{"both answered", facts{}, []*proto.Event{started("1"), question("a"), question("b"), unasked("b"), unasked("a")}, pending, ""},
		{"an answer to what was never asked", facts{}, []*proto.Event{started("1"), unasked("x")}, pending, ""},
		{"over in mid-turn", facts{turn: "1", over: true}, []*proto.Event{started("1")}, ended, ""},
		{"over with an ask open", facts{over: true}, []*proto.Event{started("1"), question("q")}, ended, ""},
		{"over behind its turn", facts{turn: "1", over: true}, []*proto.Event{started("1"), endedTurn("1", nil)}, done, ""},
		{"the queue is drained first", facts{}, []*proto.Event{started("1"), queued("r", proto.RowQueued), endedTurn("1", nil)}, pending, ""},
		{"the queue was drained", facts{}, []*proto.Event{
			started("1"), queued("r", proto.RowQueued), endedTurn("1", func(t *proto.Turn) { t.Next = "2" }),
			queued("r", proto.RowSent), started("2"), endedTurn("2", nil),
		}, done, ""},
		{"the last of several tells", facts{}, []*proto.Event{
			started("1"), endedTurn("1", func(t *proto.Turn) { t.Err = "boom" }), started("2"), endedTurn("2", func(t *proto.Turn) { t.StopReason = proto.StopCancelled }),
		}, cancelled, ""},
		{"another's row removed", facts{row: "r"}, []*proto.Event{queued("o", proto.RowQueued), queued("r", proto.RowQueued), queued("o", proto.RowRemoved)}, pending, ""},
		{"another's row sent", facts{row: "r"}, []*proto.Event{
			queued("o", proto.RowQueued), queued("r", proto.RowQueued), queued("o", proto.RowSent), started("1"), endedTurn("1", nil),
		}, pending, ""},
		{"its row's turn failed", facts{row: "r"}, []*proto.Event{
			queued("r", proto.RowQueued), queued("r", proto.RowSent), started("7"), endedTurn("7", func(t *proto.Turn) { t.Err = "boom" }),
		}, failed, "boom"},
		{"a failure of a class alone", facts{turn: "1"}, []*proto.Event{started("1"), endedTurn("1", func(t *proto.Turn) { t.ErrClass = proto.ErrDeadline })}, failed, proto.ErrDeadline},
		{"a failure that was told before", facts{turn: "1"}, []*proto.Event{
			started("1"), {Type: proto.EvError, Err: &proto.EventErr{Message: "no credit"}}, endedTurn("1", func(t *proto.Turn) { t.ErrClass = proto.ErrOther }),
		}, failed, "no credit"},
		{"an error of the turn before", facts{turn: "2"}, []*proto.Event{
			started("1"),
			{Type: proto.EvError, Err: &proto.EventErr{Message: "old"}},
			endedTurn("1", nil),
			started("2"), endedTurn("2", func(t *proto.Turn) { t.ErrClass = proto.ErrOther }),
		}, failed, proto.ErrOther},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &tt.f
			for _, ev := range tt.events {
				f.fold(ev)
			}
			if got := f.settle(); got != tt.want || f.err != tt.err {
				t.Errorf("settled %q (%q), want %q (%q)", got, f.err, tt.want, tt.err)
			}
		})
	}
}

func TestTheMessageIsTheLastTextOrPlan(t *testing.T) {
	thought := &proto.Event{Type: proto.EvThought, Text: "hm"}
	plan := &proto.Event{Type: proto.EvPlan, Plan: &proto.Plan{ID: "p", Plan: "the plan"}}
	of := func(agent string, ev *proto.Event) *proto.Event {
		out := *ev
		out.Agent = agent
		return &out
	}
	for _, tt := range []struct {
		name   string
		events []*proto.Event
		want   string
	}{
		{"nothing", nil, ""},
		{"a thought between", []*proto.Event{said("a"), thought, said("b")}, "b"},
		{"a thought behind", []*proto.Event{said("a"), thought}, "a"},
		{"a tool between", []*proto.Event{said("a"), toolEvent("t", proto.ToolPending), said("b")}, "b"},
		{"a tool that goes on between", []*proto.Event{
			toolEvent("t", proto.ToolPending), said("a"), toolEvent("t", proto.ToolInProgress), said("b"), toolEvent("t", proto.ToolCompleted), said("c"),
		}, "abc"},
		{"a sub-agent's tool between", []*proto.Event{said("a"), of("child", toolEvent("t", proto.ToolPending)), said("b")}, "ab"},
		{"a changed queue between", []*proto.Event{said("a"), queued("r", proto.RowQueued), said("b")}, "ab"},
		{"a plan", []*proto.Event{said("a"), plan}, "the plan"},
		{"text behind a plan", []*proto.Event{said("a"), plan, said("b")}, "b"},
		{"text behind an error", []*proto.Event{said("a"), {Type: proto.EvError, Err: &proto.EventErr{}}, said("b")}, "b"},
		{"the next turn's", []*proto.Event{said("a"), endedTurn("1", nil), turn("2", proto.TurnStarted, nil)}, ""},
	} {
		f := &facts{}
		f.fold(turn("1", proto.TurnStarted, nil))
		for _, ev := range tt.events {
			f.fold(ev)
		}
		if got := f.message.String(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// restored is a snapshot behind some events, as an attach gives it.
func restored(t interface{ Fatal(...any) }, events []*proto.Event) *transcript.State {
	live := transcript.New("inc")
	for i, ev := range events {
		live.Fold(uint64(i+1), ev)
	}
	b, err := live.Cut(uint64(len(events))).Encode(0, "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := transcript.Restore(b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTheMessageIsTheTranscripts compares what a wait gathers, from any place
// in a turn on, with the transcript of all of it.
func TestTheMessageIsTheTranscripts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := []*proto.Event{turn("1", proto.TurnStarted, func(tu *proto.Turn) { tu.Text = "go" })}
		for i := range rapid.IntRange(0, 12).Draw(t, "events") {
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0, 1:
				events = append(events, said(fmt.Sprint(i, " ")))
			case 2:
				events = append(events, &proto.Event{Type: proto.EvThought, Text: "hm"})
			case 3:
				events = append(events, toolEvent(rapid.SampledFrom([]string{"t", "u"}).Draw(t, "tool"), proto.ToolInProgress))
			case 4:
				events = append(events, queued("r", proto.RowQueued), queued("r", proto.RowRemoved))
			}
		}
		cut := rapid.IntRange(1, len(events)).Draw(t, "cut")
		events = append(events, &proto.Event{Type: proto.EvDone, StopReason: proto.StopEndTurn}, endedTurn("1", nil))
		f := &facts{}
		f.restore(restored(t, events[:cut]))
		for _, ev := range events[cut:] {
			f.fold(ev)
		}
		if want := restored(t, events).LastAssistantText(); f.message.String() != want {
			t.Fatalf("%q, want %q", f.message.String(), want)
		}
	})
}

func TestASnapshotSaysWhatRunsWaitsAndAsks(t *testing.T) {
	s := restored(t, []*proto.Event{
		turn("1", proto.TurnStarted, nil), queued("r", proto.RowQueued), queued("s", proto.RowQueued), question("a"), question("b"), unasked("a"),
	})
	f := &facts{running: "old", queued: 9, asks: []string{"old"}}
	f.message.WriteString("old")
	f.restore(s)
	if f.running != "1" || f.queued != 2 || !slices.Equal(f.asks, []string{"b"}) || f.message.String() != "" {
		t.Errorf("%+v", f)
	}
	if f.settle() != asking {
		t.Errorf("settled %q", f.settle())
	}
}

// TestAWaitOutlivesAGap is of a stream that was cut, and goes on over another
// snapshot: what ended in between is never told.
func TestAWaitOutlivesAGap(t *testing.T) {
	rows := []proto.QueueRow{{ID: "r"}}
	for _, tt := range []struct {
		name    string
		f       facts
		rows    []proto.QueueRow
		settles bool // on what the session says of its last turn
	}{
		{"its turn runs still", facts{turn: "1", running: "1"}, nil, false},
		{"its turn has ended", facts{turn: "1"}, nil, true},
		{"its turn has ended and another runs", facts{turn: "1", running: "2"}, nil, false},
		{"its row waits still", facts{row: "r", queued: 1}, rows, false},
		{"its row was sent, and its turn has ended", facts{row: "r"}, nil, true},
		{"its row had been sent before", facts{row: "sent"}, nil, true},
		{"a turn before it had ended", facts{lastTurn: "0", last: done}, nil, true},
	} {
		f := &tt.f
		f.missed(tt.rows)
		if got := f.settle(); got != pending {
			t.Errorf("%s: settled %q on what is not known", tt.name, got)
		}
		if idle := f.turn == "" && f.row == "" && f.running == "" && f.queued == 0; idle != tt.settles {
			t.Errorf("%s: %+v", tt.name, f)
		}
	}
}

func TestAStreamsEndEndsAWait(t *testing.T) {
	boom := errors.New("boom")
	for _, tt := range []struct {
		name string
		f    facts
		err  error
		want outcome
		fail error
	}{
		{"the session ended", facts{turn: "1"}, io.EOF, ended, nil},
		{"the host is gone", facts{turn: "1"}, fmt.Errorf("dial: %w", client.ErrGone), ended, nil},
		{"its turn was over by then", facts{turn: "1", lastTurn: "1", last: failed}, io.EOF, failed, nil},
		{"it cannot be followed", facts{}, boom, pending, boom},
	} {
		got, err := (&app{}).streamEnded(&tt.f, tt.err)
		if got != tt.want || !errors.Is(err, tt.fail) {
			t.Errorf("%s: %q %v", tt.name, got, err)
		}
	}
}

func TestATimeoutBoundsAllOfAWait(t *testing.T) {
	hang := func(c *ucli.Context) error {
		<-c.Context.Done()
		return c.Context.Err()
	}
	for _, tt := range []struct {
		name string
		d    time.Duration
		run  func(*ucli.Context) error
		want error
	}{
		{"it passes", time.Millisecond, hang, exitErr{code: exitTimeout, msg: "the timeout passed; the session goes on"}},
		{"the wait settles as it passes", time.Millisecond, func(c *ucli.Context) error {
			_ = hang(c)
			return exitErr{code: exitFailed}
		}, exitErr{code: exitFailed}},
		{"there is none", 0, func(c *ucli.Context) error {
			if _, ok := c.Context.Deadline(); ok {
				return errors.New("bounded")
			}
			return nil
		}, nil},
		{"another failure", time.Hour, func(*ucli.Context) error { return context.Canceled }, context.Canceled},
	} {
		app := &ucli.App{Flags: waitFlags(), ExitErrHandler: func(*ucli.Context, error) {}, Writer: io.Discard, Action: func(c *ucli.Context) error {
			return timed(c, func() error { return tt.run(c) })
		}}
		if err := app.RunContext(t.Context(), []string{"x", "--timeout", tt.d.String()}); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
