package registry

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// ErrLocked says that a process with this host id lives. The caller mints
// another id.
var ErrLocked = errors.New("a host with this id is running")

// Lifetime is a host's life in the registry: while it is held the host lives.
// It belongs to one goroutine at a time.
type Lifetime struct {
	hosts  dir
	hostID string
	lock   *lock
}

// Lock takes the lifetime lock of a host, which must come before its socket
// is bound and its entry written. The error is ErrLocked when it is held.
func (r *Registry) Lock(hostID string) (*Lifetime, error) {
	if !ValidHostID(hostID) {
		return nil, errors.New("lock a host's lifetime: not a host id")
	}
	l, _, err := acquire(r.hosts, hostID+lockSuffix, holder(os.Getpid(), hostID))
	if errors.Is(err, errHeld) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, fmt.Errorf("lock a host's lifetime: %w", err)
	}
	return &Lifetime{hosts: r.hosts, hostID: hostID, lock: l}, nil
}

// Write replaces the host's entry; its HostID is this host's. When it returns
// every reader sees the entry, and a crash keeps it.
func (l *Lifetime) Write(e Entry) error {
	e.HostID, e.StartedAt = l.hostID, e.StartedAt.UTC()
	if err := write(l.hosts, l.hostID+entrySuffix, e); err != nil {
		return fmt.Errorf("write the registry entry: %w", err)
	}
	return nil
}

// Vanished reports whether an entry that was written is gone, so that no
// client can find the host any more.
func (l *Lifetime) Vanished() bool {
	var st unix.Stat_t
	err := unix.Fstatat(l.hosts.fd, l.hostID+entrySuffix, &st, unix.AT_SYMLINK_NOFOLLOW)
	return errors.Is(err, unix.ENOENT)
}

// Unlink removes the host's entry, the first act of a clean exit. An entry
// that is not there is no error.
func (l *Lifetime) Unlink() error {
	return errors.Join(l.hosts.remove(l.hostID+entrySuffix), l.hosts.sync())
}

// Release ends the host's life in the registry, the last act of a clean exit.
func (l *Lifetime) Release() error { return l.lock.release() }
