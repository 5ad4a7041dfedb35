package lifecycle

import (
	"io"
	"time"

	"craze/shared/config"
)

const (
	// closeWait is how long the agent may take to go: its two graces and some
	// slack. Past it the agent is killed.
	closeWait = 8 * time.Second
	// drainWait is how long clients are given to read what they are owed once
	// the session is over.
	drainWait = 3 * time.Second
	// journalWait is how long the last lines may take to reach the file.
	journalWait = 2 * time.Second
	// vanishCheck is how often the host looks whether it can still be reached.
	vanishCheck = time.Second
	// indexQueue is how many index rows may wait; each says all that the
	// earlier ones did, so the newest are what counts.
	indexQueue = 16
)

// Config is a host's launch, as the command line and the environment gave it.
type Config struct {
	Home     string   // HOME: where the registry is
	CrazeDir string   // the craze directory, absolute
	Environ  []string // the process's environment
	Version  string

	HostID         string // "" mints one
	Workspace      string // absolute; where the session runs
	Provider       config.Provider
	Argv           []string // the agent's command line, its binary resolved
	ArgvErr        error    // why there is none: the session's start fails with it
	Model          string
	Effort         string
	Fast           *bool  // nil leaves the agent's own
	PermissionMode string // proto.PermBypass or proto.PermPrompt
	RequestID      string
	RequestHash    string
	Journal        bool
	SaveProvider   bool // remember the provider once it has started

	Ready  io.WriteCloser // the spawner's pipe, or nil
	Log    io.Writer      // the host's log
	Stderr io.Writer      // the agent's stderr
}
