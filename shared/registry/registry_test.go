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

const (
	hostA   = "0190ab12cd34"
	hostB   = "0a0a0a0a0a0a"
	session = "0190ab12-cd34-7ef0-8123-456789abcdef"
)

// open opens the registry of a home and closes it at the end.
func open(t *testing.T, home string) *Registry {
	t.Helper()
	r, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func mustLock(t *testing.T, r *Registry, id string) *Lifetime {
	t.Helper()
	l, err := r.Lock(id)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func write0(t *testing.T, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, path string, perm fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, perm); err != nil {
		t.Fatal(err)
	}
}

func entry(id string) Entry {
	return Entry{
		Protocol: 1, PID: os.Getpid(), StartedAt: time.Date(2026, 10, 12, 9, 0, 0, 0, time.UTC), HostID: id,
		Socket: "/run/user/1/craze/0123abcd/" + id + ".sock", CrazeSessionID: session, Incarnation: "i-1",
		Provider: "grok", Workspace: "/home/me/x",
	}
}

// files lists the names in a directory of the tree.
func files(t *testing.T, home, leaf string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(home, ".cache", "craze", leaf))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestOpenMakesThePrivateTree(t *testing.T) {
	home := testkit.SocketDir(t)
	r := open(t, home)
	for _, leaf := range []string{"", "hosts", "hubs", "locks", "host-logs", "results", "catalogs"} {
		info, err := os.Stat(filepath.Join(home, ".cache", "craze", leaf))
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%q: %v, %v", leaf, info, err)
		}
	}
	if want := filepath.Join(home, ".cache", "craze", "hosts"); r.HostsDir() != want {
		t.Errorf("HostsDir = %q", r.HostsDir())
	}
}

