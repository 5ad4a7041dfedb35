// Package journal writes what happened in a session to a file, one JSON object
// a line.
//
// It is a subscriber of the session's log like any client, with the largest
// budget: a disk that is slow loses records rather than slowing a turn, and a
// "gap" line says exactly which. A write that fails ends the journal, never the
// session. Several records that wait go out in one write(2); nothing is fsynced,
// since what a kill -9 needs is only that the write was made.
//
// The file is made with the first line worth writing, 0600 in a 0700 directory,
// and no process ever appends to a file another made. A Writer's goroutine is
// its Run; Note never waits.
package journal
