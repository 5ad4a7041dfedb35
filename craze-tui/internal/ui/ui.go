// Package ui is the one Bubble Tea model of craze: what is on the screen, what
// a key does, and when to quit.
//
// Update never waits: what takes time is a command, and its answer a message.
// The model is owned by Bubble Tea's own loop, which calls everything here; a
// transcript is folded only there. Keys that were typed before a card appeared,
// or within cardGrace of it, are not taken as its answer.
package ui

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"craze/craze-tui/internal/feed"
	"craze/craze-tui/internal/view"
	"craze/shared/client"
	"craze/shared/proto"
	"craze/shared/transcript"
)

const (
	// cardGrace is how long after a card appears its keys are not taken: they
	// were meant for what was there before.
	cardGrace = 300 * time.Millisecond
	// quitGrace is how long a second Ctrl+C means quit.
	quitGrace = time.Second
	// callWait bounds a call that the host answers from memory.
	callWait = 20 * time.Second
	// pageLines is how far a page scrolls; the wheel goes wheelLines.
	pageLines  = 10
	wheelLines = 3
)

// Session is what the view asks of the session it shows.
type Session interface {
	Prompt(ctx context.Context, text string) (proto.PromptResult, error)
	Cancel(ctx context.Context, turn string) (proto.CancelResult, error)
	Answer(ctx context.Context, ask string, a proto.Answer) error
	Stop(ctx context.Context) error
}

// Messages of the model's own.
type (
	// failed says a call was refused; draft is the text it would have sent.
	failed struct {
		err   error
		draft string
	}
	// sent says a call was taken.
	sent struct{}
	// stopped says the session's end has been taken, or cannot be.
	stopped struct{ err error }
	// tick redraws the clock.
	tick time.Time
)

// Model is the screen.
type Model struct {
	Session Session
	Styles  view.Styles
	Now     func() time.Time

	info   proto.Info
	state  *transcript.State
	cache  view.Cache
	width  int
	height int
	scroll int
	draft  []string
	note   string
	asked  time.Time // when the top card appeared
	askID  string
	ctrlC  time.Time
	turnAt time.Time
	lost   bool
	ready  bool // the session's start is over

	// Quit is why the view closed.
	Quit Quit
}

// Quit is why the view closed.
type Quit struct {
	Ended bool  // the session is over
	Err   error // the session could not be followed any more
}

// New makes the screen of a session.
func New(s Session, styles view.Styles) *Model {
	return &Model{Session: s, Styles: styles, Now: time.Now, draft: []string{""}}
}

// Init starts the clock.
func (m *Model) Init() tea.Cmd { return clock() }

func clock() tea.Cmd { return tea.Tick(time.Second, func(t time.Time) tea.Msg { return tick(t) }) }

// Update takes one message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case feed.Batch:
		return m, m.batch(msg)
	case tea.KeyMsg:
		return m, m.key(msg)
	case tea.MouseMsg:
		m.wheel(msg)
	case failed:
		m.note = msg.err.Error()
		if msg.draft != "" && len(m.draft) == 1 && m.draft[0] == "" {
			m.draft = strings.Split(msg.draft, "\n") // what was not taken is not lost
		}
	case sent:
		m.note = ""
	case stopped:
		if msg.err != nil {
			m.note = "the session could not be ended: " + msg.err.Error()
			return m, nil
		}
		m.Quit.Ended = true
		return m, tea.Quit
	case tick:
		return m, clock()
	}
	return m, nil
}

// batch folds what came.
func (m *Model) batch(b feed.Batch) tea.Cmd {
	for _, it := range b.Items {
		switch it := it.(type) {
		case client.Restored:
			m.info, m.state, m.cache, m.lost, m.ready = it.Info, it.State, view.Cache{}, false, it.Ready
		case client.Event:
			m.fold(it)
		case client.Synced:
			m.lost = false
		case client.Ready:
			m.info, m.ready = it.Info, true
			if it.StartFailed {
				m.note = it.Err
			}
		case client.Lost:
			m.lost = true
		case client.Ended:
			m.Quit.Ended = true
		}
	}
	m.watchCard()
	if b.Err != nil {
		if !m.Quit.Ended {
			m.Quit.Err = b.Err
		}
		return tea.Quit
	}
	return nil
}

func (m *Model) fold(it client.Event) {
	if m.state == nil {
		return
	}
	m.state.Fold(it.Seq, &it.Event)
	if t := it.Event.Turn; t != nil && t.Phase == proto.TurnStarted {
		m.turnAt = m.Now()
	}
}

// watchCard notes when another ask comes to the top.
func (m *Model) watchCard() {
	id := ""
	if a := m.ask(); a != nil {
		id = a.ID
	}
	if id != m.askID {
		m.askID, m.asked = id, m.Now()
	}
}

