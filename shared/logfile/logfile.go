// Package logfile is one process's log file, rotated once: at Max bytes the
// file becomes <name>.1, in the place of an older one, and a fresh one starts.
//
// Its Writer is safe for any goroutine and holds a mutex while it writes. A
// rotation that fails goes on with the file as it is; a log must not end a
// process.
package logfile

import (
	"fmt"
	"os"
	"sync"
)

// Max is the size at which a log is rotated, in bytes: days of a busy host,
// and small enough to read.
const Max = 4 << 20

// Dir opens and renames the files of a log directory.
type Dir interface {
	OpenLog(name string) (*os.File, error)
	RenameLog(from, to string) error
}

// Writer appends to one log.
type Writer struct {
	dir  Dir
	name string
	max  int64

	mu   sync.Mutex
	file *os.File
	size int64
}

// Open opens the log of that name for appending. limit is in bytes; 0 is Max.
func Open(dir Dir, name string, limit int64) (*Writer, error) {
	if limit == 0 {
		limit = Max
	}
	w := &Writer{dir: dir, name: name, max: limit}
	if err := w.reopen(); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *Writer) reopen() error {
	f, err := w.dir.OpenLog(w.name)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	w.file, w.size = f, info.Size()
	return nil
}

// Write appends one line, after a rotation where it would pass the limit.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.size > 0 && w.size+int64(len(p)) > w.max {
		w.rotate()
	}
	n, err := w.file.Write(p)
	w.size += int64(n)
	if err != nil {
		return n, fmt.Errorf("write log: %w", err)
	}
	return n, nil
}

// rotate starts a fresh file. Where it cannot, the old one goes on.
func (w *Writer) rotate() {
	old := w.file
	if w.dir.RenameLog(w.name, w.name+".1") != nil {
		return
	}
	if w.reopen() != nil {
		w.file = old
		return
	}
	// The old file's last bytes are written; a close that fails loses none.
	_ = old.Close()
}

// Close closes the file.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.file.Close()
}
