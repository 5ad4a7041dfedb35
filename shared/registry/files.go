package registry

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const pgidsSuffix = ".pgids"

// pgidsMax bounds the process groups of one host: a line of some 40 bytes an
// agent, and a host starts one at a time.
const pgidsMax = 64 << 10

var errFileName = errors.New("not a plain file name")

// OpenLog opens a file of the host logs for appending, making it 0600 where it
// is missing. A link, another's file or one with a second name is refused.
func (r *Registry) OpenLog(name string) (*os.File, error) {
	if !validFile(name) {
		return nil, fmt.Errorf("open the log: %w", errFileName)
	}
	f, err := r.logs.open(name, unix.O_WRONLY|unix.O_APPEND|unix.O_CREAT)
	if err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	return f, nil
}

// RenameLog renames a file of the host logs, replacing one of that name.
func (r *Registry) RenameLog(from, to string) error {
	if !validFile(from) || !validFile(to) {
		return fmt.Errorf("rename the log: %w", errFileName)
	}
	if err := unix.Renameat(r.logs.fd, from, r.logs.fd, to); err != nil {
		return fmt.Errorf("rename the log: %w", err)
	}
	return nil
}

// LogPath is the path of a file of the host logs, to name to a person.
func (r *Registry) LogPath(name string) string { return path.Join(r.logs.path, name) }

// SweepLogs removes the files of hosts that do not live and whose files nobody
// has touched since before. What cannot be looked at stays.
func (r *Registry) SweepLogs(before time.Time) error {
	names, err := r.logs.names()
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range names {
		id, _, _ := strings.Cut(name, ".")
		var st unix.Stat_t
		if !ValidHostID(id) || unix.Fstatat(r.logs.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
			continue
		}
		if !time.Unix(st.Mtim.Unix()).Before(before) {
			continue
		}
		if live, err := r.Live(id); err == nil && !live {
			errs = append(errs, r.logs.remove(name))
		}
	}
	return errors.Join(errs...)
}

// WritePgids replaces the record of a host's agent process groups, whose form
// is its writer's.
func (r *Registry) WritePgids(hostID string, lines []byte) error {
	if !ValidHostID(hostID) || len(lines) > pgidsMax {
		return errors.New("record process groups: not a host id, or too many groups")
	}
	if err := r.logs.replace(hostID+pgidsSuffix, lines); err != nil {
		return fmt.Errorf("record process groups: %w", err)
	}
	return nil
}

// ReadPgids is what WritePgids last wrote. It is fs.ErrNotExist where there is
// no record.
func (r *Registry) ReadPgids(hostID string) ([]byte, error) {
	if !ValidHostID(hostID) {
		return nil, errors.New("read process groups: not a host id")
	}
	b, err := r.logs.read(hostID+pgidsSuffix, pgidsMax)
	if err != nil {
		return nil, fmt.Errorf("read process groups: %w", err)
	}
	return b, nil
}

// RemovePgids removes the record, at a host's clean end. One that is not there
// is no error.
func (r *Registry) RemovePgids(hostID string) error {
	if !ValidHostID(hostID) {
		return errors.New("remove process groups: not a host id")
	}
	return r.logs.remove(hostID + pgidsSuffix)
}

// WriteResult replaces a file of the cached results and returns its path.
func (r *Registry) WriteResult(name string, data []byte) (string, error) {
	if !validFile(name) {
		return "", fmt.Errorf("write the result: %w", errFileName)
	}
	if err := r.results.replace(name, data); err != nil {
		return "", fmt.Errorf("write the result: %w", err)
	}
	return path.Join(r.results.path, name), nil
}
