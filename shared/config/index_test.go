package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func indexWith(t *testing.T, lines ...string) Index {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, indexName), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return OpenIndex(dir)
}

func contents(t *testing.T, x Index) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(x.dir, indexName))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

func TestAnUpsertKeepsWhatItDoesNotKnow(t *testing.T) {
	x := indexWith(t,
		`{"sessionId":"old","provider":"grok","cwd":"/w","title":"named","pinned":true,"crazeId":"c1","createdAt":"2025-01-01T00:00:00Z","updatedAt":"2025-01-01T00:00:00Z","later":{"x":1}}`,
		`not a row`,
		`{"sessionId":"other","provider":"zed","cwd":"/w","title":"","pinned":false,"createdAt":"2025-01-01T00:00:00Z","updatedAt":"2025-01-01T00:00:00Z"}`)
	err := x.Upsert(Row{SessionID: "new", Provider: "grok", Cwd: "/w", Title: "from the agent", CrazeID: "c1", CreatedAt: noon, UpdatedAt: noon})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`not a row`,
		`{"sessionId":"other","provider":"zed","cwd":"/w","title":"","pinned":false,"createdAt":"2025-01-01T00:00:00Z","updatedAt":"2025-01-01T00:00:00Z"}`,
		`{"sessionId":"new","provider":"grok","cwd":"/w","title":"named","pinned":true,"crazeId":"c1","createdAt":"2025-01-01T00:00:00Z","updatedAt":"2026-01-01T12:00:00Z","later":{"x":1}}`,
	}
	if diff := cmp.Diff(want, contents(t, x)); diff != "" {
		t.Error(diff)
	}
}

func TestARowWithNothingUnknownIsWrittenAsItIs(t *testing.T) {
	x := OpenIndex(t.TempDir())
	if err := x.Upsert(Row{SessionID: "s", Provider: "p", CrazeID: "c", CreatedAt: noon, UpdatedAt: noon}); err != nil {
		t.Fatal(err)
	}
	want := []string{`{"sessionId":"s","provider":"p","cwd":"","title":"","pinned":false,"crazeId":"c","createdAt":"2026-01-01T12:00:00Z","updatedAt":"2026-01-01T12:00:00Z"}`}
	if diff := cmp.Diff(want, contents(t, x)); diff != "" {
		t.Error(diff)
	}
}

func TestThePastTheCapGoUnattendedFirstThenOldest(t *testing.T) {
	var lines []line
	for i := range IndexRows {
		r := Row{Provider: "p", SessionID: fmt.Sprint(i), CrazeID: fmt.Sprint("c", i), UpdatedAt: noon.Add(time.Duration(i) * time.Minute)}
		if i == 400 {
			r.Unattended = &Unattended{}
		}
		lines = append(lines, line{row: &r, raw: []byte(r.CrazeID)})
	}
	for _, want := range []string{"c400", "c0"} {
		before := len(lines)
		lines = trim(merge(lines, Row{Provider: "p", CrazeID: "new" + want, UpdatedAt: noon.Add(time.Hour * 24)}))
		if len(lines) != IndexRows || before != IndexRows {
			t.Fatalf("%d rows", len(lines))
		}
		for _, l := range lines {
			if l.row.CrazeID == want {
				t.Errorf("%s was kept", want)
			}
		}
	}
}

func TestWritersAtOnceLoseNoRow(t *testing.T) {
	x := OpenIndex(t.TempDir())
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if err := x.Upsert(Row{Provider: "p", SessionID: "s", CrazeID: fmt.Sprint(i), UpdatedAt: noon}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	rows, err := x.Rows()
	if err != nil || len(rows) != 8 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}
