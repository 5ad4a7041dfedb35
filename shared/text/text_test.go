package text

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCleanDropsWhatATerminalWouldObey(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain lines and tabs stay", "a\tb\nc", "a\tb\nc"},
		{"other scripts and emoji stay", "naïve 日本 👩\u200d👧 \u200fא", "naïve 日本 👩\u200d👧 \u200fא"},
		{"colours", "\x1b[1;31mred\x1b[0m", "red"},
		{"colon parameters and private ones", "\x1b[38:2:1:2:3mx\x1b[?25l\x1b[>4;1m", "x"},
		{"8-bit control sequence as a rune", "\u009b2Jx", "x"},
		{"8-bit control sequence as a byte", "\x9b2Jx", "x"},
		{"clipboard, ended by bel", "a\x1b]52;c;aGk=\x07b", "ab"},
		{"a link, ended by st", "\x1b]8;;http://x\x1b\\y\x1b]8;;\x1b\\", "y"},
		{"8-bit string, ended by 8-bit st", "a\u009d0;t\u009cb", "ab"},
		{"8-bit string of bytes", "a\x9d0;t\x9cb", "ab"},
		{"device control, application and privacy strings", "a\x1bPq#\x1b\\b\x1b_x\x1b\\c\x1b^y\x1b\\d\x1bXz\x1b\\e", "abcde"},
		{"a string that is not ended hides its line only", "a\x1b]0;evil\nb", "a\nb"},
		{"a string cut by a sequence", "a\x1b]0;evil\x1b[31mb", "ab"},
		{"a string cut by cancel", "a\x1b]0;evil\x18b", "ab"},
		{"a control sequence cut by a line", "a\x1b[12\nb", "a\nb"},
		{"a control sequence cut by a letter of another script", "\x1b[1é", "é"},
		{"charset and two-byte escapes", "\x1b(Bx\x1b7\x1bcy", "xy"},
		{"an escape at the end", "x\x1b", "x"},
		{"a control introducer at the end", "x\x1b[", "x"},
		{"nested escapes leave none", "\x1b\x1b[31mx", "x"},
		{"carriage returns, backspaces, bells, nul, del", "a\r\nb\b\a\x00\x7fc", "a\nbc"},
		{"other C1 characters", "a\u0085b\u0084c", "abc"},
		{"bidirectional overrides and isolates", "a\u202eb\u2066c\u2069d\u202ae", "abcde"},
		{"separators of lines", "a\u2028b\u2029c", "a\nb\nc"},
		{"an invalid byte", "a\xffb", "a\ufffdb"},
		{"a rune cut short is one mark and eats nothing", "a\xe2\x9bhello", "a\ufffdhello"},
		{"a continuation alone", "a\xbfb", "a\ufffdb"},
		{"the mark itself stays", "a\ufffdb", "a\ufffdb"},
	}
	for _, tt := range tests {
		if got := Clean(tt.in); got != tt.want {
			t.Errorf("%s: Clean(%q) = %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

func TestOneLineIsTheFirstLineWithText(t *testing.T) {
	tests := []struct {
		name, in string
		cells    int
		want     string
	}{
		{"nothing", "", 10, ""},
		{"blank lines", " \n\t\n\r\n", 10, ""},
		{"the first line with text, trimmed", "\n  \n  go test ./...  \nsecond", 200, "go test ./..."},
		{"a line blank but for controls is passed over", "\x1b[31m\u202e\nx", 10, "x"},
		{"tabs go to their stops", "a\tb\tcccc\td", 200, "a   b   cccc    d"},
		{"just fits", "abcde", 5, "abcde"},
		{"one too many", "abcdef", 5, "abcd…"},
		{"the space before the cut goes", "ab cdef", 4, "ab…"},
		{"wide runes are not halved", "日本語", 4, "日…"},
		{"a family is one", "👩\u200d👧\u200d👦 home", 4, "👩\u200d👧\u200d👦…"},
		{"one cell", "abc", 1, "…"},
		{"no cell", "abc", 0, ""},
	}
	for _, tt := range tests {
		if got := OneLine(tt.in, tt.cells); got != tt.want {
			t.Errorf("%s: OneLine(%q, %d) = %q, want %q", tt.name, tt.in, tt.cells, got, tt.want)
		}
	}
}

func TestTitleIsNormalizedAsItIsStored(t *testing.T) {
	long := strings.Repeat("é", TitleMax)
	tests := []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"nothing but what is dropped", "\u200b\u2060\ufeff \t\x1b[31m", ""},
		{"trimmed", "  Fix the login bug ", "Fix the login bug"},
		{"folded onto one line", "Fix\nthe\t\tlogin \u00a0 bug", "Fix the login bug"},
		{"a carriage return is dropped, not a space", "a\rb", "ab"},
		{"spaces on both sides of a dropped character are a run", "a \u200b b", "a b"},
		{"joiners and marks stay", "👩\u200d👧 a\u200cb \u200fx\u200e", "👩\u200d👧 a\u200cb \u200fx\u200e"},
		{"invalid bytes", "a\xffb", "a\ufffdb"},
		{"the longest stays", long, long},
		{"a longer one is cut", long + "x", long},
		{"trimmed after the cut", strings.Repeat("x", TitleMax-1) + " y", strings.Repeat("x", TitleMax-1)},
		{"the cut comes before the trim", " " + long, long[:len(long)-len("é")]},
	}
	for _, tt := range tests {
		if got := Title(tt.in); got != tt.want {
			t.Errorf("%s: Title(%q) = %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

func TestAgeRoundsDownToOneUnit(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Minute: "0s", 0: "0s", 999 * time.Millisecond: "0s", 42 * time.Second: "42s",
		59*time.Second + 999*time.Millisecond: "59s", time.Minute: "1m", 5*time.Minute + 59*time.Second: "5m",
		time.Hour: "1h", 23*time.Hour + 59*time.Minute: "23h", 24 * time.Hour: "1d", 150 * time.Hour: "6d",
	} {
		if got := Age(d); got != want {
			t.Errorf("Age(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestTildeStandsForTheHomeDirectoryOnly(t *testing.T) {
	tests := []struct{ path, home, want string }{
		{"/home/me", "/home/me", "~"},
		{"/home/me/x", "/home/me/", "~/x"},
		{"/home/mea", "/home/me", "/home/mea"},
		{"/srv", "/home/me", "/srv"},
		{"/srv", "", "/srv"},
		{"/srv", "/", "/srv"},
	}
	for _, tt := range tests {
		if got := Tilde(tt.path, tt.home); got != tt.want {
			t.Errorf("Tilde(%q, %q) = %q, want %q", tt.path, tt.home, got, tt.want)
		}
	}
}

// nasty draws text in which sequences, their parts, cut runes and wide
// characters are as likely as letters.
func nasty() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{
			"\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1b\\", "\x9b", "\x9d", "\x9c", "\u009b", "\u009d", "\u009c",
			"\x07", "\x18", "31m", "\r", "\n", "\t", " ", "\u202e", "\u2066", "\u2028", "\u200b", "\u200d", "\ufe0f",
			"日", "👩", "\u0301", "❤", "\xe2\x82", "\xf0", "\xff", "\x80", "a", "🇩", "🇪",
		}),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 4), func(b []byte) string { return string(b) }),
	)
	return rapid.Map(rapid.SliceOf(piece), func(p []string) string { return strings.Join(p, "") })
}

// unsafe is the first rune of s that no cleaned text holds, but those allowed.
func unsafe(s, allowed string) (rune, bool) {
	for _, r := range s {
		bidi := r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
		if (unicode.IsControl(r) || bidi || r == '\u2028' || r == '\u2029') && !strings.ContainsRune(allowed, r) {
			return r, true
		}
	}
	return 0, !utf8.ValidString(s)
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func checkAll(t fataler, s string, cells int) {
	t.Helper()
	clean, line, title := Clean(s), OneLine(s, cells), Title(s)
	for _, c := range []struct{ name, got, again, allowed string }{
		{"Clean", clean, Clean(clean), "\n\t"},
		{"OneLine", line, OneLine(line, cells), ""},
		{"Title", title, Title(title), ""},
	} {
		if r, bad := unsafe(c.got, c.allowed); bad {
			t.Fatalf("%s(%q) = %q holds %U or invalid UTF-8", c.name, s, c.got, r)
		}
		if c.again != c.got {
			t.Fatalf("%s(%q) = %q, and again %q", c.name, s, c.got, c.again)
		}
	}
	if w := Cells(line); w > max(cells, 0) {
		t.Fatalf("OneLine(%q, %d) = %q is %d cells", s, cells, line, w)
	}
	if n := utf8.RuneCountInString(title); n > TitleMax {
		t.Fatalf("Title(%q) has %d runes", s, n)
	}
}

func TestWhateverComesInTheRulesHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkAll(t, nasty().Draw(t, "text"), rapid.IntRange(-1, 40).Draw(t, "cells"))
	})
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a\tb\nc", "\x1b[31mx\x1b]0;t\x07", "\x9b\xe2\x82日👩\u200d👧\u202e"} {
		f.Add(s, 7)
	}
	f.Fuzz(func(t *testing.T, s string, cells int) { checkAll(t, s, cells%300) })
}
