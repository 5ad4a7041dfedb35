// Package cut holds what a client is promised when its connection breaks: the
// real client against the real control server, over connections that are cut
// at any byte. It is tests alone, in one process, with no socket.
package cut
