// Package wire frames protocol 1: bounded lines in, whole lines out.
//
// A LineReader reads newline-ended lines up to a limit and skips a longer one
// without buffering it. ParseRequest and DecodeParams decode what a client
// sent, strictly; ParseMessage decodes what an endpoint sent, tolerantly. A
// Conn adds the writing half: a byte-bounded outbox and the one goroutine
// that writes it.
//
// Order: lines leave a Conn in the order they were queued. Blocking: TrySend
// never waits; Send waits for room; the writer gives up on a peer that takes
// nothing for proto.WriteStall. An event's body is queued by reference and
// joined to its envelope only as it is written, so a thousand queues share
// one copy.
//
// It knows no session and no method's meaning.
package wire
