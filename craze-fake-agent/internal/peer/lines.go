package peer

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine bounds one line of the input, in bytes. It is what craze takes from
// an agent, so that neither end is the stricter one.
const maxLine = 64 << 20

// errLineTooLong is the fate of a line over maxLine. The lines after it are
// read as if it had not come.
var errLineTooLong = errors.New("line is over 64 MiB")

// line is one line of the input without its newline, or why there is none.
type line struct {
	data []byte
	err  error
}

// pump hands each line of in to out until the input ends or done is closed,
// and then closes out. It holds one line in hand and one read buffer, so a
// receiver that stops receiving soon stops the reading.
func pump(in io.Reader, out chan<- line, done <-chan struct{}) {
	defer close(out)
	r := bufio.NewReader(in)
	for {
		data, err := readLine(r, maxLine)
		if len(bytes.TrimSpace(data)) > 0 || errors.Is(err, errLineTooLong) {
			select {
			case out <- line{data: data, err: err}:
			case <-done:
				return
			}
		}
		if err != nil && !errors.Is(err, errLineTooLong) {
			return
		}
	}
}

// readLine returns the next line, of at most limit bytes with its newline, and
// without it. A last line that has no
// newline is a line too: it comes with io.EOF.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var whole []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(whole)+len(part) > limit; !tooLong {
			whole = append(whole, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil && tooLong:
			return nil, errLineTooLong
		case tooLong:
			return nil, err
		default:
			return bytes.TrimSuffix(whole, []byte("\n")), err
		}
	}
}
