package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

func TestAProviderTable(t *testing.T) {
	c, warnings, err := Load(write(t, `
[providers.opencode]
label = "OpenCode"
command = ["opencode", "acp"]
env = { A = "1" }
later = true
[providers.grok]
command = ["x"]
[providers.empty]
label = "e"
[providers.typed]
command = "x"
[agents]
cursor = "bin/cursor"
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 4 {
		t.Errorf("warnings %q", warnings)
	}
	got, err := c.Provider("opencode")
	want := Provider{
		ID: "opencode", Label: "OpenCode", Command: []string{"opencode", "acp"}, Names: []string{"opencode"},
		Env: map[string]string{"A": "1"}, Dialect: DialectACP,
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if _, err := c.Provider("nope"); !errors.Is(err, ErrUnknownProvider) {
		t.Errorf("%v", err)
	}
	if _, err := c.Provider("typed"); err == nil {
		t.Error("a command that is a string was taken")
	}
}

func TestTheAgentsBinary(t *testing.T) {
	bin := t.TempDir()
	tool := filepath.Join(bin, "tool")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c, _, err := Load(write(t, "[agents]\ncursor = \""+tool+"\"\ngx = \"/nowhere/gx\"\n[providers.t]\ncommand = [\"tool\", \"acp\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, id string
		l        Lookup
		want     []string
	}{
		{"on PATH", "t", Lookup{Path: bin}, []string{tool, "acp"}},
		{"set in [agents]", "cursor", Lookup{Path: "/nowhere"}, []string{tool, "acp"}},
		{"set and missing is no fallback", "gx", Lookup{Path: bin}, nil},
		{"an override wins", "gx", Lookup{AgentBin: tool}, []string{tool, "agent", "stdio"}},
		{"nowhere", "grok", Lookup{Path: bin}, nil},
		{"a sibling", Demo, Lookup{Sibling: func(n string) (string, error) { return "/s/" + n, nil }}, []string{"/s/craze-fake-agent", "-script", "demo"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := c.Provider(tt.id)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Argv(p, tt.l)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if (err != nil) != (tt.want == nil) || err != nil && !errors.Is(err, ErrNoBinary) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestSavingTheProviderKeepsTheRest(t *testing.T) {
	dir := write(t, "theme = \"x\"\n[unknown]\nn = 9007199254740993\n")
	if err := SaveProvider(dir, "grok"); err != nil {
		t.Fatal(err)
	}
	c, _, err := Load(dir)
	if err != nil || c.DefaultProvider() != "grok" || c.str("theme") != "x" || c.raw("unknown", "n") != int64(9007199254740993) {
		t.Errorf("%v %q %v", err, c.DefaultProvider(), c.raw("unknown", "n"))
	}
	broken := write(t, "theme = ")
	if err := SaveProvider(broken, "grok"); err == nil {
		t.Error("a broken file was replaced")
	}
	if b, _ := os.ReadFile(filepath.Join(broken, fileName)); string(b) != "theme = " {
		t.Errorf("it holds %q", b)
	}
}

func TestWhatBelongsToOneTerminalIsNotHandedOn(t *testing.T) {
	got := HandOn([]string{"PATH=/b", "TMUX=1", "HERDR_ENV=1", "CRAZE_AGENT_BIN=x", "CRAZE_PROVIDER=y", "CRAZE_HOME=rel", "A=b=c"}, "/abs")
	if diff := cmp.Diff([]string{"PATH=/b", "A=b=c", "CRAZE_HOME=/abs"}, got); diff != "" {
		t.Error(diff)
	}
}
