package registry

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Entry is what a host says of itself in the registry. The members' names are
// fixed for ever; a reader ignores those it does not know.
type Entry struct {
	Protocol          int       `json:"protocol"`
	HostID            string    `json:"hostId"`
	PID               int       `json:"pid"`
	StartedAt         time.Time `json:"startedAt"`
	Socket            string    `json:"socket"` // absolute and canonical
	CrazeSessionID    string    `json:"crazeSessionId"`
	ProviderSessionID string    `json:"providerSessionId"` // empty until the engine is ready
	Incarnation       string    `json:"incarnation"`
	Provider          string    `json:"provider"`
	Workspace         string    `json:"workspace"`
	Ready             bool      `json:"ready"`
	Stopping          bool      `json:"stopping,omitzero"`
	RequestID         string    `json:"requestId,omitzero"`   // of the create that started it
	RequestHash       string    `json:"requestHash,omitzero"` // of that create's params
}

const entrySuffix = ".json"

// write replaces the file name of d by the JSON of v. A path whose bytes are
// no text is written as near as JSON can: a host must be found all the same.
func write(d dir, name string, v any) error {
	b, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	if len(b) > EntryMax {
		return fmt.Errorf("write %s: over %d bytes", name, EntryMax)
	}
	return d.replace(name, append(b, '\n'))
}

// read reads the JSON of the file name of d into v.
func read(d dir, name string, v any) error {
	b, err := d.read(name, EntryMax+1) // the line's end is not counted
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("decode %s: %w", name, err)
	}
	return nil
}

// readEntry reads a host's entry, which must be the host's own.
func readEntry(d dir, hostID string) (Entry, error) {
	var e Entry
	if err := read(d, hostID+entrySuffix, &e); err != nil {
		return Entry{}, err
	}
	if e.HostID != hostID {
		return Entry{}, fmt.Errorf("the entry of %s names another host", hostID)
	}
	return e, nil
}
