package acp

import "unicode/utf8"

// scanner walks JSON text strictly. It refuses whatever it is not sure of, so
// a caller that falls back to the JSON decoder on a refusal is exact as long
// as what it accepts is right. Its text is valid UTF-8.
type scanner struct {
	b []byte
	i int
}

// scanDepth bounds nesting in what is skipped; deeper text is left to the
// decoder.
const scanDepth = 32

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		default:
			return
		}
	}
}

// take consumes c after white space.
func (s *scanner) take(c byte) bool {
	s.space()
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// plain consumes a string without escapes and gives its bytes.
func (s *scanner) plain() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	start := s.i
	for s.i < len(s.b) {
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return s.b[start : s.i-1], true
		case c == '\\' || c < 0x20:
			return nil, false
		}
		s.i++
	}
	return nil, false
}

// next moves to an object's next member and gives its name. first is true
// before the first member; end says the object is closed.
func (s *scanner) next(first bool) (key []byte, end, ok bool) {
	if s.take('}') {
		return nil, true, true
	}
	if !first && !s.take(',') {
		return nil, false, false
	}
	key, ok = s.plain()
	return key, false, ok && s.take(':')
}

// text consumes a string and gives it decoded. Surrogate escapes are refused:
// whether they pair is the decoder's to judge.
func (s *scanner) text(scratch []byte) (string, []byte, bool) {
	if !s.take('"') {
		return "", scratch, false
	}
	start := s.i
	scratch = scratch[:0]
	escaped := false
	for s.i < len(s.b) {
		switch c := s.b[s.i]; {
		case c == '"':
			tail := s.b[start:s.i]
			s.i++
			if !escaped {
				return string(tail), scratch, true
			}
			scratch = append(scratch, tail...)
			return string(scratch), scratch, true
		case c < 0x20:
			return "", scratch, false
		case c == '\\':
			escaped = true
			scratch = append(scratch, s.b[start:s.i]...)
			var ok bool
			if scratch, ok = s.unescape(scratch); !ok {
				return "", scratch, false
			}
			start = s.i
		default:
			s.i++
		}
	}
	return "", scratch, false
}

// unescape consumes one escape and appends what it stands for.
func (s *scanner) unescape(dst []byte) ([]byte, bool) {
	if s.i+1 >= len(s.b) {
		return dst, false
	}
	c := s.b[s.i+1]
	if c == 'u' {
		r, ok := s.hex(s.i + 2)
		if !ok || r >= 0xd800 && r <= 0xdfff {
			return dst, false
		}
		s.i += 6
		return utf8.AppendRune(dst, r), true
	}
	lit, ok := literalEscape(c)
	if !ok {
		return dst, false
	}
	s.i += 2
	return append(dst, lit), true
}

func literalEscape(c byte) (byte, bool) {
	switch c {
	case '"', '\\', '/':
		return c, true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	}
	return 0, false
}

// hex reads four hexadecimal digits at i.
func (s *scanner) hex(i int) (rune, bool) {
	if i+4 > len(s.b) {
		return 0, false
	}
	var r rune
	for _, c := range s.b[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// skip consumes any value.
func (s *scanner) skip(depth int) bool {
	s.space()
	if s.i >= len(s.b) || depth > scanDepth {
		return false
	}
	switch c := s.b[s.i]; {
	case c == '"':
		return s.skipString()
	case c == '{':
		return s.skipObject(depth)
	case c == '[':
		return s.skipArray(depth)
	case c == '-' || c >= '0' && c <= '9':
		return s.skipNumber()
	}
	return s.word("true") || s.word("false") || s.word("null")
}

func (s *scanner) word(w string) bool {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return false
	}
	s.i += len(w)
	return true
}

func (s *scanner) skipString() bool {
	if !s.take('"') {
		return false
	}
	for s.i < len(s.b) {
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return true
		case c < 0x20:
			return false
		case c == '\\':
			if !s.skipEscape() {
				return false
			}
		default:
			s.i++
		}
	}
	return false
}

func (s *scanner) skipEscape() bool {
	if s.i+1 >= len(s.b) {
		return false
	}
	if s.b[s.i+1] == 'u' {
		_, ok := s.hex(s.i + 2)
		s.i += 6
		return ok
	}
	_, ok := literalEscape(s.b[s.i+1])
	s.i += 2
	return ok
}

func (s *scanner) skipObject(depth int) bool {
	s.i++
	for first := true; ; first = false {
		if s.take('}') {
			return true
		}
		if !first && !s.take(',') {
			return false
		}
		s.space()
		if !s.skipString() || !s.take(':') || !s.skip(depth+1) {
			return false
		}
	}
}

func (s *scanner) skipArray(depth int) bool {
	s.i++
	if s.take(']') {
		return true
	}
	for {
		if !s.skip(depth + 1) {
			return false
		}
		if s.take(']') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

// skipNumber consumes a number by JSON's grammar.
func (s *scanner) skipNumber() bool {
	if s.at() == '-' {
		s.i++
	}
	if s.at() == '0' {
		s.i++
	} else if s.digits() == 0 {
		return false
	}
	if s.at() == '.' {
		s.i++
		if s.digits() == 0 {
			return false
		}
	}
	if c := s.at(); c == 'e' || c == 'E' {
		s.i++
		if c := s.at(); c == '+' || c == '-' {
			s.i++
		}
		return s.digits() > 0
	}
	return true
}

// at is the next byte, 0 at the end.
func (s *scanner) at() byte {
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

func (s *scanner) digits() int {
	start := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i - start
}
