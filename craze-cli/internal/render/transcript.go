package render

import (
	"fmt"
	"slices"
	"strings"

	"craze/shared/proto"
	"craze/shared/text"
	"craze/shared/transcript"
)

// lineCells bounds a line that stands for something longer.
const lineCells = 160

// Entry is one entry of a transcript, for reading.
func Entry(e transcript.Entry) string {
	switch e.Kind {
	case transcript.KindUser:
		return "> " + strings.ReplaceAll(text.Clean(e.Text), "\n", "\n> ") + "\n"
	case transcript.KindAssistant:
		return text.Clean(e.Text) + "\n"
	case transcript.KindThought:
		return "~ " + strings.ReplaceAll(strings.TrimSpace(text.Clean(e.Text)), "\n", "\n~ ") + "\n"
	case transcript.KindTool:
		return Tool(e.Tool)
	case transcript.KindError:
		return "! " + text.OneLine(e.Text, lineCells) + "\n"
	}
	return "- " + text.OneLine(e.Text, lineCells) + "\n"
}

// Tool is one line of a tool call: what it is, and how it stands.
func Tool(t *proto.Tool) string {
	if t == nil {
		return ""
	}
	name := t.Title
	for _, s := range []string{t.ToolName, t.Name, t.Kind} {
		if name == "" {
			name = s
		}
	}
	return fmt.Sprintf("* %s [%s]\n", text.OneLine(name, lineCells), text.OneLine(t.Status, lineCells))
}

// Ask is an open ask and how to answer it. session is its short id.
func Ask(session string, a proto.Ask) string {
	var b strings.Builder
	a.ID = text.OneLine(a.ID, lineCells) // an agent's own, for most
	fmt.Fprintf(&b, "%s %s asks:\n", text.OneLine(string(a.Kind), lineCells), a.ID)
	switch {
	case a.Body.Permission != nil:
		permission(&b, session, a)
	case a.Body.Question != nil:
		question(&b, session, a)
	case a.Body.Plan != nil:
		p := a.Body.Plan
		fmt.Fprintf(&b, "%s\n%s\n", text.OneLine(p.Name, lineCells), text.Clean(p.Plan))
		fmt.Fprintf(&b, "answer with: craze answer %s %s --accept or --reject\n", session, a.ID)
	}
	return b.String()
}

func permission(b *strings.Builder, session string, a proto.Ask) {
	p := a.Body.Permission
	if p.Tool != nil {
		b.WriteString("  " + strings.TrimPrefix(Tool(p.Tool), "* "))
	}
	flags := []string{}
	say := func(flag string) {
		if !slices.Contains(flags, flag) {
			flags = append(flags, flag)
		}
	}
	for _, o := range p.Options {
		fmt.Fprintf(b, "  %s: %s\n", text.OneLine(o.OptionID, lineCells), text.OneLine(o.Name, lineCells))
		switch o.Kind {
		case proto.OptAllowOnce:
			say("--allow")
		case proto.OptAllowAlways:
			say("--always")
		case proto.OptRejectOnce, proto.OptRejectAlways:
			say("--reject")
		default:
			say("--option ID")
		}
	}
	fmt.Fprintf(b, "answer with: craze answer %s %s %s\n", session, a.ID, strings.Join(flags, " or "))
}

func question(b *strings.Builder, session string, a proto.Ask) {
	for _, q := range a.Body.Question.Questions {
		fmt.Fprintf(b, "  %s\n", text.OneLine(q.Prompt, lineCells))
		for _, o := range q.Options {
			fmt.Fprintf(b, "    %s: %s\n", text.OneLine(o.ID, lineCells), text.OneLine(o.Label, lineCells))
		}
	}
	fmt.Fprintf(b, "answer with: craze answer %s %s --option ID or --skip\n", session, a.ID)
}
