package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
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

func TestPastTheCapGoUnattendedFirstThenOldest(t *testing.T) {
	row := func(i int) Row {
		return Row{Provider: "p", SessionID: fmt.Sprint(i), CrazeID: fmt.Sprint("c", i), UpdatedAt: noon.Add(time.Duration(i) * time.Minute)}
	}
	lines := []line{{raw: []byte("another version's")}}
	for i := range IndexRows {
		r := row(i)
		if i == 400 {
			r.Unattended = &Unattended{}
		}
		lines = append(lines, line{row: &r})
	}
	for i, gone := range []string{"c400", "c0", "c1"} {
		merged, err := merge(lines, row(IndexRows+i))
		if err != nil {
			t.Fatal(err)
		}
		lines = trim(merged)
		if len(lines) != IndexRows+1 || lines[0].row != nil {
			t.Fatalf("%d lines", len(lines))
		}
		for _, l := range lines[1:] {
			if l.row.CrazeID == gone {
				t.Errorf("%s was kept", gone)
			}
		}
	}
}

func TestTrimmingAHugeIndexKeepsItsOrder(t *testing.T) {
	var lines []line
	for i := range 50_000 {
		lines = append(lines, line{row: &Row{Provider: "p", CrazeID: fmt.Sprint(i), UpdatedAt: noon.Add(time.Duration(i%1000) * time.Second)}})
	}
	lines = trim(lines)
	if len(lines) != IndexRows {
		t.Fatalf("%d rows", len(lines))
	}
	for i, l := range lines[1:] {
		var a, b int
		fmt.Sscan(lines[i].row.CrazeID, &a)
		fmt.Sscan(l.row.CrazeID, &b)
		if a >= b {
			t.Fatalf("%d before %d", a, b)
		}
	}
}

func TestWhatARowKeepsOfTheOneItReplaces(t *testing.T) {
	const old = `"provider":"p","cwd":"/w","createdAt":"2025-01-01T00:00:00Z","updatedAt":"2025-01-01T00:00:00Z"`
	const stamps = `"createdAt":"2025-01-01T00:00:00Z","updatedAt":"2026-01-01T12:00:00Z"`
	for _, tt := range []struct {
		name, before string
		row          Row
		want         []string
	}{
		{
			"a row from before craze ids is given one",
			`{"sessionId":"s","title":"t","pinned":false,` + old + `}`,
			Row{SessionID: "s", CrazeID: "c", Title: "u"},
			[]string{`{"sessionId":"s","provider":"p","cwd":"/w","title":"u","pinned":false,"crazeId":"c",` + stamps + `}`},
		},
		{
			"a row without a craze id takes its session's",
			`{"sessionId":"s","title":"t","pinned":false,"crazeId":"c",` + old + `}`,
			Row{SessionID: "s"},
			[]string{`{"sessionId":"s","provider":"p","cwd":"/w","title":"t","pinned":false,"crazeId":"c",` + stamps + `}`},
		},
		{
			"a pinned title gives way to a pinned one only",
			`{"sessionId":"s","title":"t","pinned":true,"crazeId":"c",` + old + `}`,
			Row{SessionID: "s", CrazeID: "c", Title: "u", Pinned: true},
			[]string{`{"sessionId":"s","provider":"p","cwd":"/w","title":"u","pinned":true,"crazeId":"c",` + stamps + `}`},
		},
		{
			"unattended settings are never changed, and unknown members stay as they were written",
			`{"sessionId":"s","title":"t","pinned":false,"crazeId":"c","unattended":{"mode":"plan","permissionMode":"bypass","model":"m","effort":"","later":2.50},"n":"A\/",` + old + `}`,
			Row{SessionID: "s2", CrazeID: "c", Unattended: &Unattended{Mode: "ask"}},
			[]string{`{"sessionId":"s2","provider":"p","cwd":"/w","title":"t","pinned":false,"crazeId":"c","unattended":{"mode":"plan","permissionMode":"bypass","model":"m","effort":"","later":2.50},` + stamps + `,"n":"A\/"}`},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := indexWith(t, tt.before)
			tt.row.Provider, tt.row.Cwd, tt.row.CreatedAt, tt.row.UpdatedAt = "p", "/w", noon, noon
			if err := x.Upsert(tt.row); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, contents(t, x)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestARowThatCannotBeWrittenLosesNothing(t *testing.T) {
	x := OpenIndex(t.TempDir())
	r := Row{Provider: "p", SessionID: "s", CrazeID: "c", UpdatedAt: noon}
	if err := x.Upsert(r); err != nil {
		t.Fatal(err)
	}
	before := contents(t, x)
	r.UpdatedAt = noon.AddDate(9000, 0, 0)
	if err := x.Upsert(r); err == nil {
		t.Error("a time no reader takes was written")
	}
	if diff := cmp.Diff(before, contents(t, x)); diff != "" {
		t.Error(diff)
	}
}

func TestFindGivesTheNewestRowOfACrazeID(t *testing.T) {
	const row = `{"sessionId":%q,"provider":"p","cwd":"/w","title":"","pinned":false,"crazeId":"c","createdAt":"2025-01-01T00:00:00Z","updatedAt":"2025-01-0%dT00:00:00Z"}`
	x := indexWith(t, fmt.Sprintf(row, "one", 1), fmt.Sprintf(row, "three", 3), fmt.Sprintf(row, "two", 2))
	got, ok, err := x.Find("c")
	if err != nil || !ok || got.SessionID != "three" {
		t.Errorf("%+v %v %v", got, ok, err)
	}
	for _, id := range []string{"d", ""} {
		if _, ok, err := x.Find(id); ok || err != nil {
			t.Errorf("%q: %v %v", id, ok, err)
		}
	}
	if _, ok, err := OpenIndex(t.TempDir()).Find("c"); ok || err != nil {
		t.Errorf("no index: %v %v", ok, err)
	}
}

func TestTheIndexIsPrivateAndABusyOneIsSaid(t *testing.T) {
	x := OpenIndex(filepath.Join(t.TempDir(), "craze"))
	if err := x.Upsert(Row{Provider: "p", CrazeID: "c", UpdatedAt: noon}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{".": 0o700, indexName: 0o600, indexName + ".lock": 0o600} {
		info, err := os.Stat(filepath.Join(x.dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	synctest.Test(t, func(t *testing.T) { // so that lockWait takes no time
		lock, err := x.lock()
		if err != nil {
			t.Fatal(err)
		}
		defer lock.Close()
		if err := x.Upsert(Row{Provider: "p", CrazeID: "d", UpdatedAt: noon}); !errors.Is(err, ErrIndexBusy) {
			t.Errorf("%v", err)
		}
	})
	left, err := filepath.Glob(filepath.Join(x.dir, ".*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %q %v", left, err)
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
