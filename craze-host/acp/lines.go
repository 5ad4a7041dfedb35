package acp

import (
	"bytes"
	"io"
)

// blockSize is one read's buffer: what a pipe holds by default, so that a
// burst is taken a pipe at a time.
const blockSize = 64 << 10

// block is a run of whole lines, each ended by a newline but for a last one at
// the end of the stream, or the size of one line that was over the limit.
type block struct {
	data    []byte
	skipped int
}

// framer cuts a stream into blocks. A line over max is skipped to its end and
// reported by size. The buffer grows only for a long line, and a grown one is
// given away with it.
type framer struct {
	src  io.Reader
	max  int
	buf  []byte // buf[:n] is read; buf[:seen] holds no newline
	n    int
	seen int
	skip bool // inside a line over the limit
	lost int  // its bytes so far
	err  error
}

func newFramer(src io.Reader, limit int) *framer {
	return &framer{src: src, max: limit, buf: make([]byte, min(blockSize, limit+1))}
}

// next gives the next block. The block's data is the caller's; spare, where
// not nil, is a block's data given back. The error is the stream's end.
func (f *framer) next(spare []byte) (block, error) {
	for {
		if b, ok := f.cut(spare); ok {
			return b, nil
		}
		if f.err != nil {
			return f.last()
		}
		f.room()
		m, err := f.src.Read(f.buf[f.n:])
		f.n += m
		f.err = err
	}
}

// cut takes the whole lines out of the buffer.
func (f *framer) cut(spare []byte) (block, bool) {
	if f.skip {
		return f.cutSkipped()
	}
	i := bytes.LastIndexByte(f.buf[f.seen:f.n], '\n')
	if i < 0 {
		f.seen = f.n
		return block{}, false
	}
	end := f.seen + i + 1
	out := f.buf[:end]
	rest := f.buf[end:f.n]
	f.buf = f.fresh(spare, len(rest))
	f.n = copy(f.buf, rest)
	f.seen = f.n
	return block{data: out}, true
}

// cutSkipped looks for the end of a line that is being skipped.
func (f *framer) cutSkipped() (block, bool) {
	i := bytes.IndexByte(f.buf[:f.n], '\n')
	if i < 0 {
		f.lost += f.n
		f.n = 0
		return block{}, false
	}
	b := block{skipped: f.lost + i}
	f.n = copy(f.buf, f.buf[i+1:f.n])
	f.seen, f.lost, f.skip = 0, 0, false
	return b, true
}

// room makes place for a read, or starts to skip a line that is over max.
func (f *framer) room() {
	if f.n < len(f.buf) {
		return
	}
	if f.n > f.max {
		f.skip, f.lost = true, f.n
		f.buf, f.n, f.seen = make([]byte, min(blockSize, f.max+1)), 0, 0
		return
	}
	grown := make([]byte, min(2*len(f.buf), f.max+1))
	copy(grown, f.buf[:f.n])
	f.buf = grown
}

// last gives what the stream ended in.
func (f *framer) last() (block, error) {
	switch {
	case f.skip:
		b := block{skipped: f.lost}
		f.skip, f.lost = false, 0
		return b, nil
	case f.n > f.max:
		b := block{skipped: f.n}
		f.n, f.seen = 0, 0
		return b, nil
	case f.n > 0:
		b := block{data: f.buf[:f.n]}
		f.buf, f.n, f.seen = nil, 0, 0
		return b, nil
	}
	return block{}, f.err
}

// fresh is a buffer with room after need bytes: spare where it is an ordinary
// one.
func (f *framer) fresh(spare []byte, need int) []byte {
	size := min(blockSize, f.max+1)
	if cap(spare) == size && need < size {
		return spare[:size]
	}
	for size <= need {
		size = min(2*size, f.max+1) // need is at most max: a newline came with it
	}
	return make([]byte, size)
}
