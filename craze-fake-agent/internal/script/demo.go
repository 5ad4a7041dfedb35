package script

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"craze/craze-fake-agent/internal/peer"
)

const (
	demoPace       = 60 * time.Millisecond  // between the chunks of a demo: seen to stream, over in a second
	demoSlowPace   = 100 * time.Millisecond // and of a slow one: two seconds, in which a person can cancel
	demoSlowChunks = 20
	demoNames      = 10 // entries listed: a folder may hold thousands
	demoQuote      = 60 // runes of the prompt that are repeated
)

// demo is the script of the README's tour: a turn with something of all that a
// client shows. It reads the names in the session's folder and changes nothing.
func demo() peer.Behaviour { return peer.Behaviour{Prompt: demoTurn} }

func demoTurn(ctx context.Context, t *peer.Turn) (string, error) {
	t.Thought("The prompt says " + quote(t.Prompt) + ". ")
	t.Thought("I will look at what is in the folder.")
	found, stop, err := demoLook(ctx, t)
	if stop != "" || err != nil {
		return stop, err
	}
	if strings.Contains(t.Prompt, "slow") {
		if stop := demoSlow(ctx, t); stop != peer.EndTurn {
			return stop, nil
		}
	}
	words := []string{"You said ", quote(t.Prompt) + ". ", found, "That is all this demo does: ", "no model was asked, ", "nothing was changed."}
	return drip(ctx, demoPace, len(words), func(i int) { t.Text(words[i]) }), nil
}

// demoSlow streams as a slow model does.
func demoSlow(ctx context.Context, t *peer.Turn) string {
	return drip(ctx, demoSlowPace, demoSlowChunks, func(i int) {
		t.Text(fmt.Sprintf("slowly, %d of %d\n", i+1, demoSlowChunks))
	})
}

// demoLook lists the folder in a tool call, with permission when the prompt
// speaks of one. It returns a sentence on what it found, or how the turn ends.
func demoLook(ctx context.Context, t *peer.Turn) (found, stop string, err error) {
	call := peer.ToolCall{
		ID: t.ToolID(1), Title: "List " + filepath.Base(t.Dir), Kind: "read", Status: pending,
		Locations: []peer.Location{{Path: t.Dir}}, RawInput: map[string]any{"path": t.Dir},
	}
	t.Tool(call)
	if strings.Contains(t.Prompt, "permission") {
		chosen, err := t.AskPermission(ctx, call)
		switch {
		case err != nil:
			failTool(t, "the permission was not answered")
			return "I got no permission to look, and did not. ", "", nil
		case chosen == peer.Cancelled:
			failTool(t, "cancelled")
			return "", peer.Cancelled, nil
		case chosen != peer.AllowOnce && chosen != peer.AllowAlways:
			failTool(t, "not permitted")
			return "I was not permitted to look, and did not. ", "", nil
		}
	}
	t.ToolChange(peer.ToolCall{ID: t.ToolID(1), Status: inProgress})
	entries, err := os.ReadDir(t.Dir)
	if err != nil {
		failTool(t, "cannot read the folder: "+err.Error())
		return "The folder could not be read. ", "", nil
	}
	t.ToolChange(peer.ToolCall{
		ID: t.ToolID(1), Status: completed, Content: peer.TextOutput(listing(entries)),
		RawOutput: map[string]any{"entries": len(entries)},
	})
	return count(t.Dir, entries), "", nil
}

// listing is the first names of entries, one a line, a folder with a slash.
func listing(entries []os.DirEntry) string {
	if len(entries) == 0 {
		return "(empty)\n"
	}
	var b strings.Builder
	for _, e := range entries[:min(len(entries), demoNames)] {
		b.WriteString(e.Name())
		if e.IsDir() {
			b.WriteByte('/')
		}
		b.WriteByte('\n')
	}
	if more := len(entries) - demoNames; more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	return b.String()
}

// count says how many files and folders there are.
func count(dir string, entries []os.DirEntry) string {
	folders := 0
	for _, e := range entries {
		if e.IsDir() {
			folders++
		}
	}
	return fmt.Sprintf("%s holds %s and %s. ", filepath.Base(dir),
		plural(len(entries)-folders, "file"), plural(folders, "folder"))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// quote is the first line of a prompt, cut short, in quotes.
func quote(prompt string) string {
	line, _, more := strings.Cut(prompt, "\n")
	if utf8.RuneCountInString(line) > demoQuote {
		line, more = string([]rune(line)[:demoQuote]), true
	}
	if more {
		line += "..."
	}
	return `"` + line + `"`
}
