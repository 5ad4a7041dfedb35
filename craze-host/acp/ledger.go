package acp

import (
	"slices"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// ledger is what the session's calls and the loop both know: craze's request
// ids, the running turn, and the asks an answer is owed for. A line that
// depends on it is queued under its lock, so that an entry and its line agree;
// the outbox's lock is taken inside it, never the other way round.
type ledger struct {
	mu      sync.Mutex
	lastID  int64
	session string // "" until Ready
	turn    string
	turnID  int64 // 0 while none runs
	asks    []openAsk
	lastAsk int
	closing bool // Close or the context ended it
	gone    bool // the loop has told its last
}

// openAsk is an ask of the agent: craze's name for it, and the agent's id.
type openAsk struct {
	name string
	id   jsontext.Value
}

// askMax bounds the open asks; more than a person could ever answer.
const askMax = 256

func (l *ledger) newID() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastID++
	return l.lastID
}

// ready opens the ledger for turns.
func (l *ledger) ready(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.session = session
}

// state says why nothing may be sent, if so.
func (l *ledger) stateLocked() error {
	switch {
	case l.gone || l.closing:
		return ErrGone
	case l.session == "":
		return ErrNotReady
	}
	return nil
}

// prompt enters a turn and queues its line.
func (l *ledger) prompt(turn, text string, send func([]byte) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.stateLocked(); err != nil {
		return err
	}
	if l.turnID != 0 {
		return ErrBusy
	}
	id := l.lastID + 1
	if err := send(callFrame(id, "session/prompt", promptParams(l.session, text))); err != nil {
		return err
	}
	l.lastID, l.turn, l.turnID = id, turn, id
	return nil
}

// cancel queues the cancel of what runs.
func (l *ledger) cancel(send func([]byte) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.stateLocked(); err != nil {
		return err
	}
	return send(noteFrame("session/cancel", members("sessionId", l.session)))
}

// settle ends the turn that id began.
func (l *ledger) settle(id int64) (turn string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.turnID == 0 || l.turnID != id {
		return "", false
	}
	turn, l.turn, l.turnID = l.turn, "", 0
	return turn, true
}

// ask enters an ask and names it; false means there are too many.
func (l *ledger) ask(id jsontext.Value) (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.asks) >= askMax {
		return "", false
	}
	l.lastAsk++
	name := "perm-" + strconv.Itoa(l.lastAsk)
	l.asks = append(l.asks, openAsk{name, id})
	return name, true
}

// answer queues the answer of an open ask; one that cannot be queued stays
// open.
func (l *ledger) answer(name string, result []byte, send func([]byte) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.asks, func(a openAsk) bool { return a.name == name })
	if i < 0 {
		return ErrUnknownAsk
	}
	if err := send(resultFrame(l.asks[i].id, result)); err != nil {
		return err
	}
	l.asks = slices.Delete(l.asks, i, i+1)
	return nil
}

// takeAsks ends every open ask.
func (l *ledger) takeAsks() []openAsk {
	l.mu.Lock()
	defer l.mu.Unlock()
	asks := l.asks
	l.asks = nil
	return asks
}

// close marks an end that was asked for; false says it was marked before.
func (l *ledger) close() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.closing
	l.closing = true
	return !was
}

// end closes the ledger for good: the turn it left, if any, and whether the
// end was asked for.
func (l *ledger) end() (turn string, running, asked bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone = true
	turn, running = l.turn, l.turnID != 0
	l.turn, l.turnID = "", 0
	return turn, running, l.closing
}
