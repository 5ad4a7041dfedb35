package ui

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"craze/craze-tui/internal/feed"
	"craze/craze-tui/internal/view"
	"craze/shared/client"
	"craze/shared/proto"
	"craze/shared/transcript"
)

// calls records what the view asked of its session.
type calls struct {
	log  []string
	fail error
}

func (c *calls) did(s string) error { c.log = append(c.log, s); return c.fail }

func (c *calls) Prompt(_ context.Context, text string) (proto.PromptResult, error) {
	return proto.PromptResult{}, c.did("prompt " + text)
}

func (c *calls) Cancel(context.Context, string) (proto.CancelResult, error) {
	return proto.CancelResult{}, c.did("cancel")
}

func (c *calls) Answer(_ context.Context, ask string, a proto.Answer) error {
	return c.did("answer " + ask + " " + a.OptionID)
}
func (c *calls) Stop(context.Context) error { return c.did("stop") }

// screen is a model with a session and a clock of the test's own.
type screen struct {
	t    *testing.T
	m    *Model
	c    *calls
	now  time.Time
	seq  uint64
	quit bool
}

func start(t *testing.T) *screen {
	s := &screen{t: t, c: &calls{}, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	s.m = New(s.c, view.Styles{})
	s.m.Now = func() time.Time { return s.now }
	s.send(tea.WindowSizeMsg{Width: 60, Height: 15})
	s.send(feed.Batch{Items: []client.Item{client.Restored{State: transcript.New("inc"), Ready: true}}})
	return s
}

// send gives the model a message, and runs what it answers.
func (s *screen) send(msg tea.Msg) {
	_, cmd := s.m.Update(msg)
	if cmd == nil {
		return
	}
	switch out := cmd().(type) {
	case tea.QuitMsg:
		s.quit = true
	case sent, failed, stopped:
		s.send(out)
	}
}

func (s *screen) event(ev proto.Event) {
	s.seq++
	s.send(feed.Batch{Items: []client.Item{client.Event{Seq: s.seq, Event: ev}}})
}

func (s *screen) keys(words ...string) {
	special := map[string]tea.KeyMsg{
		"enter": {Type: tea.KeyEnter}, "esc": {Type: tea.KeyEsc}, "ctrl+c": {Type: tea.KeyCtrlC}, "ctrl+d": {Type: tea.KeyCtrlD},
		"ctrl+j": {Type: tea.KeyCtrlJ}, "back": {Type: tea.KeyBackspace}, "space": {Type: tea.KeySpace, Runes: []rune{' '}},
		"alt+enter": {Type: tea.KeyEnter, Alt: true},
	}
	for _, w := range words {
		k, ok := special[w]
		if !ok {
			k = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(w)}
		}
		s.send(k)
	}
}

func (s *screen) did(want ...string) {
	s.t.Helper()
	if diff := cmp.Diff(want, s.c.log); diff != "" {
		s.t.Error(diff)
	}
	s.c.log = nil
}

func (s *screen) working() {
	s.event(proto.Event{Type: proto.EvTurn, Turn: &proto.Turn{ID: "turn-1", Phase: proto.TurnStarted, Text: "go"}})
}

func (s *screen) asks(id string) {
	s.event(proto.Event{Type: proto.EvPermission, Permission: &proto.Permission{ID: id, Options: []proto.Option{
		{OptionID: "once", Kind: proto.OptAllowOnce}, {OptionID: "no", Kind: proto.OptRejectOnce},
	}}})
}

func TestWhatIsTypedIsSent(t *testing.T) {
	s := start(t)
	s.keys("hi", "space", "thexe", "back", "back", "re", "ctrl+j", "two", "enter")
	s.did("prompt hi there\ntwo")
	s.keys("enter")
	s.did()
}

func TestEscapeCancelsOnlyATurn(t *testing.T) {
	s := start(t)
	s.keys("esc")
	s.did()
	s.working()
	s.keys("esc")
	s.did("cancel")
}

func TestCtrlCCancelsThenQuits(t *testing.T) {
	s := start(t)
	s.working()
	s.keys("ctrl+c")
	s.did("cancel")
	s.now = s.now.Add(2 * time.Second)
	s.keys("ctrl+c") // too late to be a second one
	s.did("cancel")
	s.keys("ctrl+c")
	s.did("stop")
	if !s.quit || !s.m.Quit.Ended {
		t.Errorf("quit %v, %+v", s.quit, s.m.Quit)
	}
}

