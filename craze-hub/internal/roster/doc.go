// Package roster is the hub's list of hosts: what the registry says of each,
// and the last row each gave of itself.
//
// One goroutine owns it; step decides, effects follow. It looks at the
// registry when the watch says something changed, when a host's connection
// ends, and when someone asks; it keeps one connection to each host, on which
// it asks for the host's row when someone wants the roster. A host that dies
// closes that connection, so it is gone within the time of one look.
//
// An answer is given once every host of the round has been heard from, and at
// the latest roundWait after it was asked; a host not heard from by then is
// listed as it stands. Nothing here waits for a host: each has a goroutine of
// its own, at most askers of them asking at a time. Limits: the protocol's
// bounds of a roster and its rows.
package roster
