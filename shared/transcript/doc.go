// Package transcript owns the folded state of one session: State, the pure
// Fold that brings it from one event to the next, and snapshot codec 1, which
// writes a State at one seq and restores it elsewhere. The host, the terminal
// UI, the command line and the fakes fold with this same code, so they cannot
// disagree about what a stream means.
//
// # Promises
//
// Fold is total: an event of an unknown kind, or one without the member its
// kind needs, changes nothing but the seq. It does no I/O, reads no clock,
// starts nothing and never blocks. Events are folded in seq order, each once.
// A State belongs to one goroutine. A View (Cut) is immutable and may be
// encoded by any goroutine while the owner folds on.
//
// Restoring a snapshot and folding the later events gives what folding the
// whole stream gives, on the entries the snapshot carried.
//
// # Entries
//
// A transcript is a list of entries, oldest first; the session has one (main)
// and each sub-agent that said something another. Text and thought chunks and
// replayed user chunks join the newest entry while it streams and is of their
// kind; anything that adds an entry, and whatever ends a turn, closes that
// stream. A tool is one entry for its whole life, changed in place.
//
//   - open: the entry may still change in the ordinary course: its text
//     streams, or its tool is not finished. A tool its turn left behind stays
//     open unless its end was published.
//   - streaming: later chunks of its kind join it. Only the newest entry of a
//     transcript can stream.
//   - cut: a string of the entry was too long and only its head is here.
//
// # Bounds
//
// A streamed text is held up to proto.MaxRecordBytes and written to a
// snapshot up to proto.StringCap; every other string is held and written up
// to proto.StringCap. Texts past that cap are held whole up to some tens of
// MiB together; beyond, the oldest are cut to it. A transcript is trimmed oldest first once its entries
// weigh more than TranscriptMax; an entry weighs a fixed amount and its
// strings as a snapshot would carry them, so a restored State trims where the
// original does. The newest entry is never trimmed.
//
// # A snapshot's transcript
//
//   - dropped counts the entries that are gone for this reader: trimmed ones,
//     and those a window had no room even to list. trimmed is set with it.
//   - omitted lists what a window left out, as weight and tool id, so that a
//     later update of such a tool stays out and trimming stays exact.
//     windowed is set with it.
//   - streamOpen: the newest entry streams, whether it is here or omitted.
//     tailCut: that entry is cut, so no later chunk lengthens it. omittedRun:
//     its kind, when it is itself omitted, so that chunks of that kind go on
//     to be omitted.
//   - todoPlanned: a task list came since the latest turn began. todoDone:
//     every row of the list is completed or cancelled. Main only.
//
// It does not decide what a session does, says nothing of how a turn ended
// beyond its notes, and makes no text safe for a terminal.
package transcript
