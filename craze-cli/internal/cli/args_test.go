package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAFlagTakesItsValueWherever(t *testing.T) {
	cmds := (&app{}).commands()
	for _, tt := range []struct {
		name     string
		in, want []string
	}{
		{"nothing", nil, nil},
		{"a command alone", []string{"ps"}, []string{"ps", "--"}},
		{"flags between arguments", []string{"answer", "s", "--allow", "head"}, []string{"answer", "--allow", "--", "s", "head"}},
		{"a value that looks like a flag", []string{"answer", "s", "head", "--option", "--allow"}, []string{"answer", "--option", "--allow", "--", "s", "head"}},
		{"one dash", []string{"wait", "s", "-timeout", "1s"}, []string{"wait", "-timeout", "1s", "--", "s"}},
		{"an alias of a bool", []string{"log", "-f", "s"}, []string{"log", "-f", "--", "s"}},
		{"a bool takes no value", []string{"send", "--wait", "s", "x"}, []string{"send", "--wait", "--", "s", "x"}},
		{"a bool's value with =", []string{"send", "s", "x", "--wait=false"}, []string{"send", "--wait=false", "--", "s", "x"}},
		{"an empty value", []string{"new", "--model", "", "x"}, []string{"new", "--model", "", "--", "x"}},
		{"an empty value with =", []string{"new", "x", "--model="}, []string{"new", "--model=", "--", "x"}},
		{"the same flag twice", []string{"answer", "s", "--option", "a", "q", "--option", "b"}, []string{"answer", "--option", "a", "--option", "b", "--", "s", "q"}},
		{"an empty argument", []string{"send", "", "x"}, []string{"send", "--", "", "x"}},
		{"a second --", []string{"send", "s", "--", "--", "x"}, []string{"send", "--", "s", "--", "x"}},
		{"-- as a value", []string{"new", "--model", "--", "x"}, []string{"new", "--model", "--", "--", "x"}},
		{"help", []string{"help", "send"}, []string{"help", "send"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := permute(tt.in, cmds)
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

func TestAFlagAtTheEndWithoutItsValueIsRefused(t *testing.T) {
	for _, in := range []string{"new --provider", "wait s --timeout", "new x -C", "answer s q --option"} {
		got, err := permute(strings.Fields(in), (&app{}).commands())
		if e, ok := err.(exitErr); !ok || e.code != exitUsage || got != nil {
			t.Errorf("%s: %v %v", in, got, err)
		}
	}
}

func TestTheNearestCommandIsAtMostTwoLettersOff(t *testing.T) {
	cmds := (&app{}).commands()
	for word, want := range map[string]string{
		"psx": "ps", "stpo": "stop", "sen": "send", "lgo": "log", "anwser": "answer", "cancle": "cancel", "versoin": "version",
		"sk-pasted-secret": "", "stoppppp": "",
	} {
		if got := nearest(word, cmds); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestWhatHelpPrintsIsTheResult(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"help"}, {"help", "send"}, {"send", "--help"}} {
		if out, err, code := run(t, "", args...); !strings.Contains(out, "craze-cli") || err != "" || code != exitDone {
			t.Errorf("%v: exit %d, %q, %q", args, code, out, err)
		}
	}
	for _, c := range (&app{}).commands() {
		if c.Usage == "" || c.Flags == nil && c.Name != "version" {
			t.Errorf("%s has nothing to tell of itself", c.Name)
		}
	}
}
