package session

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"craze/craze-host/agent"
	"craze/shared/proto"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// told is what a step decided, a short line an effect.
func told(effects []effect) []string {
	var out []string
	for _, e := range effects {
		switch e.kind {
		case emit:
			out = append(out, "emit "+short(e.ev))
		case reply:
			out = append(out, "reply "+shortAnswer(e.answer))
		case agentPrompt:
			out = append(out, fmt.Sprintf("agent prompt %s %q", e.turn, e.text))
		case agentTell:
			out = append(out, fmt.Sprintf("agent tell %s %q cancelled=%v", e.ask, e.reply.OptionID, e.reply.Cancelled))
		case index, note:
			continue // side records, checked by their own tests
		default:
			out = append(out, string(e.kind))
		}
	}
	return out
}

func short(ev proto.Event) string {
	s := string(ev.Type)
	switch {
	case ev.Turn != nil:
		s += fmt.Sprintf(" %s %s%s%s", ev.Turn.ID, ev.Turn.Phase, opt(" next=", ev.Turn.Next), opt(" stop=", ev.Turn.StopReason))
	case ev.Queue != nil:
		s += fmt.Sprintf(" %s %s", ev.QueueChange, ev.Queue.ID)
	case ev.Ask != nil:
		s += fmt.Sprintf(" %s %s by %s", ev.Ask.ID, ev.Ask.Outcome, ev.Ask.By)
	case ev.Err != nil:
		s += " " + ev.Err.Message
	case ev.StopReason != "":
		s += " " + ev.StopReason
	case ev.Text != "":
		s += " " + ev.Text
	}
	return s + opt(" cause=", ev.Cause)
}

func opt(label, v string) string {
	if v == "" {
		return ""
	}
	return label + v
}

func shortAnswer(a answer) string {
	switch r := a.result.(type) {
	case *proto.PromptResult:
		if r.Queued != nil {
			return "queued " + r.Queued.ID
		}
		return "turn " + r.Turn
	case *proto.CancelResult:
		return "cancel " + r.Outcome + " " + r.Turn
	case *proto.Empty:
		return "ok"
	}
	if e, ok := a.err.(*proto.Error); ok {
		return string(e.Data.Code) + "/" + string(e.Data.Reason)
	}
	return fmt.Sprint(a.err)
}

// world is a state and the inputs of one test.
type world struct {
	st   state
	next int
}

func begun(mode string) *world {
	w := &world{st: newState(proto.Info{Incarnation: "inc", PermissionMode: mode, StartedAt: noon})}
	stepAgent(&w.st, agent.Ready{ProviderSessionID: "p-1"}, noon, nil)
	return w
}

func (w *world) do(b Body) []string {
	w.next++
	return w.again(b, w.next)
}

func (w *world) again(b Body, id int) []string {
	c := command{Command: Command{Client: "c-1", ID: fmt.Sprint(id), Hash: hashOf(b), Body: b}, out: make(chan answer, 1)}
	return told(stepCommand(&w.st, c, noon, nil))
}

func hashOf(b Body) uint64 {
	var h uint64
	for _, r := range fmt.Sprintf("%T%v", b, b) {
		h = h*31 + uint64(r)
	}
	return h
}

func (w *world) says(u agent.Update) []string { return told(stepAgent(&w.st, u, noon, nil)) }

