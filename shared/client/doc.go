// Package client is how every Go client of craze speaks protocol 1: typed
// calls of a host or a hub, a session's stream with its cursor, and the way
// back after a lost connection.
//
// A Conn is one connection: one reader, which matches replies to calls and
// queues notifications, and wire's writer. A Session is bound to one session:
// it redials when its connection is lost (MaxDials dials within RedialWindow,
// one redial for all who need it), takes its client id back, attaches behind
// the last event it was given, and sends an unanswered command again only to a
// host that resumed that very client. Any other ends as ErrResumeLost: it may
// have run. A command that was never sent is sent afresh.
//
// Order: a Stream gives each event once, in seq order, whatever happens to the
// connection; a hole in the seqs is treated like a reset. Blocking: a Stream
// that is not read stops its own socket at QueueBytes and nothing else, which
// holds back the replies behind those events too; calls wait for their answer
// or their context, and one given up by its context is errors.Is ErrNoAnswer
// and the context's error. Limits: an endpoint's line is at most the
// protocol's limit and a little; a request past the endpoint's own is refused
// before it is sent. Every goroutine ends with Close, which waits for it.
//
// It finds no hosts and starts none, folds nothing but the snapshots it hands
// out, and keeps nothing on disk.
package client
