package roster

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"craze/shared/proto"
	"craze/shared/registry"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func entry(id string) registry.Host {
	return registry.Host{ID: id, Entry: registry.Entry{HostID: id, CrazeSessionID: "s-" + id, Protocol: 1, Ready: true}}
}

// told is what a step decided, a word an effect, the replies left out.
func told(effects []effect) []string {
	var out []string
	for _, e := range effects {
		switch e := e.(type) {
		case look:
			out = append(out, "look")
		case watch:
			out = append(out, "watch "+e.h.entry.HostID)
		case drop:
			out = append(out, "drop "+e.id)
		case ask:
			out = append(out, "ask "+e.id)
		case bury:
			out = append(out, "bury "+e.id)
		case timer:
			out = append(out, "timer")
		case lookAgain:
			out = append(out, "again")
		case reply:
			e.to <- e.a
		}
	}
	slices.Sort(out)
	return out
}

func check(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// rows is an answer, a line a row; "waiting" before there is one.
func rows(ch chan answered) string {
	select {
	case a := <-ch:
		if a.err != nil {
			return a.err.Error()
		}
		var out []string
		for _, r := range a.result.Sessions {
			out = append(out, fmt.Sprintf("%s %s %v %s", r.HostID, r.Status, r.Approximate, string(r.Row)))
		}
		return strings.Join(out, "\n")
	default:
		return "waiting"
	}
}

func heardRow(id, row string) heard { return heard{id: id, row: jsontext.Value(row), version: "v"} }

func TestAListAnswersOnceEveryHostHasBeenHeard(t *testing.T) {
	st := newState("hub")
	ch := make(chan answered, 2)
	check(t, told(step(st, wanted{ch}, noon)), "look", "timer")
	check(t, told(step(st, scanned{hosts: []registry.Host{entry("a"), entry("b")}}, noon)), "ask a", "ask b", "watch a", "watch b")
	check(t, told(step(st, heardRow("a", `{"x":1}`), noon)))
	if got := rows(ch); got != "waiting" {
		t.Fatalf("answered early: %s", got)
	}
	check(t, told(step(st, heard{id: "b", err: errors.New("slow")}, noon)), "look")
	if got := rows(ch); got != "a reachable false {\"x\":1}\nb unreachable true " {
		t.Errorf("%s", got)
	}
}

func TestAHostNotHeardInTimeIsListedAsItStands(t *testing.T) {
	st := newState("hub")
	ch := make(chan answered, 2)
	step(st, wanted{ch}, noon)
	step(st, scanned{hosts: []registry.Host{entry("a")}}, noon)
	told(step(st, late{ch}, noon))
	if got := rows(ch); got != "a connecting true " {
		t.Errorf("%s", got)
	}
	check(t, told(step(st, late{ch}, noon)))
}

func TestANewHostIsAskedAsSoonAsItsEntryIsSeen(t *testing.T) {
	st := newState("hub")
	step(st, scanned{}, noon)
	check(t, told(step(st, changed{}, noon)), "look")
	check(t, told(step(st, scanned{hosts: []registry.Host{entry("a")}}, noon)), "ask a", "watch a")
	step(st, heardRow("a", `{}`), noon)
	ch := make(chan answered, 2)
	told(step(st, wanted{ch}, noon))
	told(step(st, late{ch}, noon))
	if got := rows(ch); got != "a reachable false {}" {
		t.Errorf("%s", got)
	}
}

func TestAHostThatDiesLeavesAtTheNextLook(t *testing.T) {
	st := newState("hub")
	step(st, scanned{hosts: []registry.Host{entry("a"), entry("b")}}, noon)
	check(t, told(step(st, lost{"a"}, noon)), "again", "look")
	check(t, told(step(st, scanned{hosts: []registry.Host{entry("a"), entry("b")}}, noon))) // its lock is not free yet
	check(t, told(step(st, changed{}, noon)), "look")
	check(t, told(step(st, scanned{hosts: []registry.Host{entry("b")}}, noon)), "bury a", "drop a")
	check(t, told(step(st, heardRow("a", `{}`), noon))) // it had answered before it died
	if len(st.hosts) != 1 {
		t.Errorf("hosts %v", st.hosts)
	}
}

func TestAStoppingHostIsListedNoMore(t *testing.T) {
	st := newState("hub")
	step(st, scanned{hosts: []registry.Host{entry("a")}}, noon)
	going := entry("a")
	going.Entry.Stopping = true
	check(t, told(step(st, scanned{hosts: []registry.Host{going}}, noon)), "drop a")
}

func TestWhatCannotBeNamedIsNotListed(t *testing.T) {
	st := newState("hub")
	unnamed, broken := entry("a"), entry("b")
	unnamed.Entry.CrazeSessionID = ".."
	broken.Err = errors.New("unreadable")
	check(t, told(step(st, scanned{hosts: []registry.Host{unnamed, broken}}, noon)))
}

func TestARegistryThatCannotBeReadIsNoEmptyRoster(t *testing.T) {
	st := newState("hub")
	ch := make(chan answered, 2)
	told(step(st, wanted{ch}, noon))
	told(step(st, scanned{err: errors.New("no")}, noon))
	if got := rows(ch); !strings.Contains(got, "cannot be read") {
		t.Errorf("%s", got)
	}
}

func TestALookWantedDuringAnotherFollowsIt(t *testing.T) {
	st := newState("hub")
	check(t, told(step(st, changed{}, noon)), "look")
	check(t, told(step(st, changed{}, noon)))
	check(t, told(step(st, scanned{}, noon)), "look")
	check(t, told(step(st, scanned{}, noon)))
}

func TestTheCursorGrowsOnlyWithARowsContent(t *testing.T) {
	st := newState("hub")
	step(st, scanned{hosts: []registry.Host{entry("a")}}, noon)
	step(st, heardRow("a", `{"n":1}`), noon)
	at := st.cursor
	step(st, heardRow("a", `{"n":1}`), noon)
	if st.cursor != at {
		t.Error("the same row moved the cursor")
	}
	step(st, heardRow("a", `{"n":2}`), noon)
	if st.cursor != at+1 {
		t.Errorf("cursor %d after %d", st.cursor, at)
	}
}

func TestARowPastItsBoundsIsDroppedAndSaid(t *testing.T) {
	e := entry("a").Entry
	e.Workspace = strings.Repeat("w", proto.PathCharsMax+10)
	r := Row(e, strings.Repeat("v", 500), jsontext.Value(`"`+strings.Repeat("x", proto.RosterHostRowMax)+`"`), proto.Reachable, false)
	if r.Row != nil || !r.Approximate || utf8.RuneCountInString(r.Host.Workspace) > proto.PathCharsMax || utf8.RuneCountInString(r.Host.CrazeVersion) > proto.RosterVersionMax {
		t.Errorf("row %d bytes, approximate %v", len(r.Row), r.Approximate)
	}
}

func TestTheRosterIsCutAtItsRows(t *testing.T) {
	st := newState("hub")
	var hosts []registry.Host
	for i := range proto.RosterRowsMax + 5 {
		hosts = append(hosts, entry(fmt.Sprintf("%012x", i)))
	}
	step(st, scanned{hosts: hosts}, noon)
	if r := st.list(noon); len(r.Sessions) != proto.RosterRowsMax || !r.Truncated || r.Sessions[0].HostID != hosts[0].ID {
		t.Errorf("%d rows, truncated %v", len(r.Sessions), r.Truncated)
	}
}