func TestATreeThatCannotBeTrustedIsRefused(t *testing.T) {
	tests := []struct {
		name string
		make func(t *testing.T, home string) string // returns the HOME to open
	}{
		{"a relative home", func(t *testing.T, home string) string { return "home" }},
		{"a missing home", func(t *testing.T, home string) string { return filepath.Join(home, "x") }},
		{"a link on the way", func(t *testing.T, home string) string {
			mkdir(t, filepath.Join(home, "real", "me"), 0o700)
			link(t, filepath.Join(home, "real"), filepath.Join(home, "link"))
			return filepath.Join(home, "link", "me")
		}},
		{"a linked home", func(t *testing.T, home string) string {
			mkdir(t, filepath.Join(home, "real"), 0o700)
			link(t, "real", filepath.Join(home, "link"))
			return filepath.Join(home, "link")
		}},
		{"a linked .cache", func(t *testing.T, home string) string {
			mkdir(t, filepath.Join(home, "real"), 0o700)
			link(t, "real", filepath.Join(home, ".cache"))
			return home
		}},
		{"a linked leaf", func(t *testing.T, home string) string {
			mkdir(t, filepath.Join(home, ".cache", "craze"), 0o700)
			mkdir(t, filepath.Join(home, "real"), 0o700)
			link(t, filepath.Join(home, "real"), filepath.Join(home, ".cache", "craze", "hosts"))
			return home
		}},
		{"a file for a directory", func(t *testing.T, home string) string {
			write0(t, filepath.Join(home, ".cache"), "")
			return home
		}},
		{"a home that the group can write", func(t *testing.T, home string) string {
			mkdir(t, home, 0o770)
			return home
		}},
		{"a .cache that all can write", func(t *testing.T, home string) string {
			mkdir(t, filepath.Join(home, ".cache"), 0o707)
			return home
		}},
		{"a craze that the group can write", func(t *testing.T, home string) string {
			mkdir(t, filepath.Join(home, ".cache", "craze"), 0o770)
			return home
		}},
		{"a leaf that all can write, though sticky", func(t *testing.T, home string) string {
			mkdir(t, filepath.Join(home, ".cache", "craze", "locks"), 0o777|fs.ModeSticky)
			return home
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r, err := Open(tt.make(t, testkit.SocketDir(t))); err == nil {
				r.Close()
				t.Error("opened")
			}
		})
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsTolerated(t *testing.T) {
	home := testkit.SocketDir(t)
	mkdir(t, filepath.Join(home, "shared", "me", ".cache"), 0o775) // one's own, of the group
	mkdir(t, filepath.Join(home, "shared"), 0o777|fs.ModeSticky)
	mkdir(t, filepath.Join(home, "shared", "me", ".cache", "craze"), 0o755)
	open(t, filepath.Join(home, "shared", "me"))
	info, err := os.Stat(filepath.Join(home, "shared", "me", ".cache", "craze"))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("a readable tree is closed: %v, %v", info, err)
	}
}

// TestAnothersTreeIsRefused asks as a user that owns none of it, which needs
// no second user: the walk is told whose it is to be.
func TestAnothersTreeIsRefused(t *testing.T) {
	home := testkit.SocketDir(t)
	mkdir(t, filepath.Join(home, ".cache"), 0o770)
	uid := os.Geteuid() + 1
	fd, err := walkHome("/", os.Geteuid())
	if err != nil {
		t.Fatal(err)
	}
	at := dir{fd: fd}
	defer at.close()
	if d, err := own(fd, strings.TrimPrefix(home, "/"), home, uid); err == nil {
		d.close()
		t.Error("a directory of another user is taken for our own")
	}
	if err := checkAncestor(fd, "/", uid, true); err != nil {
		t.Errorf("root's: %v", err)
	}
}

func TestTheEntryIsWrittenWithItsMembersInTheirOrder(t *testing.T) {
	home := testkit.SocketDir(t)
	r := open(t, home)
	l := mustLock(t, r, hostA)
	e := entry("")
	e.PID, e.StartedAt = 7, e.StartedAt.In(time.FixedZone("", 3600))
	e.Stopping, e.RequestID, e.RequestHash, e.ProviderSessionID, e.Ready = true, "new-1", "abc", "p-1", true
	if err := l.Write(e); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(r.HostsDir(), hostA+".json")
	b, err := os.ReadFile(path)
	want := `{"protocol":1,"hostId":"0190ab12cd34","pid":7,"startedAt":"2026-10-12T09:00:00Z",` +
		`"socket":"/run/user/1/craze/0123abcd/.sock","crazeSessionId":"` + session + `","providerSessionId":"p-1",` +
		`"incarnation":"i-1","provider":"grok","workspace":"/home/me/x","ready":true,"stopping":true,` +
		`"requestId":"new-1","requestHash":"abc"}` + "\n"
	if err != nil || string(b) != want {
		t.Errorf("got %s, %v", b, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := l.Write(Entry{Workspace: "/a\xffb"}); err != nil {
		t.Fatal(err)
	}
	b, err = os.ReadFile(path)
	want = `{"protocol":0,"hostId":"0190ab12cd34","pid":0,"startedAt":"0001-01-01T00:00:00Z","socket":"","crazeSessionId":"",` +
		`"providerSessionId":"","incarnation":"","provider":"","workspace":"/a` + "\ufffd" + `b","ready":false}` + "\n"
	if err != nil || string(b) != want {
		t.Errorf("got %s, %v", b, err)
	}
	if err := errors.Join(l.Unlink(), l.Unlink(), l.Release()); err != nil {
		t.Fatal(err)
	}
	if left := files(t, home, "hosts"); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestAHostIsListedWhileItLives(t *testing.T) {
	home := testkit.SocketDir(t)
	r, reader := open(t, home), open(t, home)
	b, a := mustLock(t, r, hostB), mustLock(t, r, hostA)
	if hosts, err := reader.Hosts(); err != nil || len(hosts) != 0 {
		t.Errorf("before the first entry: %v, %v", hosts, err)
	}
	if live, err := reader.Live(hostA); err != nil || !live {
		t.Errorf("a host lives from its lock on: %v, %v", live, err)
	}
	for _, l := range []*Lifetime{a, b} {
		if err := l.Write(entry(l.hostID)); err != nil {
			t.Fatal(err)
		}
	}
	stopping := entry(hostB)
	stopping.Stopping = true
	if err := b.Write(stopping); err != nil {
		t.Fatal(err)
	}
	hosts, err := reader.Hosts()
	if err != nil {
		t.Fatal(err)
	}
	want := []Host{{ID: hostA, Entry: entry(hostA)}, {ID: hostB, Entry: stopping}}
	if diff := cmp.Diff(want, hosts); diff != "" {
		t.Error(diff)
	}
	if h, ok, err := reader.Host(hostB); err != nil || !ok || !h.Entry.Stopping {
		t.Errorf("Host = %v, %v, %v", h, ok, err)
	}
	if a.Vanished() {
		t.Error("vanished while it is listed")
	}
	if err := os.Remove(filepath.Join(r.HostsDir(), hostA+".json")); err != nil {
		t.Fatal(err)
	}
	if !a.Vanished() {
		t.Error("an entry removed by hand has not vanished")
	}
	if err := errors.Join(a.Unlink(), a.Release(), b.Unlink(), b.Release()); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{hostB, "../etc", ""} {
		if _, ok, err := reader.Host(id); ok || err != nil {
			t.Errorf("Host(%q) = %v, %v", id, ok, err)
		}
	}
}

func TestALiveHostWhoseEntryCannotBeReadIsListedUnnamed(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string){
		"no JSON":        func(t *testing.T, path string) { write0(t, path, "{") },
		"another's id":   func(t *testing.T, path string) { write0(t, path, `{"hostId":"0a0a0a0a0a0a"}`) },
		"a member twice": func(t *testing.T, path string) { write0(t, path, `{"hostId":"0190ab12cd34","hostId":"0190ab12cd34"}`) },
		"too large": func(t *testing.T, path string) {
			write0(t, path, `{"hostId":"0190ab12cd34"}`+strings.Repeat(" ", EntryMax))
		},
		"a link": func(t *testing.T, path string) {
			write0(t, path+"-real", `{"hostId":"0190ab12cd34"}`)
			link(t, path+"-real", path)
		},
		"a hard link": func(t *testing.T, path string) {
			write0(t, path, `{"hostId":"0190ab12cd34"}`)
			if err := os.Link(path, path+"-2"); err != nil {
				t.Fatal(err)
			}
		},
		"writable by all": func(t *testing.T, path string) {
			write0(t, path, `{"hostId":"0190ab12cd34"}`)
			if err := os.Chmod(path, 0o666); err != nil {
				t.Fatal(err)
			}
		},
		"a directory": func(t *testing.T, path string) { mkdir(t, path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, testkit.SocketDir(t))
			l := mustLock(t, r, hostA)
			spoil(t, filepath.Join(r.HostsDir(), hostA+".json"))
			hosts, err := r.Hosts()
			if err != nil || len(hosts) != 1 || hosts[0].ID != hostA || hosts[0].Err == nil {
				t.Errorf("alive: %v, %v", hosts, err)
			}
			if err := l.Release(); err != nil {
				t.Fatal(err)
			}
			if hosts, err = r.Hosts(); err != nil || len(hosts) != 0 {
				t.Errorf("dead: %v, %v", hosts, err)
			}
		})
	}
}

func TestUnknownMembersAreIgnored(t *testing.T) {
	r := open(t, testkit.SocketDir(t))
	l := mustLock(t, r, hostA)
	write0(t, filepath.Join(r.HostsDir(), hostA+".json"), `{"later":{"x":[1]},"hostId":"0190ab12cd34","socket":"/s"}`)
	h, ok, err := r.Host(hostA)
	if err != nil || !ok || h.Err != nil || h.Entry.Socket != "/s" {
		t.Errorf("got %+v, %v, %v", h, ok, err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
}

func TestARemovedTreeIsSaidAndNotReadAsEmpty(t *testing.T) {
	r := open(t, testkit.SocketDir(t))
	if err := os.RemoveAll(filepath.Dir(r.HostsDir())); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Hosts(); !errors.Is(err, ErrRemoved) {
		t.Errorf("Hosts: %v", err)
	}
	if _, _, err := r.Host(hostA); !errors.Is(err, ErrRemoved) {
		t.Errorf("Host: %v", err)
	}
}

func TestOnlyTheRootsOwnLinksAreWrittenOut(t *testing.T) {
	base := testkit.SocketDir(t) // stands for the root
	link(t, "private/tmp", filepath.Join(base, "tmp"))
	mkdir(t, filepath.Join(base, "home"), 0o700)
	f, err := os.Open(base)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := []string{"tmp", "x"}
	if os.Geteuid() == 0 { // the link is root's then
		want = []string{"private", "tmp", "x"}
	}
	for home, want := range map[string][]string{"/tmp/x": want, "/home/tmp/./x": {"home", "tmp", "x"}, "/none/x": {"none", "x"}, "/": nil} {
		if diff := cmp.Diff(want, components(int(f.Fd()), home)); diff != "" {
			t.Errorf("%s: %s", home, diff)
		}
	}
}
