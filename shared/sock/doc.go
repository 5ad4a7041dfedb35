// Package sock owns the runtime tree in which craze's Unix sockets lie, and
// the two ends of those sockets: listening, dialling, and asking the kernel
// whose process is at the other end.
//
// It promises that a connection it hands out, accepted or dialled, belongs to
// a process of our own effective uid, and that this is known before a byte is
// read or written; a lookup that fails is a refusal, and on a system whose
// lookup it does not know everything is refused. A path too long for a socket
// is refused before any directory is made.
//
// Accept blocks until a peer of ours comes or the listener is closed, and
// waits a little where the process is out of descriptors, so that it never
// spins. Dial blocks until its context ends. The package starts no goroutine.
//
// It does not choose between two processes that want one path: the registry's
// locks do that, and Listen expects its caller to hold one. It finds no hosts;
// the registry does. It frames nothing.
package sock
