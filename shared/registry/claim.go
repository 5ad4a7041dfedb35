package registry

import (
	"errors"
	"fmt"
	"os"
)

// HeldError says that another host serves the session. The caller goes to
// that host. The fields are zero where the holder could not be read.
type HeldError struct {
	HostID string
	PID    int
}

// Error names the holder.
func (e *HeldError) Error() string {
	if e.HostID == "" {
		return "another host serves the session"
	}
	return fmt.Sprintf("host %s (pid %d) serves the session", e.HostID, e.PID)
}

// Claim is the right to serve a session, held by one host at a time.
type Claim struct{ lock *lock }

// Claim takes the claim of a session for a host, before it loads the session.
// The error is a *HeldError when another host has it.
func (r *Registry) Claim(sessionID, hostID string) (*Claim, error) {
	if !ValidSessionID(sessionID) || !ValidHostID(hostID) {
		return nil, errors.New("claim a session: not a session id and a host id")
	}
	l, other, err := acquire(r.locks, sessionID+lockSuffix, holder(os.Getpid(), hostID))
	if errors.Is(err, errHeld) {
		pid, id := parseHolder(other)
		return nil, &HeldError{HostID: id, PID: pid}
	}
	if err != nil {
		return nil, fmt.Errorf("claim a session: %w", err)
	}
	return &Claim{lock: l}, nil
}

// Release gives the session up, after the host's entry is unlinked.
func (c *Claim) Release() error { return c.lock.release() }
