package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"craze/craze-host/eventlog"
	"craze/shared/proto"
)

const (
	// noteQueue is how many lines that are no events may wait. They come a
	// few to a turn, so this many are lost only when the disk has stopped.
	noteQueue = 256
	// writeBatch is about how many bytes go out in one write.
	writeBatch = 64 << 10
	// readBatch is how many records are taken from the log at a time.
	readBatch = 256
)

// Header is a journal's first line.
type Header struct {
	Type         string    `json:"type"` // "header"
	Version      int       `json:"version"`
	EventCodec   int       `json:"eventCodec"`
	Incarnation  string    `json:"incarnation"`
	CrazeVersion string    `json:"crazeVersion"`
	OS           string    `json:"os"`
	Arch         string    `json:"arch"`
	Provider     string    `json:"provider"`
	Binary       string    `json:"binary"`
	Workspace    string    `json:"workspace"`
	Force        bool      `json:"force"`
	Interactive  bool      `json:"interactive"`
	Mode         string    `json:"mode"`
	PID          int       `json:"pid"`
	At           time.Time `json:"at"`
}

// Line is any line that is neither the header nor an event.
type Line struct {
	Type    string    `json:"type"`
	At      time.Time `json:"at"`
	Turn    string    `json:"turn,omitzero"`
	Text    string    `json:"text,omitzero"`
	End     string    `json:"end,omitzero"`
	Err     string    `json:"err,omitzero"`
	TookMs  int64     `json:"tookMs,omitzero"`
	FromSeq uint64    `json:"fromSeq,omitzero"` // a gap's first lost seq
	ToSeq   uint64    `json:"toSeq,omitzero"`   // and its last
	Lines   int64     `json:"lines,omitzero"`   // lines lost that had no seq
}

// Config is what a Writer needs. Path and Log are required.
type Config struct {
	Path   string // of the file; its directory is made 0700
	Header Header
	Log    *eventlog.Log
	Now    func() time.Time
	Failed func(error) // told once, when a write has failed and journalling stops
	// Open replaces the file, for tests of a disk that fails.
	Open func(path string) (io.WriteCloser, error)
}

// Writer is one session's journal.
type Writer struct {
	cfg   Config
	notes chan Line
	lost  atomic.Int64 // notes that found the queue full
	sub   *eventlog.Sub
	seq   uint64 // the last seq written or said to be lost
	file  io.WriteCloser
	buf   []byte
}

// New makes a journal that starts at the log's next record.
func New(cfg Config) *Writer {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Open == nil {
		cfg.Open = open
	}
	w := &Writer{cfg: cfg, notes: make(chan Line, noteQueue)}
	w.seq = cfg.Log.Head()
	w.subscribe()
	return w
}

func (w *Writer) subscribe() {
	w.sub = w.cfg.Log.Subscribe(eventlog.Budget{Items: proto.BudgetItemsMax, Bytes: proto.BudgetBytesMax})
}

// Note queues a line that is no event. With no room it is counted, and a gap
// line will say how many.
func (w *Writer) Note(l Line) {
	select {
	case w.notes <- l:
	default:
		w.lost.Add(1)
	}
}

// Run writes until the log has ended and everything queued is out, a write
// fails, or ctx ends.
func (w *Writer) Run(ctx context.Context) {
	defer func() { w.sub.Close() }()
	err := w.pump(ctx)
	w.drainNotes()
	if err == nil {
		err = w.flush()
	}
	if w.file != nil {
		err = errors.Join(err, w.file.Close())
	}
	if err != nil && w.cfg.Failed != nil {
		w.cfg.Failed(fmt.Errorf("journal: %w", err))
	}
}

// got is what one wait for the log brought.
type got struct {
	records []eventlog.Record
	err     error
}

func (w *Writer) pump(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var reader sync.WaitGroup
	defer reader.Wait()
	defer cancel()
	in, back := make(chan got), make(chan []eventlog.Record, 1)
	read := func(sub *eventlog.Sub) { // one answer, or ctx's end
		rs, err := sub.Next(ctx, (<-back)[:0])
		select {
		case in <- got{rs, err}:
		case <-ctx.Done():
		}
	}
	back <- make([]eventlog.Record, 0, readBatch)
	reader.Go(func() { read(w.sub) })
	for {
		select {
		case l := <-w.notes:
			w.line(l)
		case g := <-in:
			w.records(g.records)
			if g.err != nil && !w.recover(g.err) {
				return nil
			}
			back <- g.records
			reader.Go(func() { read(w.sub) })
		case <-ctx.Done():
			return nil
		}
		if err := w.flush(); err != nil {
			return err
		}
	}
}

// recover goes on after a subscription that ended early, saying what was
// lost. It reports whether there is more to come.
func (w *Writer) recover(err error) bool {
	switch {
	case errors.Is(err, eventlog.ErrSlow):
		w.sub.Close()
		head := w.cfg.Log.Head()
		w.subscribe()
		w.gap(w.seq+1, head)
		return true
	case errors.Is(err, eventlog.ErrOmitted):
		w.sub.Close()
		w.gap(w.seq+1, w.seq+1)
		c := proto.Cursor{Incarnation: w.cfg.Log.Incarnation(), Seq: w.seq}
		sub, refused := w.cfg.Log.Resume(c, eventlog.Budget{Items: proto.BudgetItemsMax, Bytes: proto.BudgetBytesMax})
		if refused != "" {
			return w.recover(eventlog.ErrSlow)
		}
		w.sub = sub
		return true
	}
	return false
}

func (w *Writer) gap(from, to uint64) {
	if to < from {
		return
	}
	w.line(Line{Type: "gap", At: w.cfg.Now().UTC(), FromSeq: from, ToSeq: to})
	w.seq = to
}

func (w *Writer) records(rs []eventlog.Record) {
	for _, r := range rs {
		if r.Seq > w.seq+1 {
			w.gap(w.seq+1, r.Seq-1)
		}
		w.buf = fmt.Appendf(w.buf, `{"type":"event","seq":%d,"event":`, r.Seq)
		w.buf = append(w.buf, r.Body...)
		w.buf = append(w.buf, "}\n"...)
		w.seq = r.Seq
	}
}

func (w *Writer) drainNotes() {
	for {
		select {
		case l := <-w.notes:
			w.line(l)
		default:
			return
		}
	}
}

func (w *Writer) line(v any) {
	b, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		w.lost.Add(1)
		return
	}
	w.buf = append(append(w.buf, b...), '\n')
}

// flush writes what is buffered, making the file first where there is none.
func (w *Writer) flush() error {
	if n := w.lost.Swap(0); n > 0 {
		w.line(Line{Type: "gap", At: w.cfg.Now().UTC(), Lines: n})
	}
	if len(w.buf) == 0 {
		return nil
	}
	if w.file == nil {
		f, err := w.cfg.Open(w.cfg.Path)
		if err != nil {
			return err
		}
		w.file = f
		body := w.buf
		w.buf = nil
		w.line(w.cfg.Header)
		w.buf = append(w.buf, body...)
	}
	_, err := w.file.Write(w.buf)
	w.buf = w.buf[:0]
	if cap(w.buf) > 4*writeBatch {
		w.buf = nil
	}
	return err
}

func open(path string) (io.WriteCloser, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
}
