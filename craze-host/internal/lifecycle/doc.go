// Package lifecycle is one host's life: it takes the locks, binds the socket,
// lists the host, starts the agent and the session, and takes all of it down
// again.
//
// Order of a start: lifetime lock, session claim, socket, registry entry, the
// spawner's ready line, then the agent. Nothing is listed before it can be
// reached, and the claim is held before anything of the session exists.
//
// Order of an end: refuse new attachments and mark the entry as stopping;
// close the session, which ends its turn and its asks on the stream and closes
// the agent; wait for the agent's process to be gone and for clients to have
// read what they are owed; flush the journal and the index; unlink the entry;
// release the claim; close the socket; release the lifetime lock. A second
// signal, or the bound of the wait, kills the agent instead of waiting for it.
//
// Every goroutine it starts is waited for before Run returns.
package lifecycle
