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

func (e *HeldError) Error() string {
	return fmt.Sprintf("held by %s (pid %d)", e.HostID, e.PID)
}

// ErrRefused says the session asked for was the problem, not the start.
var ErrRefused = errors.New("refused")

// WriteReady writes the ready line.
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

// readReady reads the ready line.
func readReady(r io.Reader) (Ready, error) {
	line, err := bufio.NewReader(io.LimitReader(r, readyMax)).ReadBytes('\n')
	if err != nil {
		return Ready{}, errors.New("the process ended without saying how its start went")
	}
	var got Ready
	if err := json.Unmarshal(line, &got); err != nil {
		return Ready{}, errors.New("the process's ready line is malformed")
	}
	switch {
	case got.OK:
		return got, nil
	case got.Held != nil:
		return got, &HeldError{*got.Held}
	case got.Refused:
		return got, fmt.Errorf("%w: %s", ErrRefused, got.Error)
	}
	return got, errors.New(got.Error)
}
