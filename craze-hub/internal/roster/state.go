package roster

import (
	"bytes"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"craze/shared/proto"
	"craze/shared/registry"
	"craze/shared/text"
)

const (
	// roundWait is the longest a list waits for the hosts of its round.
	roundWait = time.Second
	// againWait is the pause before a second look for a host whose connection
	// ended: far over what the kernel takes to end a process.
	againWait = 100 * time.Millisecond
	// stale is the age of a row past which it is called approximate.
	stale = 3 * time.Second
)

// input is one thing that happens to the roster. The set is closed.
type input interface{ input() }

type (
	scanned struct { // a look at the registry is done
		hosts []registry.Host
		err   error
	}
	heard struct { // a host answered, or failed to
		id      string
		row     jsontext.Value
		version string
		err     error
	}
	lost    struct{ id string }             // a host's connection ended
	changed struct{}                        // the registry's directory changed
	wanted  struct{ reply chan<- answered } // someone wants the roster
	late    struct{ reply chan<- answered } // and has waited roundWait
	counted struct{ reply chan<- int }      // how many hosts are listed
)

func (scanned) input() {}
func (heard) input()   {}
func (lost) input()    {}
func (changed) input() {}
func (wanted) input()  {}
func (late) input()    {}
func (counted) input() {}

type answered struct {
	result proto.RosterResult
	err    error
}

// effect is one thing step wants done. The set is closed.
type effect interface{ effect() }

type (
	look  struct{}            // read the registry
	watch struct{ h host }    // keep a connection to a host
	drop  struct{ id string } // let it go
	ask   struct{ id string } // ask a host for its row
	bury  struct{ id string } // a host died: clean up after it
	timer struct{ w wanted }  // send late after roundWait
	// lookAgain sends changed after a pause.
	lookAgain struct{}
	reply     struct {
		to chan<- answered
		a  answered
	}
)

func (look) effect()      {}
func (watch) effect()     {}
func (drop) effect()      {}
func (ask) effect()       {}
func (bury) effect()      {}
func (timer) effect()     {}
func (lookAgain) effect() {}
func (reply) effect()     {}

// host is one live host.
type host struct {
	entry   registry.Entry
	version string
	row     jsontext.Value
	heardAt time.Time
	failed  bool // the last attempt at it failed
	waiting bool // it has been asked in this round and has not answered
}

// state is the roster's.
type state struct {
	id      string // the hub's, the roster's epoch
	hosts   map[string]*host
	cursor  uint64
	looking bool // a look is under way
	again   bool // and another is wanted behind it
	lookErr error
	asked   []wanted // wait for the look that has not begun
	round   []wanted // wait for the round
}

func newState(id string) *state { return &state{id: id, hosts: map[string]*host{}} }

// step decides one input.
func step(st *state, in input, now time.Time) []effect {
	switch in := in.(type) {
	case changed:
		return st.wantLook()
	case lost:
		if h := st.hosts[in.id]; h != nil {
			h.failed = true
			// A process that dies lets go of its socket a moment before its
			// lock, so one look may come too early.
			return append(append(st.wantLook(), lookAgain{}), st.settled(h, now)...)
		}
	case wanted:
		st.asked = append(st.asked, in)
		return append(st.wantLook(), timer{in})
	case late:
		return st.answerLate(in, now)
	case scanned:
		return st.scanned(in, now)
	case heard:
		return st.heard(in, now)
	case counted:
		in.reply <- len(st.hosts)
	}
	return nil
}

func (st *state) wantLook() []effect {
	if st.looking {
		st.again = true
		return nil
	}
	st.looking = true
	return []effect{look{}}
}

// scanned takes what a look found, and asks the hosts where someone waits.
func (st *state) scanned(in scanned, now time.Time) []effect {
	st.looking = false
	var out []effect
	if st.again {
		st.again = false
		out = st.wantLook()
	}
	if st.lookErr = in.err; in.err != nil {
		for _, w := range append(st.asked, st.round...) {
			out = append(out, reply{w.reply, answered{err: unreadable()}})
		}
		st.asked, st.round = nil, nil
		return out
	}
	out = append(out, st.take(in.hosts)...)
	if len(st.asked) == 0 {
		return append(out, st.settle(now)...)
	}
	st.round = append(st.round, st.asked...)
	st.asked = nil
	for id, h := range st.hosts {
		if !h.waiting {
			h.waiting = true
			out = append(out, ask{id})
		}
	}
	return append(out, st.settle(now)...)
}

func unreadable() error {
	return proto.Refuse(proto.CodeUnavailable, proto.ReasonHostUnreachable, "the registry cannot be read; see the hub's log")
}

