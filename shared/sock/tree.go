package sock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// makePrivate makes dir, a canonical path, and what is missing above it, each
// 0700, and checks the whole: every ancestor is root's or the uid's and closed
// to others' writing but for a sticky one, and dir itself is the uid's. A dir
// that others may only read is closed to them; one they may write is refused,
// since what they have put there cannot be told.
func makePrivate(dir string, uid int) error {
	if err := checkAncestors(filepath.Dir(dir), uid); err != nil {
		return err
	}
	if err := os.Mkdir(dir, dirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	case owner(info) != uid:
		return fmt.Errorf("%s belongs to another user", dir)
	case info.Mode().Perm()&othersWrite != 0:
		return fmt.Errorf("%s can be written by other users", dir)
	case info.Mode().Perm() != dirMode:
		return os.Chmod(dir, dirMode)
	}
	return nil
}

// checkAncestors walks from the root to dir, making what is missing. Checking
// from the top down means that nobody else can replace a directory that has
// been checked.
func checkAncestors(dir string, uid int) error {
	if parent := filepath.Dir(dir); parent != dir {
		if err := checkAncestors(parent, uid); err != nil {
			return err
		}
	}
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Mkdir(dir, dirMode); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		info, err = os.Lstat(dir)
	}
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	case owner(info) != uid && owner(info) != 0:
		return fmt.Errorf("%s belongs to another user", dir)
	case info.Mode().Perm()&othersWrite != 0 && info.Mode()&fs.ModeSticky == 0:
		return fmt.Errorf("%s can be written by other users", dir)
	}
	return nil
}

// owner is the uid of a file, or -1 where the system does not say.
func owner(info fs.FileInfo) int {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1
	}
	return int(st.Uid)
}
