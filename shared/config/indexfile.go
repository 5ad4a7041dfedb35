package config

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sys/unix"
)

const (
	// indexName is the index's, in the craze directory.
	indexName = "sessions.jsonl"
	// indexMax bounds the file that is read: far over IndexRows rows of the
	// longest paths and titles.
	indexMax = 64 << 20
	// lockWait is how long a writer waits for another; a write takes
	// milliseconds.
	lockWait = 5 * time.Second
	// lockPoll is how often it looks.
	lockPoll = 10 * time.Millisecond
)

func (x Index) read() ([]line, error) {
	data, err := readBounded(filepath.Join(x.dir, indexName), indexMax)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []line
	for raw := range bytes.SplitSeq(data, []byte("\n")) {
		if len(bytes.TrimSpace(raw)) > 0 {
			out = append(out, line{raw, parse(raw)})
		}
	}
	return out, nil
}

// parse is a line's row; nil when it is none of this version.
func parse(raw []byte) *Row {
	var r Row
	if json.Unmarshal(raw, &r, jsontext.PreserveRawStrings(true)) != nil || r.Provider == "" {
		return nil
	}
	return &r
}

func (x Index) write(lines []line) error {
	var out bytes.Buffer
	for _, l := range lines {
		out.Write(l.raw)
		out.WriteByte('\n')
	}
	return replaceFile(filepath.Join(x.dir, indexName), out.Bytes(), private)
}

// lock takes the index's lock file, which is never removed: a second holder
// could get a lock on a file of the same name. Closing it unlocks.
func (x Index) lock() (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(x.dir, indexName+".lock"), os.O_RDWR|os.O_CREATE, private)
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
			return f, nil
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