// take makes the hosts those of a look.
func (st *state) take(found []registry.Host) []effect {
	var out []effect
	seen := map[string]bool{}
	for _, f := range found {
		seen[f.ID] = true
		if f.Err != nil || f.Entry.Stopping || !registry.ValidSessionID(f.Entry.CrazeSessionID) {
			continue // it cannot be named, or is on its way out
		}
		h := st.hosts[f.ID]
		if h == nil {
			h = &host{entry: f.Entry, waiting: true}
			st.hosts[f.ID] = h
			st.cursor++
			out = append(out, watch{*h}, ask{f.ID})
			continue
		}
		if h.entry != f.Entry {
			h.entry = f.Entry
			st.cursor++
		}
	}
	for _, f := range found {
		if f.Err == nil && f.Entry.Stopping {
			out = append(out, st.forget(f.ID)...)
		}
	}
	for id := range st.hosts {
		if !seen[id] {
			out = append(out, st.forget(id)...)
			out = append(out, bury{id})
		}
	}
	return out
}

func (st *state) forget(id string) []effect {
	if st.hosts[id] == nil {
		return nil
	}
	delete(st.hosts, id)
	st.cursor++
	return []effect{drop{id}}
}

func (st *state) heard(in heard, now time.Time) []effect {
	h := st.hosts[in.id]
	if h == nil {
		return nil
	}
	if in.err != nil {
		if !h.failed {
			st.cursor++
		}
		h.failed = true
		// A host that cannot be reached may be dead, or on its way out.
		return append(st.wantLook(), st.settled(h, now)...)
	}
	if !bytes.Equal(h.row, in.row) || h.failed {
		st.cursor++
	}
	h.row, h.version, h.heardAt, h.failed = in.row, in.version, now, false
	return st.settled(h, now)
}

// settled notes that a host has been heard from in this round.
func (st *state) settled(h *host, now time.Time) []effect {
	h.waiting = false
	return st.settle(now)
}

// settle answers the round once every host has been heard from.
func (st *state) settle(now time.Time) []effect {
	if len(st.round) == 0 {
		return nil
	}
	for _, h := range st.hosts {
		if h.waiting {
			return nil
		}
	}
	var out []effect
	for _, w := range st.round {
		out = append(out, reply{w.reply, answered{result: st.list(now)}})
	}
	st.round = nil
	return out
}

// answerLate answers one who has waited long enough.
func (st *state) answerLate(in late, now time.Time) []effect {
	mine := func(w wanted) bool { return w.reply == in.reply }
	if !slices.ContainsFunc(st.round, mine) && !slices.ContainsFunc(st.asked, mine) {
		return nil
	}
	st.round = slices.DeleteFunc(st.round, mine)
	st.asked = slices.DeleteFunc(st.asked, mine)
	return []effect{reply{in.reply, answered{result: st.list(now), err: nil}}}
}

// list is the roster as it stands, in host-id order, within its bounds.
func (st *state) list(now time.Time) proto.RosterResult {
	r := proto.RosterResult{Epoch: st.id, Cursor: st.cursor}
	ids := make([]string, 0, len(st.hosts))
	for id := range st.hosts {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	if len(ids) > proto.RosterRowsMax {
		ids, r.Truncated = ids[:proto.RosterRowsMax], true
	}
	for _, id := range ids {
		h := st.hosts[id]
		r.Sessions = append(r.Sessions, Row(h.entry, h.version, h.row, h.status(), now.Sub(h.heardAt) > stale))
	}
	return r
}

func (h *host) status() proto.RosterStatus {
	switch {
	case h.failed:
		return proto.Unreachable
	case h.row == nil:
		return proto.Connecting
	}
	return proto.Reachable
}

// Row is one host's roster row, cut to the protocol's bounds.
func Row(e registry.Entry, version string, row jsontext.Value, s proto.RosterStatus, old bool) proto.RosterRow {
	r := proto.RosterRow{
		HostID: e.HostID, SessionID: e.CrazeSessionID, Status: s, Approximate: old || s != proto.Reachable, Row: row,
		Host: proto.RosterHost{
			PID: e.PID, Protocol: e.Protocol, StartedAt: e.StartedAt, Ready: e.Ready,
			CrazeVersion: cut(version, proto.RosterVersionMax, &old), Provider: cut(e.Provider, proto.RosterProvider, &old),
			Workspace: cut(e.Workspace, proto.PathCharsMax, &old),
		},
	}
	if len(row) > proto.RosterHostRowMax || len(row)+rowOverhead(r.Host) > proto.RosterRowBytes {
		r.Row, old = nil, true
	}
	r.Approximate = r.Approximate || old
	return r
}

// rowOverhead is the most a roster row takes beside its host's own row: its
// strings, each byte of which JSON may write as six, and its fixed members.
func rowOverhead(h proto.RosterHost) int {
	const fixed = 512
	return fixed + 6*(len(h.CrazeVersion)+len(h.Provider)+len(h.Workspace))
}

func cut(s string, most int, was *bool) string {
	if len(s) <= most {
		return s
	}
	*was = true
	return text.Cut(s, most)
}
