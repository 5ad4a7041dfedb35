// Package registry owns craze's cache tree, <HOME>/.cache/craze: the hosts'
// entries and lifetime locks, the session claims, the hubs' records, the host
// logs and the cached results. It is how one process of a user learns which
// hosts live, and how two processes keep from serving one session.
//
// Trust. Open walks from the root one component at a time without following
// links, checks who owns each directory and who may write it, and holds the
// descriptors it ends with; everything below is done relative to those. A file
// is judged on the descriptor it was opened by. Directories are made 0700 and
// files 0600.
//
// Locks. A host lives exactly while its lifetime lock is held; the kernel
// frees it however the host ends. A lock file is removed only by its holder,
// as the last act, and whoever takes a lock checks afterwards that the file
// is still the one of that name, so two holders cannot exist.
//
// Order and durability. An entry or record is replaced whole: a reader sees
// the former or the latter, never a mixture, and a write that returned
// survives a crash of the machine. Nothing is promised about the order in
// which a reader sees the writes of different hosts.
//
// Blocking and limits. No call waits for another's lock to be freed; one found
// held is looked at again for some 50 ms, since a process that only looks
// whether a lock is held holds it for that moment. Entries and records are
// at most EntryMax bytes. A Registry may be used by several goroutines; a
// Lifetime, a Claim or a HubLock belongs to one at a time. The package starts
// no goroutine.
//
// It never removes a socket, never dials one, and watches nothing.
package registry
