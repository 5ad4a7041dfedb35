package registry

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// tempInfix marks a file that is being written. What follows is random, so
// that a crashed writer's file is in nobody's way.
const tempInfix = ".tmp-"

// tempRandom is how many random bytes tell two writers' files apart.
const tempRandom = 6

// dir is a held directory of the cache tree. Names are single components.
type dir struct {
	fd   int
	path string // for people and watchers; nothing is opened by it
	uid  int
}

func (d dir) close() error { return unix.Close(d.fd) }

// there is an error when the directory was removed while it was held: one made
// since in its place is another.
func (d dir) there() error {
	var st unix.Stat_t
	err := fstat(d.fd, &st)
	if err == nil && st.Nlink == 0 {
		err = ErrRemoved
	}
	if err != nil {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	return nil
}

// names lists the directory, in no order.
func (d dir) names() ([]string, error) {
	if err := d.there(); err != nil {
		return nil, err
	}
	fd, err := openat(d.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0) // its own offset
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", d.path, err)
	}
	f := os.NewFile(uintptr(fd), d.path)
	defer f.Close()
	return f.Readdirnames(-1)
}

// open opens a regular file of ours. A pipe or a device is refused before
// anything is read from it, and does not make the open wait.
func (d dir) open(name string, flags int) (*os.File, error) {
	fd, err := openat(d.fd, name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK, fileMode)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	var st unix.Stat_t
	err = fstat(fd, &st)
	switch {
	case err != nil:
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		err = errors.New("not a regular file")
	case int(st.Uid) != d.uid:
		err = errors.New("belongs to another user")
	case st.Nlink > 1: // none is fine: it was replaced a moment ago
		err = errors.New("has another name as well")
	case st.Mode&othersWrite != 0:
		err = errors.New("can be written by other users")
	}
	if err != nil {
		unix.Close(fd)
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), path.Join(d.path, name)), nil
}

// read reads a whole file of at most limit bytes.
func (d dir) read(name string, limit int64) ([]byte, error) {
	f, err := d.open(name, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("%s is over %d bytes", name, limit)
	}
	return b, nil
}

// replace puts a file with data in the place of name, and returns when that
// would survive a crash.
func (d dir) replace(name string, data []byte) error {
	var random [tempRandom]byte
	if _, err := rand.Read(random[:]); err != nil {
		return err
	}
	temp := name + tempInfix + hex.EncodeToString(random[:])
	f, err := d.open(temp, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = unix.Renameat(d.fd, temp, d.fd, name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("replace %s: %w", name, err), d.remove(temp))
	}
	return d.sync()
}

// remove removes a file. One that is not there is no error.
func (d dir) remove(name string) error {
	err := unix.Unlinkat(d.fd, name, 0)
	if err == nil || errors.Is(err, unix.ENOENT) {
		return nil
	}
	return fmt.Errorf("remove %s: %w", name, err)
}

// sync makes the directory's names durable.
func (d dir) sync() error {
	for {
		switch err := unix.Fsync(d.fd); err {
		case unix.EINTR:
		case nil:
			return nil
		default:
			return fmt.Errorf("sync %s: %w", d.path, err)
		}
	}
}

// same reports whether the file open as fd is the one called name.
func (d dir) same(fd int, name string) bool {
	var open, named unix.Stat_t
	return fstat(fd, &open) == nil &&
		unix.Fstatat(d.fd, name, &named, unix.AT_SYMLINK_NOFOLLOW) == nil &&
		open.Dev == named.Dev && open.Ino == named.Ino
}
