package config

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrIndexBusy says another process held the index's lock for lockWait.
var ErrIndexBusy = errors.New("the session index is busy; try again")

// Row is one session of the index.
type Row struct {
	SessionID  string         `json:"sessionId"` // the provider's, another with every load
	Provider   string         `json:"provider"`
	Cwd        string         `json:"cwd"` // absolute, compared as it is
	Title      string         `json:"title"`
	Pinned     bool           `json:"pinned"`           // the title is a person's, not the agent's
	CrazeID    string         `json:"crazeId,omitzero"` // craze's own, for life; "" in old rows
	Unattended *Unattended    `json:"unattended,omitzero"`
	CreatedAt  time.Time      `json:"createdAt"`
	UpdatedAt  time.Time      `json:"updatedAt"`
	Unknown    jsontext.Value `json:",embed"` // members of another version, kept
}

// Unattended is how a session that no one attends was started.
type Unattended struct {
	Mode           string         `json:"mode"` // "", plan or ask
	PermissionMode string         `json:"permissionMode"`
	Model          string         `json:"model"`
	Effort         string         `json:"effort"`
	Unknown        jsontext.Value `json:",embed"` // members of another version, kept
}

// Index is the session index of one craze directory. It holds nothing open and
// any number of processes may use it at once.
type Index struct{ dir string }

// OpenIndex names a craze directory's index. It touches nothing.
func OpenIndex(dir string) Index { return Index{dir} }

// Rows gives the index's rows, newest first. No index is no rows; lines that
// are no rows of this version are left out.
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

// Find gives the newest row of a craze id, and whether there is one.
func (x Index) Find(crazeID string) (Row, bool, error) {
	rows, err := x.Rows()
	i := slices.IndexFunc(rows, func(r Row) bool { return crazeID != "" && r.CrazeID == crazeID })
	if err != nil || i < 0 {
		return Row{}, false, err
	}
	return rows[i], true, nil
}

// Upsert writes one session's row over the row of its craze id or, where that
// id has none, over a row of its provider's session that has no craze id. What
// the old row had and the new cannot change is kept: its creation, a pinned
// title (another pinned one does replace it), its unattended settings, and
// members craze does not know. Past IndexRows the sessions no one attended go
// first, then the oldest. The error is ErrIndexBusy when another writer holds
// the index for lockWait.
func (x Index) Upsert(r Row) error {
	if err := x.upsert(r); err != nil {
		return fmt.Errorf("session index: %w", err)
	}
	return nil
}

func (x Index) upsert(r Row) error {
	if err := os.MkdirAll(x.dir, privateDir); err != nil {
		return err
	}
	lock, err := x.lock()
	if err != nil {
		return err
	}
	defer lock.Close() // unlocks; nothing was written through it
	lines, err := x.read()
	if err != nil {
		return err
	}
	lines, err = merge(lines, r)
	if err != nil {
		return err
	}
	return x.write(trim(lines))
}
