package registry

import (
	"errors"
	"fmt"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// EntryMax bounds an entry or a record, in bytes. The longest that craze
// writes is a workspace and a few ids, under a tenth of it.
const EntryMax = 64 << 10

// ErrRemoved says that the cache tree was removed under an open Registry. The
// caller opens another.
var ErrRemoved = errors.New("the directory was removed")

// Registry is the cache tree of one home directory, held open.
type Registry struct {
	hosts, hubs, locks, logs, results, catalogs dir
}

// Open walks to the cache tree of home (the process's HOME, absolute), makes
// what is missing of it, and holds it. The error names the component that
// cannot be trusted.
func Open(home string) (*Registry, error) {
	uid := os.Geteuid()
	fd, err := walkHome(home, uid)
	if err != nil {
		return nil, fmt.Errorf("open the registry: %w", err)
	}
	defer unix.Close(fd)
	cachePath := path.Join(home, cacheDir)
	cache, err := descend(fd, cacheDir, cachePath)
	if err != nil {
		return nil, fmt.Errorf("open the registry: %w", err)
	}
	defer unix.Close(cache)
	if err := checkAncestor(cache, cachePath, uid, true); err != nil {
		return nil, fmt.Errorf("open the registry: %w", err)
	}
	root, err := own(cache, "craze", path.Join(cachePath, "craze"), uid)
	if err != nil {
		return nil, fmt.Errorf("open the registry: %w", err)
	}
	defer root.close()
	return openLeaves(root)
}

// openLeaves opens the directories of root, or none.
func openLeaves(root dir) (*Registry, error) {
	r := &Registry{}
	opened := []dir{}
	for _, leaf := range []struct {
		at   *dir
		name string
	}{
		{&r.hosts, hostsDir},
		{&r.hubs, hubsDir},
		{&r.locks, locksDir},
		{&r.logs, logsDir},
		{&r.results, resultsDir},
		{&r.catalogs, catalogsDir},
	} {
		d, err := own(root.fd, leaf.name, path.Join(root.path, leaf.name), root.uid)
		if err != nil {
			for _, o := range opened {
				o.close()
			}
			return nil, fmt.Errorf("open the registry: %w", err)
		}
		*leaf.at, opened = d, append(opened, d)
	}
	return r, nil
}

// Close lets go of the tree. Locks that were taken stay held until they are
// released, which must be before.
func (r *Registry) Close() error {
	var errs []error
	for _, d := range []dir{r.hosts, r.hubs, r.locks, r.logs, r.results, r.catalogs} {
		errs = append(errs, d.close())
	}
	return errors.Join(errs...)
}

// HostsDir is the path of the directory that holds the entries, for a watcher
// of its changes.
func (r *Registry) HostsDir() string { return r.hosts.path }
