package transcript

import (
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func (o omitted) append(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, '['), int64(o.bytes), 10)
	if o.tool != "" {
		dst = appendQuoted(append(dst, ','), o.tool)
	}
	return append(dst, ']')
}

func (c *Compacting) append(dst []byte) []byte {
	m := members{dst: append(dst, '{')}
	m.time("since", c.Since)
	if c.Reason != "" {
		m.quoted("reason", c.Reason)
	}
	return append(m.dst, '}')
}

// append writes the entry as a snapshot carries it.
func (e *entry) append(dst []byte) ([]byte, error) {
	m := members{dst: append(dst, '{')}
	m.quoted("id", e.ID)
	m.quoted("kind", string(e.Kind))
	if text := e.snapText(); text != "" {
		m.quoted("text", text)
	}
	if e.Tool != nil {
		m.value("tool", e.Tool)
	}
	if e.Plan != nil {
		m.value("plan", e.Plan)
	}
	if e.Err != nil {
		m.value("err", e.Err)
	}
	m.time("at", e.At)
	m.time("end", e.End)
	m.flag("open", e.Open)
	m.flag("interject", e.Interject)
	m.flag("streaming", e.Streaming)
	m.flag("cut", e.snapCut())
	if m.err != nil {
		return dst, fmt.Errorf("encode snapshot entry %s: %w", e.ID, m.err)
	}
	return append(m.dst, '}'), nil
}

// members writes an object's members one after another.
type members struct {
	dst []byte
	err error
}

func (m *members) comma() {
	if m.dst[len(m.dst)-1] != '{' {
		m.dst = append(m.dst, ',')
	}
}

// raw writes a member's name, which needs no escape.
func (m *members) raw(name string) {
	m.comma()
	m.dst = append(append(append(m.dst, '"'), name...), '"', ':')
}

func (m *members) flag(name string, on bool) {
	if on {
		m.raw(name)
		m.dst = append(m.dst, "true"...)
	}
}

func (m *members) count(name string, n uint64) {
	if n > 0 {
		m.raw(name)
		m.dst = strconv.AppendUint(m.dst, n, 10)
	}
}

func (m *members) quoted(name, v string) {
	m.raw(name)
	m.dst = appendQuoted(m.dst, v)
}

func (m *members) time(name string, t time.Time) {
	if !t.IsZero() {
		m.raw(name)
		m.dst = append(t.AppendFormat(append(m.dst, '"'), time.RFC3339Nano), '"')
	}
}

func (m *members) value(name string, v any) {
	raw, err := json.Marshal(v, codec)
	if err != nil {
		m.err = err
		return
	}
	m.raw(name)
	m.dst = append(m.dst, raw...)
}

// appendQuoted writes a JSON string. Its error only says that bad UTF-8 was
// replaced, which is what is wanted of it.
func appendQuoted(dst []byte, v string) []byte {
	dst, _ = jsontext.AppendQuote(dst, v)
	return dst
}
