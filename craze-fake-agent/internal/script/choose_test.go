package script

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScriptIsFoundInAnyAgentsCommandLine(t *testing.T) {
	for _, c := range []struct {
		name  string
		line  string
		named string
		want  string // part of the error, "" for none
	}{
		{"nothing said", "acp", "", ""},
		{"by the environment", "agent --no-leader stdio", "tool", ""},
		{"by the environment, with an argument after a space", "", "burst 5", ""},
		{"by the line, over the environment", "-script echo acp", "no-such", ""},
		{"two dashes and an equals sign", "--force --script=slow:20,3 acp", "", ""},
		{"with the dialect's prefix", "-script acp-echo", "", ""},
		{"the argument apart", "-script burst 500 acp", "", ""},
		{"what follows is no argument of it", "-script burst acp", "", ""},
		{"a flag with nothing after it", "acp -script", "", ""},
		{"unknown name", "-script nope", "", `unknown script "nope"`},
		{"grok's dialect", "", "grok-echo", `unknown script "grok-echo"`},
		{"bad number", "-script burst:x", "", `"x" is no whole number`},
		{"number under 1", "-script slow:0", "", `"0" is no whole number`},
		{"too many numbers", "-script long:1,2", "", "too many numbers"},
		{"bad word", "-script crash-start:soon", "", "neither early nor late"},
		{"argument of a script that takes none", "-script echo:loud", "", "takes no argument"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Choose(strings.Fields(c.line), c.named)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if (c.want == "") != (err == nil) || !strings.Contains(got, c.want) {
				t.Errorf("error %q, want %q", got, c.want)
			}
		})
	}
}

func TestNameAndArgumentAreParted(t *testing.T) {
	for _, c := range []struct {
		line []string
		want []string // name and what follows, nil for no flag
	}{
		{[]string{"acp"}, nil},
		{[]string{"x", "-script", "burst:5", "acp"}, []string{"burst", "5"}},
		{[]string{"--script", "burst 5,2"}, []string{"burst", "5,2"}},
		{[]string{"-script=echo"}, []string{"echo", ""}},
	} {
		value, _, ok := flagValue(c.line)
		var got []string
		if ok {
			name, arg := split(value)
			got = []string{name, arg}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%v: %s", c.line, d)
		}
	}
}

func TestEveryScriptIsDescribedInOneLine(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range All() {
		if s.Name == "" || s.Help == "" || strings.ContainsAny(s.Help, "\n\t") || seen[s.Name] {
			t.Errorf("script %q: %q", s.Name, s.Help)
		}
		seen[s.Name] = true
		if _, err := s.Behaviour(""); err != nil {
			t.Errorf("without an argument: %v", err)
		}
	}
	if !seen[Default] {
		t.Errorf("no script %s", Default)
	}
}

func TestLongAnswersLinesSayWhereTheyBegin(t *testing.T) {
	whole := longText(0, 2*longChunk)
	if got := longText(0, longChunk) + longText(longChunk, longChunk); got != whole {
		t.Error("the chunks do not join")
	}
	if got := len(strings.SplitAfter(whole, "\n")[0]); got != longLine {
		t.Errorf("a line is %d bytes, want %d", got, longLine)
	}
	if want := "byte      32768 of"; whole[longChunk:longChunk+len(want)] != want {
		t.Errorf("the second chunk begins %q", whole[longChunk:longChunk+longLine])
	}
}
