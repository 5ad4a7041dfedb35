package script

import (
	"context"
	"path/filepath"

	"craze/craze-fake-agent/internal/peer"
)

// Statuses of a tool call and of a task.
const (
	pending    = "pending"
	inProgress = "in_progress"
	completed  = "completed"
	failed     = "failed"
)

// shellCall is the tool call of the scripts that run no tool.
func shellCall(t *peer.Turn) peer.ToolCall {
	return peer.ToolCall{
		ID: t.ToolID(1), Title: "echo ok", Kind: "execute", Status: pending,
		RawInput: map[string]any{"command": "echo ok", "cwd": t.Dir},
	}
}

func tool(_ context.Context, t *peer.Turn) (string, error) {
	t.Tool(shellCall(t))
	runShell(t)
	t.Text("tool said: ok\n")
	return peer.EndTurn, nil
}

// runShell tells of the shell call's running and its end.
func runShell(t *peer.Turn) {
	t.ToolChange(peer.ToolCall{ID: t.ToolID(1), Status: inProgress})
	t.ToolChange(peer.ToolCall{
		ID: t.ToolID(1), Status: completed, Content: peer.TextOutput("ok\n"),
		RawOutput: map[string]any{"output": "ok\n", "exit": 0},
	})
}

func failTool(t *peer.Turn, why string) {
	t.ToolChange(peer.ToolCall{
		ID: t.ToolID(1), Status: failed, Content: peer.TextOutput(why),
		RawOutput: map[string]any{"error": why},
	})
}

func ask(ctx context.Context, t *peer.Turn) (string, error) {
	t.Tool(shellCall(t))
	chosen, err := t.AskPermission(ctx, shellCall(t))
	switch {
	case err != nil:
		chosen = "error " + err.Error()
		failTool(t, "the permission was not answered")
	case chosen == peer.Cancelled:
		failTool(t, "cancelled")
		return peer.Cancelled, nil
	case chosen == peer.AllowOnce || chosen == peer.AllowAlways:
		runShell(t)
	default:
		failTool(t, "not permitted")
	}
	t.Text("answered: " + chosen)
	return peer.EndTurn, nil
}

func diff(_ context.Context, t *peer.Turn) (string, error) {
	changed, created := filepath.Join(t.Dir, "notes.txt"), filepath.Join(t.Dir, "fresh.txt")
	oldText, newText, freshText := "one\ntwo\nthree\n", "one\nTWO\nthree\n", "fresh\n"
	for n, c := range []peer.ToolContent{
		{Type: "diff", Path: changed, OldText: &oldText, NewText: &newText},
		{Type: "diff", Path: created, NewText: &freshText},
	} {
		t.Tool(peer.ToolCall{
			ID: t.ToolID(n + 1), Title: "Edit " + filepath.Base(c.Path), Kind: "edit", Status: pending,
			Locations: []peer.Location{{Path: c.Path}}, RawInput: map[string]any{"path": c.Path},
		})
		t.ToolChange(peer.ToolCall{ID: t.ToolID(n + 1), Status: completed, Content: []peer.ToolContent{c}})
	}
	t.Text("edited notes.txt and wrote fresh.txt, in words only")
	return peer.EndTurn, nil
}

func todos(_ context.Context, t *peer.Turn) (string, error) {
	tasks := []peer.Task{
		{Content: "read the prompt", Priority: "high", Status: pending},
		{Content: "think about it", Priority: "medium", Status: pending},
		{Content: "answer it", Priority: "low", Status: pending},
	}
	t.Plan(tasks)
	for i := range tasks {
		tasks[i].Status = inProgress
		t.Plan(tasks)
		tasks[i].Status = completed
	}
	t.Plan(tasks)
	t.Text("all three done")
	return peer.EndTurn, nil
}
