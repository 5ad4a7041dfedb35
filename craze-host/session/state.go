package session

import (
	"strconv"
	"time"

	"craze/shared/proto"
)

// state is what step decides from. It holds no channel but those of callers
// that wait, and nothing outside the session points into it.
type state struct {
	info     proto.Info
	ready    bool            // the agent's start is done
	startErr *proto.EventErr // it failed
	exited   bool            // the agent is gone
	exitErr  *proto.EventErr // it went on its own
	closing  bool            // the end has begun

	turn     *turn // the one that runs, or nil
	turns    int   // turns named so far
	rows     int   // queue rows named so far
	queue    []row
	asks     asks
	receipts receipts

	title    string
	settings proto.Settings
	last     *proto.LastTurn
	lastErr  string
	prompted bool

	shown stateKind // what a list shows
	since time.Time // since when
}

// turn is the running turn.
type turn struct {
	id         string
	text       string
	cause      string
	at         time.Time
	cancelling bool
}

// row is a queued prompt and the command behind it.
type row struct {
	proto.QueueRow
	cause string
}

func newState(info proto.Info) state {
	return state{info: info, receipts: newReceipts(), shown: kindWorking, since: info.StartedAt}
}

// started reports whether the start has ended, well or not.
func (st *state) started() bool { return st.ready || st.startErr != nil }

// over reports whether nothing more can happen.
func (st *state) over() bool { return st.closing && st.exited }

// accepting reports whether a prompt can start or wait. The refusal, where it
// cannot, says what to do instead.
func (st *state) accepting() *proto.Error {
	const code, reason = proto.CodeNotAccepting, proto.ReasonNotAccepting
	switch {
	case st.closing:
		return proto.Refuse(code, reason, "the session is closing")
	case st.startErr != nil:
		e := proto.Refuse(code, reason, "the session's agent did not start; stop it and start another")
		e.Data.Cause = st.startErr.Message
		return e
	case st.exited:
		e := proto.Refuse(code, reason, "the session's agent has exited; stop it and start another")
		if st.exitErr != nil {
			e.Data.Cause = st.exitErr.Message
		}
		return e
	case !st.ready:
		return proto.Refuse(code, reason, "the session is still starting; try again in a moment")
	}
	return nil
}

func (st *state) activity() proto.Activity {
	switch {
	case st.closing:
		return proto.ActClosing
	case st.startErr != nil || st.exited:
		return proto.ActError
	case !st.ready:
		return proto.ActStarting
	case st.turn != nil:
		return proto.ActWorking
	}
	return proto.ActIdle
}

// stateKind is what a list shows of a session.
type stateKind string

const (
	kindNeedsYou stateKind = "needs_you"
	kindFailed   stateKind = "failed"
	kindWorking  stateKind = "working"
	kindIdle     stateKind = "idle"
)

// kind is the first that holds of: needs you, failed, working, idle.
func (st *state) kind() stateKind {
	act := st.activity()
	switch {
	case len(st.asks.open) > 0:
		return kindNeedsYou
	case st.startErr != nil, st.last != nil && st.last.Outcome == proto.TurnFailed, act == proto.ActError && st.last == nil:
		return kindFailed
	case act == proto.ActStarting, act == proto.ActWorking, act == proto.ActClosing:
		return kindWorking
	}
	return kindIdle
}

// noteState remembers when the shown state was entered. It is called once an
// input, so a turn that follows another from the queue keeps the first one's.
func (st *state) noteState(now time.Time) {
	if k := st.kind(); k != st.shown {
		st.shown, st.since = k, now
	}
}

func (st *state) nextTurn() string {
	st.turns++
	return "turn-" + strconv.Itoa(st.turns)
}

func (st *state) nextRow() string {
	st.rows++
	return "q-" + strconv.Itoa(st.rows)
}
