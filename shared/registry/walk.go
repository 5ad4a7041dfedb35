package registry

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	dirMode     = 0o700
	fileMode    = 0o600
	groupWrite  = 0o020
	worldWrite  = 0o002
	othersWrite = groupWrite | worldWrite
	othersAny   = 0o077
)

// cacheDir is the one directory of the walk that many systems make writable by
// its owner's group. It is tolerated: nothing below it is opened by path.
const cacheDir = ".cache"

// leaves are the directories below <HOME>/.cache/craze that are held open.
const (
	hostsDir    = "hosts"
	hubsDir     = "hubs"
	locksDir    = "locks"
	logsDir     = "host-logs"
	resultsDir  = "results"
	catalogsDir = "catalogs"
)

// step opens the directory name of at. Its error names where.
func step(at int, name, where string) (int, error) {
	fd, err := openat(at, name, walkFlags|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) {
		return -1, fmt.Errorf("%s is not a directory, or a link to one: set HOME to the directory's real path: %w", where, err)
	}
	if err != nil {
		return -1, fmt.Errorf("%s: %w", where, err)
	}
	return fd, nil
}

// openat is unix.Openat, closed on exec, tried again when a signal came.
func openat(at int, name string, flags int, mode uint32) (int, error) {
	for {
		fd, err := unix.Openat(at, name, flags|unix.O_CLOEXEC, mode)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// walkHome opens home, checking every component from the root down.
func walkHome(home string, uid int) (int, error) {
	if !filepath.IsAbs(home) {
		return -1, errors.New("HOME is not an absolute path")
	}
	fd, err := step(unix.AT_FDCWD, "/", "/")
	if err != nil {
		return -1, err
	}
	if err := checkAncestor(fd, "/", uid, false); err != nil {
		unix.Close(fd)
		return -1, err
	}
	where := "/"
	for _, name := range components(fd, home) {
		where = path.Join(where, name)
		next, err := step(fd, name, where)
		unix.Close(fd)
		if err != nil {
			return -1, err
		}
		fd = next
		if err := checkAncestor(fd, where, uid, false); err != nil {
			unix.Close(fd)
			return -1, err
		}
	}
	return fd, nil
}

// components is the way from the root to home. The root's own links, such as
// /tmp and /home where a system keeps those elsewhere, are written out: only
// root can make them. No other link is followed.
func components(root int, home string) []string {
	names := strings.FieldsFunc(filepath.Clean(home), func(r rune) bool { return r == '/' })
	if len(names) == 0 {
		return nil
	}
	var st unix.Stat_t
	err := unix.Fstatat(root, names[0], &st, unix.AT_SYMLINK_NOFOLLOW)
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFLNK || st.Uid != 0 {
		return names
	}
	target := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(root, names[0], target)
	if err != nil {
		return names
	}
	real := path.Join("/", string(target[:n]), path.Join(names[1:]...))
	return strings.FieldsFunc(real, func(r rune) bool { return r == '/' })
}

// checkAncestor judges a directory above craze's own. A sticky one that all
// may write is fine: nobody can replace another's directory in it.
func checkAncestor(fd int, where string, uid int, cache bool) error {
	var st unix.Stat_t
	if err := fstat(fd, &st); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	own := int(st.Uid) == uid
	forbidden := uint32(othersWrite)
	if cache && own {
		forbidden = worldWrite
	}
	mode := uint32(st.Mode)
	switch {
	case !own && st.Uid != 0:
		return fmt.Errorf("%s belongs to another user", where)
	case mode&forbidden != 0 && mode&unix.S_ISVTX == 0:
		return fmt.Errorf("%s can be written by other users: chmod go-w it", where)
	}
	return nil
}

// descend opens the directory name of at, making it where it is missing.
func descend(at int, name, where string) (int, error) {
	fd, err := step(at, name, where)
	if !errors.Is(err, unix.ENOENT) {
		return fd, err
	}
	if err := unix.Mkdirat(at, name, dirMode); err != nil && !errors.Is(err, unix.EEXIST) {
		return -1, fmt.Errorf("make %s: %w", where, err)
	}
	return step(at, name, where)
}

// own opens the directory name of at as one of craze's own: the uid's, closed
// to all others. One that others may only read is closed to them; in one they
// may write anything may have been put.
func own(at int, name, where string, uid int) (dir, error) {
	anchor, err := descend(at, name, where)
	if err != nil {
		return dir{}, err
	}
	defer unix.Close(anchor)
	fd, err := openat(anchor, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return dir{}, fmt.Errorf("%s: %w", where, err)
	}
	d := dir{fd: fd, path: where, uid: uid}
	var st unix.Stat_t
	err = fstat(fd, &st)
	switch {
	case err != nil:
	case int(st.Uid) != uid:
		err = errors.New("belongs to another user")
	case st.Mode&othersWrite != 0:
		err = errors.New("can be written by other users: remove it, it is made again")
	case st.Mode&0o777 != dirMode:
		err = unix.Fchmod(fd, dirMode)
	}
	if err != nil {
		d.close()
		return dir{}, fmt.Errorf("%s: %w", where, err)
	}
	return d, nil
}

func fstat(fd int, st *unix.Stat_t) error {
	for {
		if err := unix.Fstat(fd, st); err != unix.EINTR {
			return err
		}
	}
}
