package agents_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"craze/tests/agents"
)

// install makes a folder as install.sh does, of programs that do nothing.
func install(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, "bin", name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFindWantsEveryAgent(t *testing.T) {
	for name, dir := range map[string]string{
		"an empty folder":       install(t),
		"a folder with one":     install(t, "opencode"),
		"a folder with another": install(t, "grok"),
		"no folder":             filepath.Join(t.TempDir(), "none"),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := agents.Find(dir); !errors.Is(err, agents.ErrNotInstalled) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func TestSetupSaysHowToRun(t *testing.T) {
	found, err := agents.Find(install(t, "opencode", "grok"))
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "home")
	open, err := found.OpenCode.Setup(folder, "http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	grok, err := found.Grok.Setup(folder, "http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"opencode": {found.OpenCode.Path, "acp"},
		"grok-lab": {found.Grok.Path, "agent", "--no-leader", "--xai-api-base-url", "http://127.0.0.1:1/v1", "stdio"},
	}
	if diff := cmp.Diff(want, map[string][]string{open.ID: open.Command, grok.ID: grok.Command}); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if open.AuthMethod != "" || grok.AuthMethod != "xai.api_key" {
		t.Errorf("auth methods %q, %q", open.AuthMethod, grok.AuthMethod)
	}
	for _, p := range []agents.Provider{open, grok} {
		if p.Env["HOME"] != folder {
			t.Errorf("%s: HOME is %q", p.ID, p.Env["HOME"])
		}
	}
	holds(t, filepath.Join(open.Env["XDG_CONFIG_HOME"], "opencode", "opencode.json"), "http://127.0.0.1:1/v1")
	holds(t, filepath.Join(grok.Env["GROK_HOME"], "config.toml"), `permission_mode = "ask"`)
}

func holds(t *testing.T, path, text string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(content), text) {
		t.Errorf("%s lacks %q: %s", path, text, content)
	}
}

func TestAProviderIsATable(t *testing.T) {
	p := agents.Provider{
		ID: "x", Label: `The "X"`, Command: []string{"/x", "acp"},
		Env: map[string]string{"B": "2", "A": `C:\1`}, AuthMethod: "key",
	}
	want := `[providers.x]
label = "The \"X\""
command = ["/x", "acp"]
env = { A = "C:\\1", B = "2" }
bypass_args = []
auth_method = "key"
`
	if diff := cmp.Diff(want, p.TOML()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"PATH=/bin", `A=C:\1`, "B=2"}, p.Environ("/bin")); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}
