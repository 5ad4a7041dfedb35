package spawn

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
)

// readyMax bounds the ready line: a few ids and a path.
const readyMax = 64 << 10

// Ready is the one line a started process writes on its spawner's pipe: OK
// with who it is, or not OK with Error (Refused when the session asked for was
// the problem) or Held.
type Ready struct {
	OK             bool   `json:"ok"`
	HostID         string `json:"hostId,omitzero"`
	Socket         string `json:"socket,omitzero"`
	CrazeSessionID string `json:"crazeSessionId,omitzero"`
	Version        string `json:"version,omitzero"`
	Error          string `json:"error,omitzero"`
	Refused        bool   `json:"refused,omitzero"`
	Held           *Held  `json:"held,omitzero"`
}

// Held names who holds what the process was started for.
type Held struct {
	HostID string `json:"hostId"`
	PID    int    `json:"pid"`
}

// HeldError says another process holds what was to be started; the caller goes
// to it.
type HeldError struct{ Held }

// Error names the holder, where the process did.
func (e *HeldError) Error() string {
	if e.HostID == "" {
		return "held by another process"
	}
	return fmt.Sprintf("held by %s (pid %d)", e.HostID, e.PID)
}

// ErrRefused says the session asked for was the problem, not the start.
var ErrRefused = errors.New("refused")

// WriteReady writes the ready line, in one write. A process does so once, and
// closes the pipe before it starts anything that would inherit it.
func WriteReady(w io.Writer, r Ready) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write ready line: %w", err)
	}
	if _, err := w.Write(append(b, '\n')); err != nil {
		return fmt.Errorf("write ready line: %w", err)
	}
	return nil
}

// readReady reads the ready line. Its error is *HeldError, ErrRefused, what the
// process said, or what is wrong with the line or with reading it.
func readReady(r io.Reader) (Ready, error) {
	line, err := bufio.NewReader(io.LimitReader(r, readyMax)).ReadBytes('\n')
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return Ready{}, fmt.Errorf("read ready line: %w", err)
	case err != nil && len(line) < readyMax:
		return Ready{}, errors.New("the process ended without saying how its start went")
	}
	var got Ready
	if err != nil || json.Unmarshal(line, &got) != nil {
		return Ready{}, errors.New("the process's ready line is malformed")
	}
	if got.Error == "" {
		got.Error = "the process could not start and did not say why"
	}
	switch {
	case got.OK:
		got.Error = ""
		return got, nil
	case got.Held != nil:
		return got, &HeldError{*got.Held}
	case got.Refused:
		return got, fmt.Errorf("%w: %s", ErrRefused, got.Error)
	}
	return got, errors.New(got.Error)
}
