package transcript

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"craze/shared/proto"
)

// codec is how this package writes JSON: bad UTF-8 is replaced rather than
// refused, because a fold is total, and maps come out in one order.
var codec = json.JoinOptions(jsontext.AllowInvalidUTF8(true), json.Deterministic(true))

// fit gives v with no string over the cap, and whether one was cut. v itself
// is returned when nothing needs changing; otherwise a deep copy.
func fit[T any](v *T, walk func(*T, func(*string)), most int) (*T, bool) {
	cut, bad := false, false
	walk(v, func(s *string) {
		cut = cut || len(*s) > most
		bad = bad || !utf8.ValidString(*s)
	})
	if !cut && !bad {
		return v, false
	}
	v, cut = deepCopy(v), false
	walk(v, func(s *string) {
		if len(*s) > most {
			*s, cut = (*s)[:runeFloor(*s, most)], true
		}
	})
	return v, cut
}

// deepCopy copies a wire value through its own codec; it is for the rare
// value that fit must change.
func deepCopy[T any](v *T) *T {
	out := new(T)
	raw, err := json.Marshal(v, codec)
	if err == nil {
		err = json.Unmarshal(raw, out, codec)
	}
	if err != nil { // only a time outside RFC 3339 could do this, and stamp has been there
		return new(T)
	}
	return out
}

func each(list []string, f func(*string)) {
	for i := range list {
		f(&list[i])
	}
}

func walkAll(f func(*string), list ...*string) {
	for _, s := range list {
		f(s)
	}
}

func walkTool(t *proto.Tool, f func(*string)) {
	walkAll(f, &t.ID, &t.Name, &t.Status, &t.Kind, &t.Title, &t.ToolName, &t.RawInput, &t.ContentText)
	each(t.Locations, f)
	if o := t.Output; o != nil {
		walkAll(f, &o.Stdout, &o.Stderr, &o.Content, &o.StdoutHead, &o.StderrHead)
	}
	for i := range t.Diffs {
		walkAll(f, &t.Diffs[i].Path, &t.Diffs[i].OldText, &t.Diffs[i].NewText)
	}
	if k := t.Task; k != nil {
		walkAll(f, &k.Description, &k.Prompt, &k.Model, &k.AgentID, &k.SubagentType, &k.Status)
	}
}

func walkPlan(p *proto.Plan, f func(*string)) {
	walkAll(f, &p.ID, &p.Name, &p.Overview, &p.Plan)
	walkTodos(&p.Todos, f)
}

func walkTodos(list *[]proto.Todo, f func(*string)) {
	for i := range *list {
		t := &(*list)[i]
		walkAll(f, &t.ID, &t.Content, &t.Status)
	}
}

func walkAsk(a *Ask, f func(*string)) {
	f(&a.ID)
	if p := a.Body.Permission; p != nil {
		f(&p.ID)
		if p.Tool != nil {
			walkTool(p.Tool, f)
		}
		for i := range p.Options {
			walkAll(f, &p.Options[i].OptionID, &p.Options[i].Name, &p.Options[i].Kind)
		}
	}
	if q := a.Body.Question; q != nil {
		walkQuestion(q, f)
	}
	if a.Body.Plan != nil {
		walkPlan(a.Body.Plan, f)
	}
}

func walkQuestion(q *proto.Question, f func(*string)) {
	walkAll(f, &q.ID, &q.Title)
	for i := range q.Questions {
		item := &q.Questions[i]
		walkAll(f, &item.ID, &item.Prompt)
		for j := range item.Options {
			walkAll(f, &item.Options[j].ID, &item.Options[j].Label, &item.Options[j].Description)
		}
	}
	for _, list := range q.Answers {
		each(list, f)
	}
}

func walkEnded(e *Ended, f func(*string)) { walkAll(f, &e.ID, &e.Outcome, &e.By) }

func walkTurn(t *Turn, f func(*string)) { walkAll(f, &t.ID, &t.Text, &t.Origin) }

func walkRow(q *proto.QueueRow, f func(*string)) { walkAll(f, &q.ID, &q.Text) }

func walkAgent(a *proto.Subagent, f func(*string)) {
	walkAll(f, &a.ID, &a.AttemptID, &a.ParentID, &a.ToolCallID, &a.Description, &a.SubagentType, &a.Model,
		&a.Status, &a.Error, &a.Prompt, &a.Output, &a.Activity)
	each(a.ToolsUsed, f)
}

func walkString(s *string, f func(*string)) { f(s) }

func walkConfig(c *proto.Config, f func(*string)) {
	for i := range c.Options {
		o := &c.Options[i]
		walkAll(f, &o.ID, &o.Name, &o.Category, &o.Type, &o.Current)
		for j := range o.SelectValues {
			walkAll(f, &o.SelectValues[j].Value, &o.SelectValues[j].Name)
		}
	}
}

func walkCommands(c *proto.Commands, f func(*string)) {
	for i := range c.Commands {
		walkAll(f, &c.Commands[i].Name, &c.Commands[i].Description)
	}
}

func walkPlugins(p *proto.Plugins, f func(*string)) {
	for i := range p.Plugins {
		c := &p.Plugins[i]
		walkAll(f, &c.Plugin, &c.Bare, &c.Display, &c.Qualified, &c.Description, &c.Kind)
	}
}

func walkSendNow(s *proto.SendNow, f func(*string)) { walkAll(f, &s.Text, &s.FromRow, &s.Turn) }

func walkCatalog(m *proto.ModelList, f func(*string)) {
	for i := range m.Models {
		v := &m.Models[i]
		walkAll(f, &v.ID, &v.Name, &v.DefaultEffort, &v.SwitchEffort)
		each(v.Efforts, f)
	}
}

// walkSlashProse visits the strings of a catalog that a cut does not turn
// into another action; walkSlashKeys visits the others of one row.
func walkSlashProse(c *proto.SlashCatalog, f func(*string)) {
	for i := range c.Items {
		walkAll(f, &c.Items[i].Description, &c.Items[i].Run.ArgHint, &c.Items[i].Run.Reason)
	}
}

func walkSlashKeys(r *proto.SlashRow, f func(*string)) {
	run := &r.Run
	walkAll(f, &r.Name, &r.Source, &r.Plugin, &r.Qualified, &r.Requires,
		&run.Kind, &run.Local, &run.Method, &run.Param, &run.Arg, &run.Picker)
	if s := run.Setting; s != nil {
		walkAll(f, &s.Kind, &s.ID, &s.Value, &s.ForModel)
	}
}
