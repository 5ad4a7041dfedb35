package acp

import (
	"strconv"
	"strings"

	"craze/craze-host/agent"
	"craze/shared/proto"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/diff"
)

// Bounds of one tool call. Everything of it, with a permission's options, stays
// below a sixth of proto.MaxRecordBytes: an escaped byte takes six.
const (
	toolMax      = 1184 << 10 // bytes of all its strings
	toolString   = 224 << 10  // bytes of one
	locationsMax = 64
	pathMax      = 1 << 10
	diffsMax     = 256
	cutSuffix    = "… [truncated]"
	countMax     = 1 << 20 // bytes of the two texts of which changed lines are found exactly
)

// Bounds of the tool calls kept for merging; the oldest go first, and an
// update of one that went starts it anew.
const (
	toolsKept      = 512
	toolsKeptBytes = 32 << 20
)

// toolbox holds the tool calls of the session, by id.
type toolbox struct {
	tools map[string]*toolState
	order []string
	bytes int
}

// toolState is a tool call as merged. Its slices and Output are replaced, never
// changed, so that what was told stays as it was.
type toolState struct {
	proto.Tool
	size int
}

// rawTool is a tool_call, a tool_call_update, or a permission's toolCall: a
// member that is missing or null leaves things as they are.
type rawTool struct {
	ID        jsontext.Value `json:"toolCallId"`
	Title     jsontext.Value `json:"title"`
	Kind      jsontext.Value `json:"kind"`
	Status    jsontext.Value `json:"status"`
	Content   jsontext.Value `json:"content"`
	Locations jsontext.Value `json:"locations"`
	RawInput  jsontext.Value `json:"rawInput"`
	RawOutput jsontext.Value `json:"rawOutput"`
}

func (l *loop) toolCall(update jsontext.Value)   { l.tool(update, true) }
func (l *loop) toolUpdate(update jsontext.Value) { l.tool(update, false) }

// tool merges an update and tells the whole call. A tool_call begins a call
// afresh even where the id was used before.
func (l *loop) tool(update jsontext.Value, begins bool) {
	var raw rawTool
	if lenient(update, &raw) != nil || first(raw.ID) == "" {
		l.badLine("agent tool call of %d bytes skipped: it has no id", len(update))
		return
	}
	l.flushHalf()
	id := cutHead(first(raw.ID), nameMax)
	t := proto.Tool{ID: id, Status: proto.ToolPending}
	if known := l.tools.tools[id]; known != nil && !begins {
		t = known.Tool
	}
	overlay(&t, &raw)
	l.tools.keep(t)
	l.tell(agent.ToolCall{Tool: t})
}

// asked gives the tool of a permission: what is known of the call, with what
// the request adds. The call itself stays as its updates have it.
func (b *toolbox) asked(call jsontext.Value) *proto.Tool {
	var raw rawTool
	if absent(call) || lenient(call, &raw) != nil {
		return nil
	}
	t := proto.Tool{ID: cutHead(first(raw.ID), nameMax)}
	if known := b.tools[t.ID]; known != nil {
		t = known.Tool
	}
	overlay(&t, &raw)
	return &t
}

// keep stores a call and lets the oldest go.
func (b *toolbox) keep(t proto.Tool) {
	if b.tools == nil {
		b.tools = map[string]*toolState{}
	}
	if old := b.tools[t.ID]; old != nil {
		b.bytes -= old.size
	} else {
		b.order = append(b.order, t.ID)
	}
	s := &toolState{Tool: t, size: sizeOf(&t)}
	b.tools[t.ID] = s
	b.bytes += s.size
	for len(b.order) > 1 && (len(b.order) > toolsKept || b.bytes > toolsKeptBytes) {
		b.bytes -= b.tools[b.order[0]].size
		delete(b.tools, b.order[0])
		b.order = b.order[1:]
	}
}

// sizeOf is what a call's strings take.
func sizeOf(t *proto.Tool) int {
	n := len(t.ID) + len(t.Title) + len(t.RawInput) + len(t.ContentText)
	for _, loc := range t.Locations {
		n += len(loc)
	}
	if o := t.Output; o != nil {
		n += len(o.Stdout) + len(o.Stderr) + len(o.Content) + len(o.StdoutHead) + len(o.StderrHead)
	}
	for _, d := range t.Diffs {
		n += len(d.Path) + len(d.OldText) + len(d.NewText)
	}
	return n
}

