package acp

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// frameAll gives a stream's lines, with "<n>" for a skipped one of n bytes.
func frameAll(t testing.TB, src io.Reader, limit int) []string {
	t.Helper()
	f := newFramer(src, limit)
	var got []string
	var spare []byte
	for {
		b, err := f.next(spare)
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		if b.data == nil {
			got = append(got, "<"+strings.Repeat("x", b.skipped)+">")
			continue
		}
		for line := range bytes.Lines(b.data) {
			got = append(got, string(bytes.TrimSuffix(line, []byte("\n"))))
		}
		spare = b.data
	}
}

func TestFramerCutsEveryLineWhateverTheReads(t *testing.T) {
	cases := map[string]struct {
		in   string
		want []string
	}{
		"two lines":                        {"a\nbb\n", []string{"a", "bb"}},
		"a last line without its end":      {"a\nbb", []string{"a", "bb"}},
		"blank lines are lines":            {"\n\na\n", []string{"", "", "a"}},
		"a line of the limit":              {"12345678\nx\n", []string{"12345678", "x"}},
		"a line over the limit is skipped": {"a\n123456789\nb\n", []string{"a", "<xxxxxxxxx>", "b"}},
		"a far longer one too":             {strings.Repeat("z", 50) + "\nb\nc\n", []string{"<" + strings.Repeat("x", 50) + ">", "b", "c"}},
		"an endless one at the end":        {"a\n" + strings.Repeat("z", 20), []string{"a", "<" + strings.Repeat("x", 20) + ">"}},
		"one just over at the end":         {"a\n123456789", []string{"a", "<xxxxxxxxx>"}},
		"nothing":                          {"", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			readers := map[string]io.Reader{
				"whole": strings.NewReader(c.in), "bytes": iotest.OneByteReader(strings.NewReader(c.in)),
				"halves": iotest.HalfReader(strings.NewReader(c.in)), "data with error": iotest.DataErrReader(strings.NewReader(c.in)),
			}
			for how, r := range readers {
				if diff := cmp.Diff(c.want, frameAll(t, r, 8)); diff != "" {
					t.Errorf("%s: %s", how, diff)
				}
			}
		})
	}
}

func TestFramerDoesNotKeepALongLinesBuffer(t *testing.T) {
	f := newFramer(io.MultiReader(strings.NewReader(strings.Repeat("z", 5<<20)+"\nshort\n"), strings.NewReader("more\n")), lineMax)
	b, err := f.next(nil)
	if err != nil || len(b.data) < 5<<20 {
		t.Fatal(len(b.data), err)
	}
	if _, err := f.next(b.data); err != nil || cap(f.buf) > blockSize {
		t.Fatalf("a buffer of %d bytes is kept (%v)", cap(f.buf), err)
	}
}

func FuzzFramer(f *testing.F) {
	f.Add([]byte("a\nb\n\nlonger than it may be\nend"), uint8(8))
	f.Fuzz(func(t *testing.T, in []byte, limit uint8) {
		n := int(limit)%32 + 1
		var want []string
		for line := range bytes.Lines(in) {
			s := strings.TrimSuffix(string(line), "\n")
			if len(s) > n {
				s = "<" + strings.Repeat("x", len(s)) + ">"
			}
			want = append(want, s)
		}
		for _, r := range []io.Reader{bytes.NewReader(in), iotest.OneByteReader(bytes.NewReader(in))} {
			if diff := cmp.Diff(want, frameAll(t, r, n)); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
