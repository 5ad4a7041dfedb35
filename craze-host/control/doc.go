// Package control serves a session over its control socket: protocol 1's host
// side.
//
// It owns the connections: what each has been told, its requests in flight,
// its attachment, and the client ids and tokens that outlive a connection. It
// never holds the session's state; every request becomes a call of the
// session.
//
// Order: requests are answered as each finishes. An attach's reply is queued
// before its first event, and a command's reply after every event committed
// up to its answer has been queued for the same connection. Blocking: a client
// that stops reading holds its own requests and, past its budget, loses its
// own attachment; no other connection and no turn waits for it. Limits: 16
// requests in flight a connection, 64 commands over all of them, one
// attachment a connection, and the line and queue bounds of shared/proto.
//
// Nothing a client sends is logged, and tokens never leave this package.
package control
