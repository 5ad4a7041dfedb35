package registry

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"craze/shared/testkit"
)

func TestALogIsAppendedToAndRenamedOver(t *testing.T) {
	home := testkit.SocketDir(t)
	r := open(t, home)
	name := hostA + ".log"
	for _, line := range []string{"one\n", "two\n"} {
		f, err := r.OpenLog(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(line); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	write0(t, r.LogPath(name+".1"), "older")
	if err := r.RenameLog(name, name+".1"); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(r.LogPath(name + ".1"))
	if err != nil || string(b) != "one\ntwo\n" {
		t.Errorf("got %q, %v", b, err)
	}
	if info, err := os.Stat(r.LogPath(name + ".1")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	link(t, filepath.Join(home, "elsewhere"), r.LogPath(name))
	if f, err := r.OpenLog(name); err == nil {
		f.Close()
		t.Error("a link was followed")
	}
}

func TestProcessGroupsAreKeptUntilTheyAreRemoved(t *testing.T) {
	r := open(t, testkit.SocketDir(t))
	if _, err := r.ReadPgids(hostA); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before: %v", err)
	}
	for _, want := range []string{"12 a\n", "12 a\n13 b\n"} {
		if err := r.WritePgids(hostA, []byte(want)); err != nil {
			t.Fatal(err)
		}
		if b, err := r.ReadPgids(hostA); err != nil || string(b) != want {
			t.Errorf("got %q, %v", b, err)
		}
	}
	if err := errors.Join(r.RemovePgids(hostA), r.RemovePgids(hostA)); err != nil {
		t.Fatal(err)
	}
	if err := r.WritePgids(hostA, make([]byte, pgidsMax+1)); err == nil {
		t.Error("too many groups were recorded")
	}
}

func TestAResultIsReplacedAndItsPathSaid(t *testing.T) {
	r := open(t, testkit.SocketDir(t))
	for _, want := range []string{"long", "longer"} {
		path, err := r.WriteResult("89abcdef-00112233-t-1.md", []byte(want))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil || string(b) != want {
			t.Errorf("got %q, %v", b, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
	}
}

func TestOldLogsOfDeadHostsAreSwept(t *testing.T) {
	home := testkit.SocketDir(t)
	r := open(t, home)
	l := mustLock(t, r, hostA)
	now := time.Now()
	old := now.Add(-8 * 24 * time.Hour)
	for name, at := range map[string]time.Time{
		hostA + ".log": old, hostB + ".log": old, hostB + ".log.1": old, hostB + ".pgids": now, "mine.log": old,
	} {
		write0(t, r.LogPath(name), "x")
		if err := os.Chtimes(r.LogPath(name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.SweepLogs(now.Add(-7 * 24 * time.Hour)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{hostA + ".log", hostB + ".pgids", "mine.log"}, files(t, home, "host-logs")); diff != "" {
		t.Error(diff)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
}

func TestIds(t *testing.T) {
	a, err := NewHostID()
	b, err2 := NewHostID()
	if err != nil || err2 != nil || a == b || !ValidHostID(a) {
		t.Errorf("minted %q, %q, %v, %v", a, b, err, err2)
	}
	for id, want := range map[string]bool{
		session: true, "recipe-fake": true, "a.b_C-9": true, strings.Repeat("x", 128): true, "...": true,
		"": false, ".": false, "..": false, "a/b": false, "a b": false, "é": false, "a:b": false, strings.Repeat("x", 129): false, "a\x00": false,
	} {
		if got := ValidSessionID(id); got != want {
			t.Errorf("ValidSessionID(%q) = %v", id, got)
		}
	}
	for _, id := range []string{"", "0190ab12cd3", "0190ab12cd345", "0190AB12CD34", "0190ab12cd3g", "0190ab12cd/4"} {
		if ValidHostID(id) {
			t.Errorf("ValidHostID(%q)", id)
		}
	}
}

func TestTheFirstTierWithAMatchNamesTheSession(t *testing.T) {
	named := func(id, session, provider string) Host {
		return Host{ID: id, Entry: Entry{HostID: id, CrazeSessionID: session, ProviderSessionID: provider}}
	}
	hosts := []Host{
		named("aaaa00000000", "1111-beef", "p-1"),
		named("bbbb00000000", "2222-cafe", "p-2"),
		named("beef00000000", "2222-1111", "cafe"),
		named("cccc00000000", "x", ""),
		{ID: "dddd00000000", Err: errors.New("unreadable")},
		named("eeee00000001", "same", "p-3"),
		named("eeee00000002", "same", "p-3"),
	}
	tests := []struct {
		name, word, want string
		ambiguous        []string
	}{
		{"a whole session id", "1111-beef", "aaaa00000000", nil},
		{"a whole short one", "x", "cccc00000000", nil},
		{"a whole provider id comes before another's end", "cafe", "beef00000000", nil},
		{"a whole host id", "bbbb00000000", "bbbb00000000", nil},
		{"an end comes before a beginning", "1111", "beef00000000", nil},
		{"an end comes before a host id's beginning", "beef", "aaaa00000000", nil},
		{"a beginning", "1111-b", "aaaa00000000", nil},
		{"a host id's beginning", "bbbb", "bbbb00000000", nil},
		{"an unnamed host, by its id", "dddd", "dddd00000000", nil},
		{"two beginnings", "2222", "", []string{"2222-cafe", "2222-1111"}},
		{"two hosts of one session are told by their ids", "same", "", []string{"eeee00000001", "eeee00000002"}},
		{"too short a part", "111", "", nil},
		{"nothing", "", "", nil},
		{"no such", "ffff", "", nil},
	}
	for _, tt := range tests {
		h, err := Match(hosts, tt.word)
		var several *AmbiguousError
		switch {
		case tt.want != "":
			if err != nil || h.ID != tt.want {
				t.Errorf("%s: %v, %v", tt.name, h, err)
			}
		case tt.ambiguous != nil:
			if !errors.As(err, &several) || !cmp.Equal(several.IDs, tt.ambiguous) {
				t.Errorf("%s: %v, %v", tt.name, h, err)
			}
		case !errors.Is(err, ErrNoMatch):
			t.Errorf("%s: %v, %v", tt.name, h, err)
		}
	}
}
