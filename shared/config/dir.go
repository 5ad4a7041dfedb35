package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// ErrOldConfigVar says CRAZE_CONFIG is set, which once named the config file.
// Nothing may be read or written while it is.
var ErrOldConfigVar = errors.New("CRAZE_CONFIG is no longer read: unset it, and set CRAZE_HOME to the directory that holds config.toml")

// Getenv reads one environment variable, as os.Getenv does.
type Getenv func(string) string

// Dir is the craze directory, absolute: CRAZE_HOME, or ~/.craze. A leading ~
// is the home directory; a relative CRAZE_HOME is taken from the working
// directory.
func Dir(getenv Getenv) (string, error) {
	if getenv("CRAZE_CONFIG") != "" {
		return "", ErrOldConfigVar
	}
	home := getenv("HOME")
	dir := getenv("CRAZE_HOME")
	if dir == "" {
		dir = "~/.craze"
	}
	if dir == "~" || strings.HasPrefix(dir, "~/") {
		if home == "" {
			return "", errors.New("HOME is not set: set it, or set CRAZE_HOME to an absolute path")
		}
		dir = filepath.Join(home, dir[1:])
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("craze directory: %w", err)
	}
	return abs, nil
}

// nameMax is the longest file name, in bytes, that the usual file systems take.
const nameMax = 255

// JournalDir is where a workspace's journals are kept: its path with dashes for
// the separators. A path too long for one name keeps its end, after a hash of
// the whole.
func JournalDir(crazeDir, workspace string) string {
	flat := strings.ReplaceAll(strings.Trim(workspace, "/"), "/", "-")
	if room := nameMax - len("----"); len(flat) > room {
		sum := sha256.Sum256([]byte(workspace))
		tag := hex.EncodeToString(sum[:8]) + "-"
		flat = tag + strings.ToValidUTF8(flat[len(flat)-room+len(tag):], "")
	}
	return filepath.Join(crazeDir, "journal", "--"+flat+"--")
}

// JournalFile names one run's journal.
func JournalFile(at time.Time, incarnation string) string {
	return at.UTC().Format("20060102T150405Z") + "_" + incarnation + ".jsonl"
}

// oneTerminal are the variables of one launch or one terminal, which a process
// that outlives it must not hand on. A name ending in * stands for a prefix.
var oneTerminal = []string{
	"CRAZE_PROVIDER", "CRAZE_AGENT_BIN", "CRAZE_HOST_ID", "TMUX", "TMUX_PANE", "HERDR_*", "ROOST_*",
	"STY", "WINDOW", "WINDOWID", "TERM_SESSION_ID", "ITERM_SESSION_ID", "KITTY_*", "WEZTERM_PANE", "GHOSTTY_*",
	"COLUMNS", "LINES",
}

// HandOn is the environment a host or a hub is started with: environ without
// what belongs to one terminal, and with CRAZE_HOME absolute.
func HandOn(environ []string, crazeDir string) []string {
	out := make([]string, 0, len(environ)+1)
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if name != "CRAZE_HOME" && !ofOneTerminal(name) {
			out = append(out, kv)
		}
	}
	return append(out, "CRAZE_HOME="+crazeDir)
}

func ofOneTerminal(name string) bool {
	for _, p := range oneTerminal {
		if stem, ok := strings.CutSuffix(p, "*"); ok && strings.HasPrefix(name, stem) || p == name {
			return true
		}
	}
	return false
}
