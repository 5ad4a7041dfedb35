package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Host is a live host. Err says why its entry cannot be read: the host lives,
// but which session it serves is not known.
type Host struct {
	ID    string
	Entry Entry
	Err   error
}

// Hosts is every live host that has written an entry, by host id. Hosts that
// died are swept on the way. An error is the directory's: which hosts live is
// not known then.
func (r *Registry) Hosts() ([]Host, error) {
	names, err := r.hosts.names()
	if err != nil {
		return nil, err
	}
	files := map[string][]string{}
	for _, name := range names {
		if id, ok := hostOf(name); ok {
			files[id] = append(files[id], name)
		}
	}
	var hosts []Host
	for id, names := range files {
		if h, live := r.look(id, names); live {
			hosts = append(hosts, h)
		}
	}
	slices.SortFunc(hosts, func(a, b Host) int { return strings.Compare(a.ID, b.ID) })
	return hosts, nil
}

// Host is one host, and false when it does not live or has written no entry.
// An error is the directory's.
func (r *Registry) Host(id string) (Host, bool, error) {
	if !ValidHostID(id) {
		return Host{}, false, nil
	}
	if err := r.hosts.there(); err != nil {
		return Host{}, false, err
	}
	h, live := r.look(id, []string{id + entrySuffix})
	return h, live, nil
}

// Live reports whether the host's lifetime lock is held, entry or not.
func (r *Registry) Live(id string) (bool, error) {
	if !ValidHostID(id) {
		return false, nil
	}
	live, err := held(r.hosts, id+lockSuffix)
	if err != nil {
		return false, fmt.Errorf("look at host %s: %w", id, err)
	}
	return live, nil
}

// hostOf is the host that a file of the hosts directory belongs to.
func hostOf(name string) (string, bool) {
	id, rest, _ := strings.Cut(name, ".")
	ok := ValidHostID(id) && ("."+rest == lockSuffix || "."+rest == entrySuffix || strings.HasPrefix("."+rest, entrySuffix+tempInfix))
	return id, ok
}

// look reads a live host's entry, or sweeps a dead one's files. A lock that
// cannot be looked at proves nothing: a host with an entry is taken to live.
func (r *Registry) look(id string, files []string) (Host, bool) {
	live, err := r.Live(id)
	if err == nil && !live {
		r.sweep(id, files)
		return Host{}, false
	}
	e, entryErr := readEntry(r.hosts, id)
	if errors.Is(entryErr, fs.ErrNotExist) {
		return Host{}, false // starting or leaving: it lists itself, or did
	}
	return Host{ID: id, Entry: e, Err: errors.Join(err, entryErr)}, true
}

// sweep removes what a dead host left, if nobody else is at it. Taking the
// lock is the right to: a host that is starting makes its lock file just
// before it takes the lock, and finds then that it was removed.
//
// What cannot be removed is tried again by the next reader. It is no reader's
// failure: the host is known to be dead, whatever it left.
func (r *Registry) sweep(id string, files []string) {
	l, err := take(r.hosts, id+lockSuffix, unix.O_CREAT)
	if err != nil {
		return
	}
	left := false
	for _, name := range files {
		if name != l.name && r.hosts.remove(name) != nil {
			left = true
		}
	}
	if left {
		l.abandon()
		return
	}
	_ = l.release()
}
