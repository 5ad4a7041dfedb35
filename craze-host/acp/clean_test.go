package acp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCleanMakesOnePlainLine(t *testing.T) {
	cases := map[string]struct {
		in    string
		limit int
		want  string
	}{
		"plain":                     {"a b", 100, "a b"},
		"colours go":                {"\x1b[1;31mred\x1b[0m", 100, "red"},
		"an OSC goes":               {"a\x1b]0;title\x07b\x1b]52;c;AA\x1b\\c", 100, "abc"},
		"an endless one is dropped": {"a\x1b]0;title", 100, "a]0;title"},
		"a lone escape":             {"a\x1b", 100, "a"},
		"line ends and tabs fold":   {" a\r\n\tb \u2028 c\n", 100, "a b c"},
		"C1 controls":               {"a\u009bb", 100, "a b"},
		"bidi overrides":            {"a\u202eb\u200bc", 100, "abc"},
		"bad bytes":                 {"a\xffb", 100, "a\uFFFDb"},
		"cut at a rune":             {"ééééé", 8, "éé…"},
		"exactly the limit":         {"12345678", 8, "12345678"},
		"nothing":                   {"", 8, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := clean(c.in, c.limit); got != c.want {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestStderrTailKeepsTheLastWords(t *testing.T) {
	long := strings.Repeat("é", 600) + "end"
	cases := map[string]struct{ in, want string }{
		"blank lines go":           {"a\n\n  \nb\n\n", "a / b"},
		"a long last keeps end":    {"first\n" + long + "\n", cutTail(long, tailMax)},
		"no half lines before it":  {strings.Repeat("x", 510) + "\nlast\n", "last"},
		"nothing":                  {"\n\n", ""},
		"escapes do not count":     {"\x1b[2K\x1b[1G\n\x1b[31mx\x1b[0m", "x"},
		"the newest of many lines": {strings.Repeat("0123456789\n", 100), strings.Repeat("0123456789 / ", 38) + "0123456789"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := stderrTail([]byte(c.in))
			if got != c.want {
				t.Errorf("%q", got)
			}
			if len(got) > tailMax || !utf8.ValidString(got) {
				t.Errorf("%d bytes", len(got))
			}
		})
	}
}

func TestLookPathIsByTheAgentsOwnPath(t *testing.T) {
	if p, err := lookPath("sh", []string{"PATH=/nowhere", "PATH=relative:/bin:/usr/bin"}); err != nil || !strings.HasSuffix(p, "/sh") {
		t.Error(p, err)
	}
	plain := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{plain, "./sh", "/bin"} {
		if p, err := lookPath(name, []string{"PATH=/bin"}); err == nil {
			t.Error(name, p)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[1m\u202e\xff\n", uint8(20))
	f.Fuzz(func(t *testing.T, s string, limit uint8) {
		n := int(limit) + len(cutMark)
		got := clean(s, n)
		if len(got) > n || !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\n\r\u009b\u202e") {
			t.Errorf("%q", got)
		}
		if again := clean(got, n); again != got {
			t.Errorf("%q became %q", got, again)
		}
	})
}
