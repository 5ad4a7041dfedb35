package peer

import (
	"bufio"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLinesAreReadWholeAndLongOnesSkipped(t *testing.T) {
	const buffer, limit = 16, 40 // a line is longer than the reader's buffer
	long := strings.Repeat("x", limit)
	for _, c := range []struct {
		name, in string
		want     []string // each line, or its error
	}{
		{"nothing", "", []string{"", "EOF"}},
		{"two", "one\n\ntwo\n", []string{"one", "", "two", "", "EOF"}},
		{"longer than the buffer", long[1:] + "\nnext\n", []string{long[1:], "next", "", "EOF"}},
		{"over the limit", long + "\nnext\n", []string{errLineTooLong.Error(), "next", "", "EOF"}},
		{"far over the limit", long + long + long + "\nnext\n", []string{errLineTooLong.Error(), "next", "", "EOF"}},
		{"no newline at the end", "one\ntwo", []string{"one", "two", "EOF"}},
		{"over the limit, with no newline at the end", long + long, []string{"", "EOF"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := bufio.NewReaderSize(strings.NewReader(c.in), buffer)
			var got []string
			for ended := false; !ended; {
				data, err := readLine(r, limit)
				if !errors.Is(err, errLineTooLong) {
					got = append(got, string(data))
				}
				if err != nil {
					got = append(got, err.Error())
				}
				ended = err != nil && !errors.Is(err, errLineTooLong)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
