package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"
)

// ErrHubRunning says that a hub of the namespace runs. The caller dials it.
var ErrHubRunning = errors.New("a hub of this craze directory is running")

// HubRecord is what a hub says of itself in the registry.
type HubRecord struct {
	Protocol     int       `json:"protocol"`
	HubID        string    `json:"hubId"`
	PID          int       `json:"pid"`
	StartedAt    time.Time `json:"startedAt"`
	Socket       string    `json:"socket"` // absolute and canonical
	CrazeVersion string    `json:"crazeVersion,omitzero"`
}

// HubLock is a hub's life in the registry. It belongs to one goroutine at a
// time.
type HubLock struct {
	hubs dir
	ns   string
	lock *lock
}

// HubLock takes the hub's lock of a namespace, before its socket is bound. The
// error is ErrHubRunning when it is held.
func (r *Registry) HubLock(ns string) (*HubLock, error) {
	if !validNS(ns) {
		return nil, errors.New("lock the hub: not a namespace")
	}
	l, _, err := acquire(r.hubs, ns+lockSuffix, strconv.Itoa(os.Getpid()))
	if errors.Is(err, errHeld) {
		return nil, ErrHubRunning
	}
	if err != nil {
		return nil, fmt.Errorf("lock the hub: %w", err)
	}
	return &HubLock{hubs: r.hubs, ns: ns, lock: l}, nil
}

// Write replaces the hub's record.
func (l *HubLock) Write(rec HubRecord) error {
	rec.StartedAt = rec.StartedAt.UTC()
	if err := write(l.hubs, l.ns+entrySuffix, rec); err != nil {
		return fmt.Errorf("write the hub's record: %w", err)
	}
	return nil
}

// Release removes the hub's record and frees the lock, after its socket is
// closed.
func (l *HubLock) Release() error {
	return errors.Join(l.hubs.remove(l.ns+entrySuffix), l.lock.release())
}

// Hub is the record of the namespace's running hub, and false when none runs
// or it has written none yet. What a dead hub left stays for the next one.
func (r *Registry) Hub(ns string) (HubRecord, bool, error) {
	if !validNS(ns) {
		return HubRecord{}, false, errors.New("find the hub: not a namespace")
	}
	live, err := held(r.hubs, ns+lockSuffix)
	if err != nil || !live {
		return HubRecord{}, false, err
	}
	var rec HubRecord
	err = read(r.hubs, ns+entrySuffix, &rec)
	if errors.Is(err, fs.ErrNotExist) {
		return HubRecord{}, false, nil
	}
	if err != nil {
		return HubRecord{}, false, fmt.Errorf("read the hub's record: %w", err)
	}
	return rec, true, nil
}
