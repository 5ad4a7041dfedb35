package peer

// Content is a content block of text.
type Content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// TextContent makes a content block of text.
func TextContent(text string) Content { return Content{Type: "text", Text: text} }

// ToolCall is a tool call as the client is told of it; in an update, what is
// zero is left out.
type ToolCall struct {
	ID        string         `json:"toolCallId"`
	Title     string         `json:"title,omitzero"`
	Kind      string         `json:"kind,omitzero"`
	Status    string         `json:"status,omitzero"`
	Locations []Location     `json:"locations,omitzero"`
	RawInput  map[string]any `json:"rawInput,omitzero"`
	Content   []ToolContent  `json:"content,omitzero"`
	RawOutput map[string]any `json:"rawOutput,omitzero"`
}

// Location is a file a tool call touches.
type Location struct {
	Path string `json:"path"`
	Line int    `json:"line,omitzero"`
}

// ToolContent is one piece of what a tool call gave: of type content with a
// block, or of type diff with a path and texts. OldText nil is a new file.
type ToolContent struct {
	Type    string   `json:"type"`
	Content *Content `json:"content,omitzero"`
	Path    string   `json:"path,omitzero"`
	OldText *string  `json:"oldText,omitzero"`
	NewText *string  `json:"newText,omitzero"`
}

// TextOutput makes a tool call's content of one text.
func TextOutput(text string) []ToolContent {
	c := TextContent(text)
	return []ToolContent{{Type: "content", Content: &c}}
}

type toolUpdate struct {
	Kind     string `json:"sessionUpdate"`
	ToolCall `json:",inline"`
}

// Tool tells of a tool call for the first time.
func (s *Session) Tool(c ToolCall) { s.Update(toolUpdate{Kind: "tool_call", ToolCall: c}) }

// ToolChange tells what has changed in a tool call.
func (s *Session) ToolChange(c ToolCall) {
	s.Update(toolUpdate{Kind: "tool_call_update", ToolCall: c})
}

// Task is an entry of the agent's plan.
type Task struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}

// Plan tells the whole plan.
func (s *Session) Plan(tasks []Task) {
	s.Update(struct {
		Kind    string `json:"sessionUpdate"`
		Entries []Task `json:"entries"`
	}{"plan", tasks})
}

// Command is a slash command the agent offers; Hint says what its input is, ""
// for none.
type Command struct{ Name, Description, Hint string }

// Commands tells all the commands there are.
func (s *Session) Commands(commands []Command) {
	type input struct {
		Hint string `json:"hint"`
	}
	type command struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Input       *input `json:"input,omitzero"`
	}
	all := []command{}
	for _, c := range commands {
		one := command{Name: c.Name, Description: c.Description}
		if c.Hint != "" {
			one.Input = &input{Hint: c.Hint}
		}
		all = append(all, one)
	}
	s.Update(struct {
		Kind     string    `json:"sessionUpdate"`
		Commands []command `json:"availableCommands"`
	}{"available_commands_update", all})
}

// Title tells the session's title.
func (s *Session) Title(title string) {
	s.Update(struct {
		Kind  string `json:"sessionUpdate"`
		Title string `json:"title"`
	}{"session_info_update", title})
}
