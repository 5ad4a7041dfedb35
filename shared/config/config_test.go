package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func env(kv ...string) Getenv {
	return func(name string) string {
		for i := 0; i+1 < len(kv); i += 2 {
			if kv[i] == name {
				return kv[i+1]
			}
		}
		return ""
	}
}

func write(t *testing.T, toml string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, fileName), []byte(toml), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTheCrazeDirectory(t *testing.T) {
	for _, tt := range []struct{ name, home, crazeHome, want string }{
		{"the default", "/h", "", "/h/.craze"},
		{"absolute", "/h", "/x/y/", "/x/y"},
		{"a tilde", "/h", "~/z", "/h/z"},
		{"a tilde alone", "/h", "~", "/h"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Dir(env("HOME", tt.home, "CRAZE_HOME", tt.crazeHome))
			if err != nil || got != tt.want {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	if _, err := Dir(env("HOME", "/h", "CRAZE_CONFIG", "/c")); !errors.Is(err, ErrOldConfigVar) {
		t.Errorf("CRAZE_CONFIG: %v", err)
	}
	if _, err := Dir(env()); err == nil {
		t.Error("no HOME is no error")
	}
}

func TestSwitchesFailClosed(t *testing.T) {
	for _, tt := range []struct {
		name, toml, variable string
		on, warned           bool
	}{
		{"absent", ``, "", true, false},
		{"true", `journal = true`, "", true, false},
		{"false", `journal = false`, "", false, false},
		{"a string", `journal = "false"`, "", false, true},
		{"a broken file", `journal = `, "", false, true},
		{"the variable off", ``, "0", false, false},
		{"the variable cannot turn it on", `journal = false`, "1", false, false},
		{"the variable unreadable", ``, "maybe", false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _, _ := Load(write(t, tt.toml))
			on, why := c.JournalOn(env("CRAZE_JOURNAL", tt.variable))
			if on != tt.on || (why != "") != tt.warned {
				t.Errorf("on %v, %q", on, why)
			}
		})
	}
}

func TestAFileThatDoesNotParseSaysWhere(t *testing.T) {
	_, _, err := Load(write(t, "a = 1\nb = = 2\n"))
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("%v", err)
	}
}

func TestADetachedSessionNeedsItsSocket(t *testing.T) {
	for _, tt := range []struct {
		name, toml        string
		env               []string
		socket, detach    bool
		socketWhy, detWhy bool
	}{
		{"nothing set", ``, nil, true, true, false, false},
		{"the socket off in the file", `control_socket = false`, nil, false, false, false, false},
		{"the socket off for one run", ``, []string{"CRAZE_CONTROL_SOCKET", "0"}, false, false, false, false},
		{"the variable decides before the file is looked at", `control_socket = 1`, []string{"CRAZE_CONTROL_SOCKET", "x"}, false, false, true, false},
		{"the variable cannot turn it on", `control_socket = false`, []string{"CRAZE_CONTROL_SOCKET", "1"}, false, false, false, false},
		{"detaching off", `detach = false`, []string{"CRAZE_DETACH", "1"}, true, false, false, false},
		{"detaching unreadable", `detach = "true"`, nil, true, false, false, true},
		{"detaching off for one run", ``, []string{"CRAZE_DETACH", " false "}, true, false, false, false},
		{"detaching set to blanks", ``, []string{"CRAZE_DETACH", "  "}, true, true, false, false},
		{"a broken file", `x`, nil, false, false, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _, _ := Load(write(t, tt.toml))
			on, why := c.ControlSocketOn(env(tt.env...))
			if on != tt.socket || (why != "") != tt.socketWhy {
				t.Errorf("socket %v %q", on, why)
			}
			on, why = c.DetachOn(env(tt.env...))
			if on != tt.detach || (why != "") != tt.detWhy {
				t.Errorf("detach %v %q", on, why)
			}
		})
	}
}

func TestHowLongAHostMayIdle(t *testing.T) {
	for _, tt := range []struct {
		toml   string
		want   time.Duration
		warned bool
	}{
		{``, time.Hour, false},
		{`host_idle_exit = "20m"`, 20 * time.Minute, false},
		{`host_idle_exit = "0"`, 0, false},
		{`host_idle_exit = "Never"`, NeverIdle, false},
		{`host_idle_exit = "-1s"`, time.Hour, true},
		{`host_idle_exit = "soon"`, time.Hour, true},
		{`host_idle_exit = 20`, time.Hour, true},
		{`host_idle_exit = `, time.Hour, true},
	} {
		c, _, _ := Load(write(t, tt.toml))
		if got, why := c.HostIdleExit(); got != tt.want || (why != "") != tt.warned {
			t.Errorf("%s: %v %q", tt.toml, got, why)
		}
	}
}

func TestSwitchesOfLooksFailOpen(t *testing.T) {
	for toml, want := range map[string]bool{
		``: true, `background = true`: true, `background = false`: false, `background = "false"`: true, `background = `: true,
	} {
		c, _, _ := Load(write(t, toml))
		if got := c.BackgroundOn(); got != want || !c.TerminalTitleOn() || !c.HostStatusOn() {
			t.Errorf("%s: %v", toml, got)
		}
	}
}

func TestWhatIsNoFileIsNotWaitedOn(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, fileName), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _, err := Load(dir)
	if on, _ := c.JournalOn(env()); err == nil || on {
		t.Errorf("%v, journal %v", err, on)
	}
	if err := SaveProvider(dir, "grok"); err == nil {
		t.Error("a pipe was replaced")
	}
}

func TestAJournalsName(t *testing.T) {
	if got := JournalDir("/c", "/home/me/src/app"); got != "/c/journal/--home-me-src-app--" {
		t.Error(got)
	}
	long := JournalDir("/c", "/"+strings.Repeat("é", 200)+"/app")
	other := JournalDir("/c", "/x"+strings.Repeat("é", 200)+"/app")
	if name := filepath.Base(long); len(name) > nameMax || !strings.HasSuffix(name, "é-app--") || !utf8.ValidString(name) || long == other {
		t.Errorf("%q (%d bytes), %q", name, len(name), other)
	}
	at := time.Date(2026, 9, 20, 0, 59, 29, 5, time.FixedZone("", 2*3600))
	if got := JournalFile(at, "01a0"); got != "20260919T225929Z_01a0.jsonl" {
		t.Error(got)
	}
}

func TestWhatBelongsToOneTerminalIsNotHandedOn(t *testing.T) {
	got := HandOn([]string{"PATH=/b", "TMUX=1", "HERDR_ENV=1", "CRAZE_AGENT_BIN=x", "CRAZE_PROVIDER=y", "CRAZE_HOME=rel", "A=b=c"}, "/abs")
	if diff := cmp.Diff([]string{"PATH=/b", "A=b=c", "CRAZE_HOME=/abs"}, got); diff != "" {
		t.Error(diff)
	}
}
