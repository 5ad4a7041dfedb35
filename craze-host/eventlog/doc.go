// Package eventlog owns a session's stream: it gives each event its seq,
// encodes it once, keeps the newest records in a ring, and hands them to
// subscriptions.
//
// Order: seqs are 1, 2, 3, ... with no hole, and every subscription gets them
// in that order. Blocking: Append has one caller and never waits; a
// subscription that falls behind its budget is ended with ErrSlow rather than
// waited for, and one that meets a record too large to send ends with
// ErrOmitted. Limits: the ring holds RingItems records and RingBytes bytes,
// which is more than any budget, so a subscription within its budget always
// finds its next record there.
//
// A record's body is shared by everyone who reads it and is never written to
// again. The package does no I/O and starts no goroutine.
package eventlog
