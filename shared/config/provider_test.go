package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
		{"an override that is a bare name", "gx", Lookup{AgentBin: "tool", Path: bin}, []string{tool, "agent", "stdio"}},
		{"an override that is nowhere", "t", Lookup{AgentBin: "/nowhere/x", Path: bin}, nil},
		{"an override that is on no PATH", "t", Lookup{AgentBin: "gone", Path: bin}, nil},
		{"nowhere", "grok", Lookup{Path: bin}, nil},
		{"a PATH that is relative", "t", Lookup{Path: "."}, nil},
		{"a sibling that is not there", Demo, Lookup{Sibling: func(string) (string, error) { return "", errors.New("no") }}, nil},
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

func TestABinaryThatIsNotThereSaysWhereItWasLookedFor(t *testing.T) {
	c, _, err := Load(write(t, "[agents]\ngx = '/nowhere/gx'\n[providers.a]\ncommand = ['/opt/none']\n[providers.b]\ncommand = ['none']\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ id, override, want string }{
		{Cursor, "", "agent binary not found: cursor-agent or agent is not on PATH; install it, or set [agents].cursor in config.toml"},
		{GX, "", "agent binary not found: [agents].gx in config.toml is /nowhere/gx"},
		{GX, "/x/y", "agent binary not found: the agent binary that was named is /x/y"},
		{"a", "", "agent binary not found: the command of [providers.a] in config.toml is /opt/none"},
		{"b", "", "agent binary not found: none is not on PATH; install it, or give its path in [providers.b] in config.toml"},
	} {
		p, err := c.Provider(tt.id)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Argv(p, Lookup{AgentBin: tt.override, Path: "/nowhere"})
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v", tt.id, err)
		}
	}
}

func TestATableThatCannotBeUsedSaysWhy(t *testing.T) {
	for _, tt := range []struct{ id, body, want string }{
		{"later", `command = ["x"]` + "\nlater = 1", ""},
		{"absolute", `command = ["/opt/x", "acp"]`, ""},
		{"blank", `command = ["x"]` + "\nlabel = ' '", ""},
		{"UPPER", `command = ["x"]`, "lower-case"},
		{`"a\nb"`, `command = ["x"]`, `"a\nb"`},
		{strings.Repeat("x", 65), `command = ["x"]`, "at most 64"},
		{"native", `command = ["x"]`, "craze's own"},
		{"demo", `command = ["x"]`, "craze's own"},
		{"a", `label = "no command"`, "no command"},
		{"b", `command = []`, "no command"},
		{"c", `command = "x acp"`, "command is not a list"},
		{"d", `command = ["./x"]`, "absolute path"},
		{"e", `command = [""]`, "absolute path"},
		{"f", `command = ["x", 1]`, "list of strings"},
		{"g", `command = ["x"]` + "\nenv = { A = 1 }", "env is not a table of strings"},
		{"h", `command = ["x"]` + "\nenv = { \"A=B\" = \"c\" }", "env has a name"},
		{"i", `command = ["x"]` + "\nlabel = \"two\\nlines\"", "one line"},
		{"j", `command = ["x\u0000"]`, "list of strings"},
		{"k", `command = ["x"]` + "\nauth_method = true", "auth_method is not a string"},
		{"l", `command = ["x"]` + "\nbypass_args = 'y'", "bypass_args is not a list"},
	} {
		t.Run(tt.id, func(t *testing.T) {
			c, warnings, err := Load(write(t, "[providers."+tt.id+"]\n"+tt.body+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			if all := strings.Join(warnings, "|"); tt.want == "" && all != "" || !strings.Contains(all, tt.want) || strings.Contains(all, "\n") {
				t.Errorf("warnings %q", warnings)
			}
			offered := c.Offered("", Lookup{Path: "/nowhere"})
			if got := len(offered) == 3; got != (tt.want == "") {
				t.Errorf("offered %+v", offered)
			}
		})
	}
}

func TestTheProviderOfALaunch(t *testing.T) {
	const table = "\n[providers.mine]\ncommand = ['x']\n[providers.bad]\n"
	for _, tt := range []struct {
		name, flag, variable, file, want string
		warned, failed                   bool
	}{
		{"nothing is named", "", "", "", Cursor, false, false},
		{"the flag wins", "grok", "gx", "mine", Grok, false, false},
		{"then the variable", "", "gx", "mine", GX, false, false},
		{"then the file", "", "", "mine", "mine", false, false},
		{"an unknown flag", "nope", "gx", "mine", "", false, true},
		{"an unknown variable is not the file's turn", "", "nope", "mine", Cursor, true, false},
		{"an unknown id in the file", "", "", "nope", Cursor, true, false},
		{"a table that cannot be used", "", "", "bad", Cursor, true, false},
		{"native", "native", "", "", "", false, true},
		{"demo when it is the default", "", "", "demo", Demo, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _, err := Load(write(t, "provider = '"+tt.file+"'"+table))
			if err != nil {
				t.Fatal(err)
			}
			p, warning, err := c.Choose(tt.flag, env("CRAZE_PROVIDER", tt.variable))
			if p.ID != tt.want || (warning != "") != tt.warned || (err != nil) != tt.failed {
				t.Errorf("%q, %q, %v", p.ID, warning, err)
			}
		})
	}
}

func TestWhatIsOffered(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "gx"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c, _, err := Load(write(t, "[providers.zed]\ncommand = ['z']\n[providers.amp]\ncommand = ['a']\n[providers.bad]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, def string
		l         Lookup
		want      string
	}{
		{"no gx here", Cursor, Lookup{Path: "/nowhere"}, "cursor grok amp zed"},
		{"gx here", Cursor, Lookup{Path: bin}, "cursor grok gx amp zed"},
		{"gx is the default", GX, Lookup{Path: "/nowhere"}, "cursor grok gx amp zed"},
		{"another's override says nothing of gx", Cursor, Lookup{Path: bin, AgentBin: "/nowhere/x"}, "cursor grok gx amp zed"},
		{"demo is the default", Demo, Lookup{Path: "/nowhere"}, "cursor grok demo amp zed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var ids []string
			for _, p := range c.Offered(tt.def, tt.l) {
				ids = append(ids, p.ID)
			}
			if got := strings.Join(ids, " "); got != tt.want {
				t.Error(got)
			}
		})
	}
}

func TestWherePermissionsAreBypassed(t *testing.T) {
	c, _, err := Load(write(t, "[providers.mine]\ncommand = ['x', 'acp']\nbypass_args = ['--yes', 'all']\n"))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		Cursor: "cursor-agent --force acp",
		Grok:   "grok agent --no-leader --always-approve stdio",
		GX:     "gx agent --always-approve stdio",
		Demo:   "craze-fake-agent -script demo",
		"mine": "x acp --yes all",
	} {
		p, err := c.Provider(id)
		if err != nil {
			t.Fatal(err)
		}
		plain := strings.Join(p.Command, " ")
		if got := strings.Join(p.Bypassed(p.Command), " "); got != want || strings.Join(p.Command, " ") != plain {
			t.Errorf("%s: %q from %q", id, got, p.Command)
		}
	}
}
