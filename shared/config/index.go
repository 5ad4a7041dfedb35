package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sys/unix"
)

const (
	// indexName is the index's, in the craze directory.
	indexName = "sessions.jsonl"
	// IndexRows is how many sessions the index remembers.
	IndexRows = 500
	// indexMax bounds the file that is read: far over IndexRows rows of the
	// longest paths and titles.
	indexMax = 64 << 20
	// lockWait is how long a writer waits for another; a write takes
	// milliseconds.
	lockWait = 5 * time.Second
	// lockPoll is how often it looks.
	lockPoll = 10 * time.Millisecond
)

// ErrIndexBusy says another process held the index's lock for lockWait.
var ErrIndexBusy = errors.New("the session index is busy; try again")

// Row is one session of the index.
type Row struct {
	SessionID  string         `json:"sessionId"`
	Provider   string         `json:"provider"`
	Cwd        string         `json:"cwd"`
	Title      string         `json:"title"`
	Pinned     bool           `json:"pinned"`
	CrazeID    string         `json:"crazeId,omitzero"`
	Unattended *Unattended    `json:"unattended,omitzero"`
	CreatedAt  time.Time      `json:"createdAt"`
	UpdatedAt  time.Time      `json:"updatedAt"`
	Unknown    jsontext.Value `json:",embed"` // members of a later version, kept
}

// Unattended is how a session that no one attends was started.
type Unattended struct {
	Mode           string `json:"mode"`
	PermissionMode string `json:"permissionMode"`
	Model          string `json:"model"`
	Effort         string `json:"effort"`
}

// Index is the session index of one craze directory.
type Index struct{ dir string }

// OpenIndex names a craze directory's index. It touches nothing.
func OpenIndex(dir string) Index { return Index{dir} }

// line is one line of the file: a row, or text that is not one and is kept as
// it is.
type line struct {
	raw []byte
	row *Row
}

// Rows gives the index's rows, newest first.
func (x Index) Rows() ([]Row, error) {
	lines, err := x.read()
	if err != nil {
		return nil, fmt.Errorf("session index: %w", err)
	}
	var rows []Row
	for _, l := range lines {
		if l.row != nil {
			rows = append(rows, *l.row)
		}
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	return rows, nil
}

func (x Index) read() ([]line, error) {
	path := filepath.Join(x.dir, indexName)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && info.Size() > indexMax {
		err = fmt.Errorf("larger than %d bytes", indexMax)
	}
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []line
	for raw := range bytes.SplitSeq(data, []byte("\n")) {
		if len(bytes.TrimSpace(raw)) == 0 {
			continue
		}
		l := line{raw: raw}
		var r Row
		if json.Unmarshal(raw, &r) == nil && r.Provider != "" {
			l.row = &r
		}
		out = append(out, l)
	}
	return out, nil
}

// Upsert writes one session's row over the row of its craze id (or, without
// one, of its provider's session), keeping what the old one had that the new
// does not say: its creation, a pinned title, its unattended settings.
func (x Index) Upsert(r Row) error {
	if err := os.MkdirAll(x.dir, 0o700); err != nil {
		return fmt.Errorf("session index: %w", err)
	}
	unlock, err := x.lock()
	if err != nil {
		return fmt.Errorf("session index: %w", err)
	}
	defer unlock()
	lines, err := x.read()
	if err != nil {
		return fmt.Errorf("session index: %w", err)
	}
	lines = trim(merge(lines, r))
	var out bytes.Buffer
	for _, l := range lines {
		out.Write(l.raw)
		out.WriteByte('\n')
	}
	if err := replaceFile(filepath.Join(x.dir, indexName), out.Bytes()); err != nil {
		return fmt.Errorf("session index: %w", err)
	}
	return nil
}

// merge puts r in the place of its session's row, or at the end.
func merge(lines []line, r Row) []line {
	at := slices.IndexFunc(lines, func(l line) bool { return l.row != nil && l.row.same(r) })
	if at >= 0 {
		old := lines[at].row
		r.CreatedAt, r.Unknown = old.CreatedAt, old.Unknown
		if r.Unattended == nil {
			r.Unattended = old.Unattended
		}
		if old.Pinned && !r.Pinned || r.Title == "" {
			r.Title, r.Pinned = old.Title, old.Pinned
		}
		lines = slices.Delete(lines, at, at+1)
	}
	raw, err := json.Marshal(r, jsontext.AllowInvalidUTF8(true))
	if err != nil { // times outside four-digit years: the row is not written
		return lines
	}
	return append(lines, line{raw, &r})
}

func (r *Row) same(o Row) bool {
	if r.CrazeID != "" || o.CrazeID != "" {
		return r.CrazeID == o.CrazeID
	}
	return r.Provider == o.Provider && r.SessionID == o.SessionID
}

// trim drops rows past the cap: those no one attended first, then the oldest.
// Lines that are no rows are never dropped.
func trim(lines []line) []line {
	n := 0
	for _, l := range lines {
		if l.row != nil {
			n++
		}
	}
	for ; n > IndexRows; n-- {
		worst := -1
		for i, l := range lines {
			if l.row != nil && (worst < 0 || lines[worst].row.keptOver(l.row)) {
				worst = i
			}
		}
		lines = slices.Delete(lines, worst, worst+1)
	}
	return lines
}

// keptOver reports whether r is worth keeping more than o.
func (r *Row) keptOver(o *Row) bool {
	if (r.Unattended == nil) != (o.Unattended == nil) {
		return r.Unattended == nil
	}
	return r.UpdatedAt.After(o.UpdatedAt)
}

// lock takes the index's lock file, which is never removed.
func (x Index) lock() (func(), error) {
	f, err := os.OpenFile(filepath.Join(x.dir, indexName+".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	deadline := time.NewTimer(lockWait)
	defer deadline.Stop()
	poll := time.NewTicker(lockPoll)
	defer poll.Stop()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil // closing unlocks
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return nil, errors.Join(err, f.Close())
		}
		select {
		case <-poll.C:
		case <-deadline.C:
			return nil, errors.Join(ErrIndexBusy, f.Close())
		}
	}
}
