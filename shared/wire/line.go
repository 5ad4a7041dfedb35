package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ErrLineTooLong says a line passed the reader's limit. The line has been
// skipped up to its newline and the reader goes on with the next.
var ErrLineTooLong = errors.New("line too long")

const (
	// readChunk is one read(2): big enough for a burst of events, small
	// enough that an idle connection costs little.
	readChunk = 32 << 10
	// keepLine is the most a reader keeps allocated between two long lines.
	keepLine = 1 << 20
)

// LineReader reads lines of at most max bytes, the line end not counted.
type LineReader struct {
	r    *bufio.Reader
	long []byte
	max  int
}

// NewLineReader reads r. The limit is in bytes.
func NewLineReader(r io.Reader, limit int) *LineReader {
	return &LineReader{r: bufio.NewReaderSize(r, readChunk), max: limit}
}

// Next gives the next line without its end ("\n", with one "\r" before it
// dropped). A last line with no newline is a line. The bytes are valid until
// the next call. It returns ErrLineTooLong for a skipped line and io.EOF at
// the end.
func (l *LineReader) Next() ([]byte, error) {
	if cap(l.long) > keepLine {
		l.long = nil
	}
	part, err := l.r.ReadSlice('\n')
	if err == nil {
		return l.bounded(trimEnd(part))
	}
	l.long = append(l.long[:0], part...)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(l.long) > l.max+2 {
			return nil, l.skip()
		}
		part, err = l.r.ReadSlice('\n')
		l.long = append(l.long, part...)
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(l.long) == 0) {
		return nil, ended(err)
	}
	return l.bounded(trimEnd(l.long))
}

// Buffered gives the bytes read ahead and not yet returned as lines. The
// reader must not be used after a caller has taken them over.
func (l *LineReader) Buffered() []byte {
	b, err := l.r.Peek(l.r.Buffered())
	if err != nil {
		return nil
	}
	return bytes.Clone(b)
}

func (l *LineReader) bounded(line []byte) ([]byte, error) {
	if len(line) > l.max {
		return nil, ErrLineTooLong
	}
	return line, nil
}

func (l *LineReader) skip() error {
	for {
		_, err := l.r.ReadSlice('\n')
		switch {
		case err == nil, errors.Is(err, io.EOF):
			return ErrLineTooLong
		case !errors.Is(err, bufio.ErrBufferFull):
			return ended(err)
		}
	}
}

func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	return fmt.Errorf("read line: %w", err)
}

func trimEnd(b []byte) []byte {
	b = bytes.TrimSuffix(b, []byte("\n"))
	return bytes.TrimSuffix(b, []byte("\r"))
}
