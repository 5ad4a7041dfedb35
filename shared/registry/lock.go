package registry

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Another process that looks whether a lock is held holds it itself for the
// moment, and one that took it has not written its name at once. Both pass in
// microseconds, unless that process loses the processor; a lock is found held
// only after lockTries looks.
const (
	lockTries = 25
	lockPause = 2 * time.Millisecond
)

const lockSuffix = ".lock"

// holderMax bounds what is read of a lock file: a pid and a host id.
const holderMax = 64

var (
	errHeld  = errors.New("the lock is held")
	errStale = errors.New("the lock file was replaced")
)

// lock is a lock file that is held.
type lock struct {
	dir  dir
	name string
	file *os.File
}

// acquire takes the lock file name of d, making it where it is missing, and
// writes holder into it. It is errHeld, with what the holder wrote, when
// another process holds it.
func acquire(d dir, name, holder string) (*lock, string, error) {
	other := ""
	for range lockTries {
		l, err := take(d, name, unix.O_CREAT)
		if err == nil {
			return l, "", l.write(holder)
		}
		switch {
		case errors.Is(err, errStale):
			continue
		case !errors.Is(err, errHeld):
			return nil, "", err
		}
		if b, err := d.read(name, holderMax); err == nil && len(b) > 0 {
			other = string(bytes.TrimSpace(b))
		}
		time.Sleep(lockPause)
	}
	return nil, other, errHeld
}

// take takes the lock file name of d for itself alone, without waiting. The
// file taken is the one of that name: one that its holder removed after it was
// opened here is errStale.
func take(d dir, name string, create int) (*lock, error) {
	f, err := d.open(name, unix.O_RDWR|create)
	if err != nil {
		return nil, err
	}
	if err := flock(f, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	if !d.same(int(f.Fd()), name) {
		f.Close()
		return nil, errStale
	}
	return &lock{dir: d, name: name, file: f}, nil
}

// write names the holder in the file, for whoever finds it held.
func (l *lock) write(holder string) error {
	err := l.file.Truncate(0)
	if err == nil {
		_, err = l.file.WriteAt([]byte(holder), 0)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write the lock: %w", err), l.release())
	}
	return nil
}

// release removes the lock file, while it is still held and still the one of
// its name, and frees the lock. Whoever opened the file meanwhile finds, once
// it has the lock, that the name is gone.
func (l *lock) release() error {
	var err error
	if l.dir.same(int(l.file.Fd()), l.name) {
		err = l.dir.remove(l.name)
	}
	return errors.Join(err, flock(l.file, unix.LOCK_UN), l.file.Close())
}

// abandon frees the lock and leaves its file.
func (l *lock) abandon() { l.file.Close() }

// held reports whether somebody holds the lock file name of d for itself
// alone. Looking is shared, so that two who look at once do not take each
// other for the holder. A missing file is held by nobody.
func held(d dir, name string) (bool, error) {
	f, err := d.open(name, unix.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = flock(f, unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, errHeld) {
		return true, nil
	}
	return false, err
}

// flock applies op, or is errHeld.
func flock(f *os.File, op int) error {
	for {
		switch err := unix.Flock(int(f.Fd()), op); err {
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return errHeld
		case nil:
			return nil
		default:
			return fmt.Errorf("flock: %w", err)
		}
	}
}

// holder is the text of a host's lock or claim, and parseHolder reads one. A
// text of any other form is nobody.
func holder(pid int, hostID string) string { return strconv.Itoa(pid) + " " + hostID }

func parseHolder(s string) (pid int, hostID string) {
	first, id, _ := strings.Cut(s, " ")
	n, err := strconv.Atoi(first)
	if err != nil || n <= 0 || !ValidHostID(id) {
		return 0, ""
	}
	return n, id
}
