// Package text owns how text from agents, files and people is made safe and
// measured before a terminal or a list sees it: cleaning, folding onto one
// line, titles, widths in cells, ages and home-relative paths.
//
// What Clean, OneLine and Title return is valid UTF-8 with no control
// character (but newline and tab from Clean), no escape sequence and no
// bidirectional override; each is idempotent. Widths are counted in terminal
// cells by grapheme cluster, and the result of a function that takes a number
// of cells is never wider. Every function is pure and linear in its input.
//
// It styles nothing, wraps nothing, and does not decide how long a text may
// be in bytes: bytes on the wire stay as they are, and are cleaned where they
// are shown.
package text
