package cli

import (
	"fmt"

	ucli "github.com/urfave/cli/v2"

	"craze/shared/proto"
)

// maxMessage is how much of a message is printed when nothing else is said.
const maxMessage = 16 << 10

// result is what a wait prints as JSON.
type result struct {
	Session   string     `json:"session"`
	Turn      string     `json:"turn"`
	Outcome   outcome    `json:"outcome"`
	Message   string     `json:"message"`
	Truncated bool       `json:"truncated"`
	File      string     `json:"file,omitzero"`
	Ask       *proto.Ask `json:"ask,omitzero"`
	Err       string     `json:"err,omitzero"`
}

// report prints how a wait ended: r's outcome and ask, and what f knows.
func (a *app) report(c *ucli.Context, t *target, f *facts, r result) error {
	r.Session, r.Turn, r.Message = t.id, f.turn, f.message.String()
	for _, id := range []string{f.running, f.lastTurn} {
		if r.Turn == "" {
			r.Turn = id
		}
	}
	if r.Outcome == failed || r.Outcome == ended {
		r.Err = f.err
	}
	full := r.Message
	if most := c.Int("max-message"); most >= 0 && len(full) > most {
		file, err := a.keep(t, r.Turn, full)
		if err != nil {
			return fmt.Errorf("the message is long and could not be kept: %w", err)
		}
		r.Message, r.Truncated, r.File = head(full, most), true, file
	}
	a.show(t, r)
	return exitErr{code: codes[r.Outcome]}
}

// head is at most n bytes of s, cut between characters.
func head(s string, n int) string {
	for n > 0 && n < len(s) && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:min(n, len(s))]
}

// keep writes a long message whole.
func (a *app) keep(t *target, turn, message string) (string, error) {
	reg, err := a.registry()
	if err != nil {
		return "", err
	}
	defer reg.Close()
	name := fmt.Sprintf("%s-%s-%s.md", short(t.id), short(t.entry.Incarnation), turn)
	return reg.WriteResult(name, []byte(message))
}
