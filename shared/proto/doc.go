// Package proto is the vocabulary of protocol 1: the methods, their params
// and results, the notifications, the session events, the refusal codes and
// every limit that two processes must agree on.
//
// It is data and the two codecs of that data (events, JSON values); it holds
// no state, starts no goroutine and imports nothing of this repository. The
// order of the fields of a struct here is the order of the members on the
// wire, so a field is added at the place the protocol page gives it.
//
// Optional members use omitzero: an absent member is its zero value. A list
// that the protocol always writes has no omitzero, and a nil one is written
// as [].
package proto
