//go:build !linux

package spawn

// Marked reports false: only Linux shows a process's environment.
func Marked(int, string) bool { return false }

// KillMarked kills nothing here.
func KillMarked(string) int { return 0 }