func TestWaysToQuitEndTheSession(t *testing.T) {
	for _, keys := range [][]string{{"ctrl+c"}, {"ctrl+d"}, {"/exit", "enter"}} {
		s := start(t)
		s.keys(keys...)
		s.did("stop")
		if !s.quit {
			t.Errorf("%v: did not quit", keys)
		}
	}
	s := start(t)
	s.c.fail = errors.New("no answer")
	s.keys("ctrl+d")
	if s.quit || !strings.Contains(s.m.View(), "could not be ended") {
		t.Errorf("a stop that failed: quit %v\n%s", s.quit, s.m.View())
	}
}

func TestACardIsAnsweredWithWhatItOffers(t *testing.T) {
	s := start(t)
	s.working()
	s.asks("p")
	s.keys("a") // typed before it could be read
	s.did()
	s.now = s.now.Add(cardGrace)
	s.keys("A", "x", "enter") // not offered
	s.did()
	s.keys("n")
	s.did("answer p no")
	s.keys("a")
	s.did("answer p once")
	s.keys("esc")
	s.did("cancel")
}

func TestACardAnsweredElsewhereGoes(t *testing.T) {
	s := start(t)
	s.working()
	s.asks("p")
	s.asks("q")
	s.now = s.now.Add(cardGrace)
	s.event(proto.Event{Type: proto.EvAsk, Ask: &proto.AskEnd{ID: "p", Outcome: proto.OutcomeAnswered, By: proto.ByClient}})
	s.keys("a") // the next one has just come to the top
	s.did()
	s.event(proto.Event{Type: proto.EvAsk, Ask: &proto.AskEnd{ID: "q"}})
	if strings.Contains(s.m.View(), "allow this?") {
		t.Errorf("%s", s.m.View())
	}
}

func TestARefusalIsShown(t *testing.T) {
	s := start(t)
	s.c.fail = proto.RefuseOne(proto.CodeQueueFull, "32 prompts wait already")
	s.keys("hi", "enter")
	if !strings.Contains(s.m.View(), "32 prompts wait") {
		t.Errorf("%s", s.m.View())
	}
}

func TestAPromptThatWasRefusedIsInTheComposerAgain(t *testing.T) {
	s := start(t)
	s.c.fail = errors.New("still starting")
	s.keys("hi", "ctrl+j", "there", "enter")
	s.c.log, s.c.fail = nil, nil
	s.keys("enter")
	s.did("prompt hi\nthere")
}

func TestASessionIsStartingUntilItIsReady(t *testing.T) {
	s := start(t)
	s.send(feed.Batch{Items: []client.Item{client.Restored{State: transcript.New("inc")}}})
	if !strings.Contains(s.m.View(), "starting") {
		t.Errorf("%s", s.m.View())
	}
	s.send(feed.Batch{Items: []client.Item{client.Ready{}}})
	if !strings.Contains(s.m.View(), "idle") {
		t.Errorf("%s", s.m.View())
	}
}

func TestALostConnectionIsShownAndItsEndQuits(t *testing.T) {
	s := start(t)
	s.send(feed.Batch{Items: []client.Item{client.Lost{}}})
	if !strings.Contains(s.m.View(), "reconnecting") {
		t.Errorf("%s", s.m.View())
	}
	s.send(feed.Batch{Items: []client.Item{client.Synced{}}})
	if strings.Contains(s.m.View(), "reconnecting") {
		t.Errorf("%s", s.m.View())
	}
	s.send(feed.Batch{Err: client.ErrGone})
	if !s.quit || !errors.Is(s.m.Quit.Err, client.ErrGone) {
		t.Errorf("quit %v, %+v", s.quit, s.m.Quit)
	}
	s = start(t)
	s.send(feed.Batch{Items: []client.Item{client.Ended{}}, Err: io.EOF})
	if !s.quit || s.m.Quit.Err != nil || !s.m.Quit.Ended {
		t.Errorf("quit %v, %+v", s.quit, s.m.Quit)
	}
}
