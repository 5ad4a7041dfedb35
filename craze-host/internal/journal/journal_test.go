package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"craze/craze-host/eventlog"
	"craze/shared/proto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func text(s string) *proto.Event { return &proto.Event{Type: proto.EvText, Text: s} }

func TestWhatHappenedIsWrittenInOrderBehindAHeader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "j.jsonl")
	log := eventlog.New("inc")
	w := New(Config{Path: path, Log: log, Header: Header{Type: "header", Version: 1, Incarnation: "inc"}})
	log.Append(text("a"))
	log.Append(text("b"))
	w.Note(Line{Type: "prompt", Text: "hi"})
	log.End()
	w.Run(t.Context())
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], `{"type":"header"`) {
		t.Fatalf("%s", b)
	}
	a := strings.Index(string(b), `{"type":"event","seq":1,"event":{"type":"text","text":"a"}}`)
	if a < 0 || strings.Index(string(b), `"seq":2`) < a || !strings.Contains(string(b), `"text":"hi"`) {
		t.Errorf("%s", b)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func TestASessionWithNothingToTellLeavesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	log := eventlog.New("inc")
	w := New(Config{Path: path, Log: log})
	log.End()
	w.Run(t.Context())
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// memory is a file that can be told to fail.
type memory struct {
	bytes.Buffer
	fail bool
}

func (m *memory) Close() error { return nil }

func (m *memory) Write(p []byte) (int, error) {
	if m.fail {
		return 0, errors.New("disk full")
	}
	return m.Buffer.Write(p)
}

func TestWhatWasLostIsSaidExactly(t *testing.T) {
	log := eventlog.New("inc")
	m := &memory{}
	w := New(Config{Log: log, Open: func(string) (io.WriteCloser, error) { return m, nil }})
	log.Append(text("kept"))
	log.Append(text(strings.Repeat("x", proto.MaxRecordBytes))) // too large to send
	log.Append(text("kept too"))
	log.End()
	w.Run(t.Context())
	if !strings.Contains(m.String(), `"fromSeq":2,"toSeq":2`) || !strings.Contains(m.String(), "kept too") {
		t.Errorf("%s", m.String())
	}
	// A journal that did not run at all while more than its budget came.
	log = eventlog.New("inc")
	m = &memory{}
	w = New(Config{Log: log, Open: func(string) (io.WriteCloser, error) { return m, nil }})
	for i := range proto.BudgetItemsMax + 5 {
		log.Append(text(fmt.Sprint(i)))
	}
	log.End()
	w.Run(t.Context())
	if want := fmt.Sprintf(`"fromSeq":1,"toSeq":%d`, proto.BudgetItemsMax+5); !strings.Contains(m.String(), want) {
		t.Errorf("%s", m.String())
	}
}

func TestAWriteThatFailsEndsTheJournalAndIsToldOnce(t *testing.T) {
	log := eventlog.New("inc")
	var failed []error
	w := New(Config{
		Log: log, Failed: func(err error) { failed = append(failed, err) },
		Open: func(string) (io.WriteCloser, error) { return &memory{fail: true}, nil },
	})
	log.Append(text("a"))
	w.Run(context.Background()) // returns, though the log has not ended
	log.Append(text("b"))
	if len(failed) != 1 || !strings.Contains(failed[0].Error(), "disk full") {
		t.Errorf("%v", failed)
	}
}