// overlay lays what raw has over t, within the bounds.
func overlay(t *proto.Tool, raw *rawTool) {
	set := func(into *string, v jsontext.Value, limit int) {
		if s := first(v); s != "" {
			*into = cutHead(s, limit)
		}
	}
	set(&t.Title, raw.Title, descMax)
	set(&t.Kind, raw.Kind, nameMax)
	set(&t.Status, raw.Status, nameMax)
	if !absent(raw.RawInput) {
		t.RawInput = cutString(compact(raw.RawInput))
	}
	if !absent(raw.Locations) {
		t.Locations = locations(raw.Locations)
	}
	if !absent(raw.Content) {
		t.ContentText, t.Diffs = contents(raw.Content)
	}
	if !absent(raw.RawOutput) {
		t.Output = output(raw.RawOutput, t)
	}
	fitDiffs(t)
}

// compact is a value's JSON without white space.
func compact(v jsontext.Value) string {
	v = v.Clone()
	_ = v.Compact() // valid: it was decoded out of a whole line
	return string(v)
}

// cutString cuts a string to its bound, with the mark.
func cutString(s string) string {
	if len(s) <= toolString {
		return s
	}
	return cutHead(s, toolString-len(cutSuffix)) + cutSuffix
}

// locations gives path, or path:line.
func locations(raw jsontext.Value) []string {
	var list []struct {
		Path jsontext.Value `json:"path"`
		Line jsontext.Value `json:"line"`
	}
	if lenient(raw, &list) != nil {
		return nil
	}
	var out []string
	for _, r := range list[:min(len(list), locationsMax)] {
		path := cutHead(first(r.Path), pathMax)
		if line, ok := integer(r.Line); ok && path != "" {
			path += ":" + strconv.FormatInt(line, 10)
		}
		if path != "" {
			out = append(out, path)
		}
	}
	return out
}

// contents gives the text of a call's content, and its diffs.
func contents(raw jsontext.Value) (string, []proto.Diff) {
	var list []jsontext.Value
	if lenient(raw, &list) != nil {
		return "", nil
	}
	var text strings.Builder
	var diffs []proto.Diff
	for _, v := range list {
		var c struct {
			Type    jsontext.Value `json:"type"`
			Content jsontext.Value `json:"content"`
			Path    jsontext.Value `json:"path"`
			Old     jsontext.Value `json:"oldText"`
			New     jsontext.Value `json:"newText"`
		}
		if lenient(v, &c) != nil {
			continue
		}
		switch kind := first(c.Type); {
		case kind == "content" && text.Len() <= toolString:
			if s, ok := str(textOf(c.Content)); ok && s != "" {
				if text.Len() > 0 {
					text.WriteByte('\n')
				}
				text.WriteString(s)
			}
		case kind == "diff" && len(diffs) < diffsMax:
			diffs = append(diffs, newDiff(first(c.Path), first(c.Old), first(c.New)))
		}
	}
	return cutString(text.String()), diffs
}

// newDiff counts the changed lines of the whole texts.
func newDiff(path, before, after string) proto.Diff {
	added, removed := changedLines(before, after)
	return proto.Diff{Path: cutHead(path, pathMax), OldText: before, NewText: after, Added: added, Removed: removed}
}

// changedLines counts added and removed lines: exactly for texts of ordinary
// size; else every line between the first and the last that differ.
func changedLines(before, after string) (added, removed int) {
	if len(before)+len(after) > countMax {
		return roughLines(before, after)
	}
	hunks := 0
	for line := range strings.Lines(string(diff.Diff("", []byte(before), "", []byte(after)))) {
		switch {
		case strings.HasPrefix(line, "@@"):
			hunks++
		case hunks == 0: // the file names
		case line[0] == '+':
			added++
		case line[0] == '-':
			removed++
		}
	}
	return added, removed
}

func roughLines(before, after string) (added, removed int) {
	a, b := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(b), len(a)
}

// fitDiffs cuts the diffs' texts so that the whole call keeps its bound.
func fitDiffs(t *proto.Tool) {
	diffs := t.Diffs
	t.Diffs = nil
	left := toolMax - sizeOf(t)
	out := make([]proto.Diff, 0, len(diffs))
	for _, d := range diffs {
		if left -= len(d.Path); left < 0 {
			break
		}
		for _, s := range []*string{&d.OldText, &d.NewText} {
			keep := max(0, min(toolString, left))
			if len(*s) > keep {
				*s, d.Truncated = cutHead(*s, keep), true
			}
			left -= len(*s)
		}
		out = append(out, d)
	}
	if len(out) > 0 {
		t.Diffs = out
	}
}