func check(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func permission(id string) agent.Asked {
	return agent.Asked{ID: id, Kind: proto.AskPermission, Body: proto.AskBody{Permission: &proto.Permission{
		ID: id, Tool: &proto.Tool{ToolName: "Shell", Title: "rm -rf x"},
		Options: []proto.Option{{OptionID: "no", Kind: proto.OptRejectOnce}, {OptionID: "yes", Kind: proto.OptAllowOnce}},
	}}}
}

func TestAPromptStartsATurnAndItsEndIsTold(t *testing.T) {
	w := begun(proto.PermPrompt)
	check(t, w.do(Prompt{"one"}), "emit turn turn-1 started cause=c-1/1", `agent prompt turn-1 "one"`, "reply turn turn-1")
	check(t, w.says(agent.Text{Kind: proto.EvText, Text: "hi"}), "emit text hi")
	check(t, w.says(agent.TurnEnded{Turn: "turn-1", StopReason: proto.StopEndTurn}),
		"emit done end_turn cause=c-1/1", "emit turn turn-1 ended stop=end_turn cause=c-1/1")
	if w.st.last.Outcome != proto.TurnDone || w.st.activity() != proto.ActIdle {
		t.Errorf("last %+v, activity %s", w.st.last, w.st.activity())
	}
}

func TestAPromptWhileOneRunsWaitsAndFollows(t *testing.T) {
	w := begun(proto.PermPrompt)
	w.do(Prompt{"one"})
	check(t, w.do(Prompt{"two"}), "emit queue queued q-1 cause=c-1/2", "reply queued q-1")
	check(t, w.says(agent.TurnEnded{Turn: "turn-1", StopReason: proto.StopEndTurn}),
		"emit done end_turn cause=c-1/1", "emit turn turn-1 ended next=turn-2 stop=end_turn cause=c-1/1",
		"emit queue sent q-1 cause=c-1/2", "emit turn turn-2 started cause=c-1/2", `agent prompt turn-2 "two"`)
}

func TestTheQueueIsBounded(t *testing.T) {
	w := begun(proto.PermPrompt)
	w.do(Prompt{"one"})
	check(t, w.do(Prompt{strings.Repeat("x", proto.QueueTextMax+1)}), "reply text_too_long/text_too_long")
	for range proto.QueueRows {
		w.do(Prompt{"more"})
	}
	check(t, w.do(Prompt{"one too many"}), "reply queue_full/queue_full")
}

func TestAFailedTurnClearsTheQueueOnTheStream(t *testing.T) {
	w := begun(proto.PermPrompt)
	w.do(Prompt{"one"})
	w.do(Prompt{"two"})
	check(t, w.says(agent.TurnEnded{Turn: "turn-1", Err: &proto.EventErr{Message: "boom", Class: proto.ErrRPC}}),
		"emit error boom cause=c-1/1", "emit queue removed q-1 cause=c-1/2", "emit turn turn-1 ended cause=c-1/1")
	if w.st.kind() != kindFailed {
		t.Errorf("kind %s", w.st.kind())
	}
}

func TestACancelEndsTheAsksThenTheTurnAndKeepsTheQueue(t *testing.T) {
	w := begun(proto.PermPrompt)
	w.do(Prompt{"one"})
	w.do(Prompt{"two"})
	check(t, w.says(permission("p")), "emit permission")
	check(t, w.do(Cancel{}), "emit ask p cancelled by cancel cause=c-1/3", `agent tell p "" cancelled=true`, "agent_cancel",
		"reply cancel requested turn-1")
	check(t, w.do(Cancel{}), "reply cancel requested turn-1")
	check(t, w.do(Cancel{TurnID: "turn-9"}), "reply stale_turn/stale_turn")
	check(t, w.says(agent.TurnEnded{Turn: "turn-1", StopReason: proto.StopCancelled}),
		"emit done cancelled cause=c-1/1", "emit turn turn-1 ended next=turn-2 stop=cancelled cause=c-1/1",
		"emit queue sent q-1 cause=c-1/2", "emit turn turn-2 started cause=c-1/2", `agent prompt turn-2 "two"`)
}

func TestACancelWithNothingRunningIsRefusedWithItsFacts(t *testing.T) {
	w := begun(proto.PermPrompt)
	check(t, w.do(Cancel{}), "reply not_accepting/not_accepting")
	_, a := stepCancel(&w.st, Cancel{}, "c", noon, nil)
	if got := string(a.err.(*proto.Error).Data.Result); got != `{"outcome":"unknown","turn":"","reported":false}` {
		t.Errorf("data.result %s", got)
	}
}

func TestTheFirstAnswerWinsAndTheSecondIsTold(t *testing.T) {
	w := begun(proto.PermPrompt)
	w.do(Prompt{"one"})
	w.says(permission("p"))
	if w.st.kind() != kindNeedsYou {
		t.Errorf("kind %s", w.st.kind())
	}
	check(t, w.do(Answer{"p", proto.Answer{OptionID: "maybe"}}), "reply bad_request/bad_answer")
	check(t, w.do(Answer{"p", proto.Answer{Skip: true}}), "reply bad_request/bad_answer")
	check(t, w.do(Answer{"p", proto.Answer{OptionID: "yes"}}),
		"emit ask p answered by client cause=c-1/4", `agent tell p "yes" cancelled=false`, "reply ok")
	check(t, w.do(Answer{"p", proto.Answer{OptionID: "no"}}), "reply already_resolved/already_resolved")
	check(t, w.do(Answer{"q", proto.Answer{OptionID: "no"}}), "reply unknown_ask/unknown_ask")
}

func TestBypassAnswersAPermissionItself(t *testing.T) {
	w := begun(proto.PermBypass)
	w.do(Prompt{"one"})
	check(t, w.says(permission("p")), "emit ask p automatic by policy", `agent tell p "yes" cancelled=false`)
}

func TestATurnsEndEndsTheAsksItLeft(t *testing.T) {
	w := begun(proto.PermPrompt)
	w.do(Prompt{"one"})
	w.says(permission("p"))
	check(t, w.says(agent.TurnEnded{Turn: "turn-1", StopReason: proto.StopEndTurn}),
		"emit ask p turn_ended by turn", `agent tell p "" cancelled=true`,
		"emit done end_turn cause=c-1/1", "emit turn turn-1 ended stop=end_turn cause=c-1/1")
}

func TestAResendIsAnsweredFromTheTable(t *testing.T) {
	w := begun(proto.PermPrompt)
	first := w.do(Prompt{"one"})
	check(t, w.again(Prompt{"one"}, 1), first[len(first)-1])
	check(t, w.again(Prompt{"other"}, 1), "reply bad_request/bad_request")
	w.do(Prompt{"two"})
	for i := range proto.ReceiptsMax {
		w.st.receipts.store(Command{Client: "c-2", ID: fmt.Sprint(i + 1)}, answer{}, noon)
	}
	check(t, w.again(Prompt{"one"}, 1), "reply unknown_command/unknown_command")
}

func TestWhatRanNothingIsNotStored(t *testing.T) {
	w := &world{st: newState(proto.Info{})}
	check(t, w.do(Prompt{"early"}), "reply not_accepting/not_accepting")
	stepAgent(&w.st, agent.Ready{}, noon, nil)
	check(t, w.again(Prompt{"early"}, 1), "emit turn turn-1 started cause=c-1/1", `agent prompt turn-1 "early"`, "reply turn turn-1")
}

func TestAnAgentThatExitsFailsItsTurnAndTheSessionStays(t *testing.T) {
	w := begun(proto.PermPrompt)
	w.do(Prompt{"one"})
	gone := &proto.EventErr{Message: "agent exited: signal: killed", Class: proto.ErrAgentExitStatus}
	check(t, w.says(agent.Exited{Err: gone}),
		"emit error agent exited: signal: killed cause=c-1/1", "emit turn turn-1 ended cause=c-1/1")
	check(t, w.do(Prompt{"two"}), "reply not_accepting/not_accepting")
	if w.st.activity() != proto.ActError || w.st.kind() != kindFailed {
		t.Errorf("activity %s, kind %s", w.st.activity(), w.st.kind())
	}
}

func TestAStartThatFailsIsToldOnceAndOpensTheGate(t *testing.T) {
	w := &world{st: newState(proto.Info{})}
	check(t, w.says(agent.StartFailed{Err: proto.EventErr{Message: "no binary"}}), "emit error no binary", "opened")
	check(t, w.says(agent.Exited{}))
	check(t, w.do(Prompt{"x"}), "reply not_accepting/not_accepting")
}

func TestAnEndingThatComesLateChangesNothing(t *testing.T) {
	w := begun(proto.PermPrompt)
	w.do(Prompt{"one"})
	w.says(agent.TurnEnded{Turn: "turn-1", StopReason: proto.StopEndTurn})
	check(t, w.says(agent.TurnEnded{Turn: "turn-1", StopReason: proto.StopEndTurn}))
	check(t, w.says(agent.Text{Kind: proto.EvText, Text: "late"}), "emit text late")
}

func TestACloseEndsEverythingOnTheStream(t *testing.T) {
	w := begun(proto.PermPrompt)
	w.do(Prompt{"one"})
	w.says(permission("p"))
	check(t, told(stepClose(&w.st, noon, nil)),
		"emit ask p closing by close", `agent tell p "" cancelled=true`,
		"emit turn turn-1 ended stop=closing cause=c-1/1", "agent_cancel", "opened", "log_end", "agent_close")
	check(t, told(stepClose(&w.st, noon, nil)))
	check(t, w.do(Prompt{"x"}), "reply not_accepting/not_accepting")
	check(t, w.do(Cancel{}), "reply not_accepting/not_accepting")
	check(t, w.says(permission("late")), `agent tell late "" cancelled=true`)
	check(t, w.says(agent.Exited{}))
	if !w.st.over() {
		t.Error("the session is not over")
	}
}

func TestTheShownStateKeepsItsTimeAcrossADrain(t *testing.T) {
	w := begun(proto.PermPrompt)
	w.st.noteState(noon)
	w.do(Prompt{"one"})
	w.do(Prompt{"two"})
	w.st.noteState(noon.Add(time.Second))
	w.says(agent.TurnEnded{Turn: "turn-1", StopReason: proto.StopEndTurn})
	w.st.noteState(noon.Add(time.Minute))
	if want := noon.Add(time.Second); w.st.since != want {
		t.Errorf("since %v, want %v", w.st.since, want)
	}
}