// ask is the ask on top, or nil.
func (m *Model) ask() *proto.Ask {
	if m.state == nil {
		return nil
	}
	open := m.state.Asks()
	if len(open) == 0 {
		return nil
	}
	return &proto.Ask{ID: open[0].ID, Kind: open[0].Kind, Body: open[0].Body}
}

func (m *Model) working() bool {
	if m.state == nil {
		return false
	}
	_, ok := m.state.Turn()
	return ok
}

func (m *Model) wheel(msg tea.MouseMsg) {
	switch msg.Button {
	case tea.MouseButtonWheelUp:
		m.scroll += wheelLines
	case tea.MouseButtonWheelDown:
		m.scroll = max(0, m.scroll-wheelLines)
	}
}

// key does what a key does: what quits first, then the card, then the
// composer.
func (m *Model) key(k tea.KeyMsg) tea.Cmd {
	switch k.Type {
	case tea.KeyCtrlC:
		return m.interrupt()
	case tea.KeyCtrlD:
		return m.quit()
	case tea.KeyPgUp:
		m.scroll += pageLines
		return nil
	case tea.KeyPgDown:
		m.scroll = max(0, m.scroll-pageLines)
		return nil
	}
	if a := m.ask(); a != nil {
		return m.cardKey(k, a)
	}
	switch {
	case k.Type == tea.KeyEsc:
		if m.working() {
			return m.cancel()
		}
	case k.Type == tea.KeyEnter && !k.Alt:
		return m.submit()
	case k.Type == tea.KeyCtrlJ, k.Type == tea.KeyEnter:
		m.draft = append(m.draft, "")
	case k.Type == tea.KeyBackspace:
		m.erase()
	case k.Type == tea.KeySpace:
		m.typed(" ")
	case k.Type == tea.KeyRunes:
		m.typed(string(k.Runes))
	}
	return nil
}

func (m *Model) typed(s string) {
	for i, part := range strings.Split(strings.ReplaceAll(s, "\r", "\n"), "\n") {
		if i > 0 {
			m.draft = append(m.draft, "")
		}
		m.draft[len(m.draft)-1] += part
	}
}

func (m *Model) erase() {
	last := m.draft[len(m.draft)-1]
	switch {
	case last != "":
		_, size := utf8.DecodeLastRuneInString(last)
		m.draft[len(m.draft)-1] = last[:len(last)-size]
	case len(m.draft) > 1:
		m.draft = m.draft[:len(m.draft)-1]
	}
}

// submit sends the draft; /exit ends the session.
func (m *Model) submit() tea.Cmd {
	text := strings.TrimSpace(strings.Join(m.draft, "\n"))
	if text == "" {
		return nil
	}
	m.draft, m.scroll = []string{""}, 0
	if text == "/exit" {
		return m.quit()
	}
	s := m.Session
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), callWait)
		defer cancel()
		if _, err := s.Prompt(ctx, text); err != nil {
			return failed{err, text}
		}
		return sent{}
	}
}

// call makes a call beside the loop. It reads nothing of the model.
func (m *Model) call(f func(context.Context) error) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), callWait)
		defer cancel()
		if err := f(ctx); err != nil {
			return failed{err: err}
		}
		return sent{}
	}
}

func (m *Model) cancel() tea.Cmd {
	s := m.Session
	return m.call(func(ctx context.Context) error {
		_, err := s.Cancel(ctx, "")
		return err
	})
}

// interrupt cancels the turn; a second one within quitGrace, or one when
// nothing runs, quits.
func (m *Model) interrupt() tea.Cmd {
	now := m.Now()
	if m.working() && now.Sub(m.ctrlC) > quitGrace {
		m.ctrlC, m.note = now, "ctrl+c again quits"
		return m.cancel()
	}
	return m.quit()
}

// quit ends the session, and with it the view.
func (m *Model) quit() tea.Cmd {
	m.note = "ending the session"
	s := m.Session
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), callWait)
		defer cancel()
		return stopped{s.Stop(ctx)}
	}
}

// View draws the screen.
func (m *Model) View() string {
	if m.width == 0 {
		return ""
	}
	s := view.Screen{
		Width: m.width, Height: m.height, Styles: m.Styles, Scroll: m.scroll,
		Provider: m.info.Provider.Label, State: "starting", Note: m.note, Ask: m.ask(), Composer: m.draft,
	}
	if m.state != nil {
		s.Entries, s.Title, s.Model, s.Queued = m.state, m.state.Title(), m.state.Settings().Model, len(m.state.Queue())
		if m.ready {
			s.State = "idle"
		}
		if m.working() {
			s.State, s.Elapsed = "working", m.Now().Sub(m.turnAt)
		}
	}
	if m.lost {
		s.State = "reconnecting"
	}
	return strings.Join(view.Draw(s, &m.cache), "\n")
}
