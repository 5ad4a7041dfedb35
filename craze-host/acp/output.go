package acp

import (
	"strings"

	"craze/shared/proto"

	"github.com/go-json-experiment/json/jsontext"
)

// headKept is what of a cut stream's start is kept; the rest is its end, where
// the outcome stands.
const headKept = 64 << 10

// rawOutput gathers the names agents use for what a tool gave.
type rawOutput struct {
	Output    jsontext.Value `json:"output"` // text, or its bytes as numbers
	Stdout    jsontext.Value `json:"stdout"`
	Stderr    jsontext.Value `json:"stderr"`
	Error     jsontext.Value `json:"error"`
	Text      jsontext.Value `json:"text"`
	Exit      jsontext.Value `json:"exit"`
	ExitCode  jsontext.Value `json:"exit_code"`
	ExitCode2 jsontext.Value `json:"exitCode"`
	Truncated jsontext.Value `json:"truncated"`
	Metadata  jsontext.Value `json:"metadata"` // an object of the same
}

// output reads a rawOutput. What a command printed is Stdout where there is an
// exit code, else Content; an object craze can read nothing of is Content as
// JSON, unless the call has content of its own.
func output(raw jsontext.Value, t *proto.Tool) *proto.ToolOutput {
	if s, ok := str(raw); ok {
		return fitOutput(&proto.ToolOutput{Content: s})
	}
	var r, meta rawOutput
	if raw.Kind() != '{' || lenient(raw, &r) != nil {
		return unread(raw, t)
	}
	if r.Metadata.Kind() == '{' {
		_ = lenient(r.Metadata, &meta) // then it tells nothing
	}
	o := &proto.ToolOutput{
		Stdout: first(r.Stdout), Stderr: first(r.Stderr, r.Error),
		Truncated: r.Truncated.Kind() == 't' || meta.Truncated.Kind() == 't',
	}
	exit, ended := exitCode(r.Exit, r.ExitCode, r.ExitCode2, meta.Exit, meta.ExitCode, meta.ExitCode2)
	if printed := printed(r.Output, r.Text); ended && o.Stdout == "" {
		o.Stdout = printed
	} else {
		o.Content = printed
	}
	if ended && (t.Status == proto.ToolCompleted || t.Status == proto.ToolFailed) {
		o.ExitCode = &exit // a call that still runs has not ended, whatever it says
	}
	if *o == (proto.ToolOutput{}) && !ended && absent(r.Output) {
		return unread(raw, t)
	}
	if *o == (proto.ToolOutput{}) {
		return nil
	}
	return fitOutput(o)
}

// unread stands for an output of a shape craze does not know.
func unread(raw jsontext.Value, t *proto.Tool) *proto.ToolOutput {
	if t.ContentText != "" || len(t.Diffs) > 0 {
		return nil
	}
	return fitOutput(&proto.ToolOutput{Content: compact(raw)})
}

// printed is text as a string or as an array of bytes.
func printed(vs ...jsontext.Value) string {
	for _, v := range vs {
		var numbers []int
		if v.Kind() == '[' && lenient(v, &numbers) == nil {
			text := make([]byte, 0, len(numbers))
			for _, n := range numbers {
				text = append(text, byte(n))
			}
			return strings.ToValidUTF8(string(text), replacement)
		}
	}
	return first(vs...)
}

func exitCode(vs ...jsontext.Value) (int, bool) {
	for _, v := range vs {
		if n, ok := integer(v); ok {
			return int(n), true
		}
	}
	return 0, false
}

// fitOutput cuts the streams to their bounds: the middle goes.
func fitOutput(o *proto.ToolOutput) *proto.ToolOutput {
	if len(o.Content) > toolString {
		o.Content, o.Truncated = cutString(o.Content), true
	}
	for _, s := range []struct{ all, head *string }{{&o.Stdout, &o.StdoutHead}, {&o.Stderr, &o.StderrHead}} {
		if len(*s.all) > toolString {
			*s.head = cutHead(*s.all, headKept)
			*s.all = cutTail(*s.all, toolString-headKept)
			o.Truncated = true
		}
	}
	return o
}
