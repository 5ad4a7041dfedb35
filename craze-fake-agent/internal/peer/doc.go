// Package peer is the agent's end of ACP: JSON-RPC 2.0, one object a line, over
// a pair of streams. It owns the framing, the requests in both directions, the
// sessions with their settings, and the turns. What a turn says is a
// [Behaviour]'s business.
//
// Order: lines are handled in the order they came, by the goroutine of [Run]. A
// prompt's answer is written after everything its Prompt hook wrote, and by
// then its session takes the next prompt. Each frame is one Write of the
// output, unless a Behaviour asks for more in one.
//
// Blocking: a turn has a goroutine of its own, so that cancels and answers are
// read while it runs. A write waits for the reader of the output for as long as
// that takes, as any agent's does; a client that writes without ever reading
// can so hold up the answers to its own requests.
//
// Limits: a line of the input is at most 64 MiB; a longer one is skipped and
// refused alone. Requests are not checked for coming in a sensible order, and
// no session is loaded or kept after the process.
package peer
