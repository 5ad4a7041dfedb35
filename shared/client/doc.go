// Package client is how every Go client of craze speaks protocol 1: typed
// calls of a host or a hub, a session's stream with its cursor, and the way
// back after a lost connection.
//
// A Conn is one connection: one reader, which matches replies to calls and
// queues notifications, and wire's writer. A Session is bound to one session:
// it redials when its connection is lost (MaxDials dials within RedialWindow),
// takes its client id back, attaches behind the last event it was given, and
// sends an unanswered command again only when the host said it resumed that
// very client. Anything else ends the command as resume_lost: it may have run.
//
// Order: a Stream gives each event once, in seq order, whatever happens to the
// connection; a hole in the seqs is treated like a reset. Blocking: a Stream
// that is not read stops its own socket at QueueBytes and nothing else; calls
// wait for their answer or their context. Every goroutine ends with Close,
// which waits for it.
package client
