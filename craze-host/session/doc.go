// Package session owns one conversation with one agent: its turns, its queue,
// its asks, its settings, the receipts of its commands, and the order in which
// all of it is told.
//
// Run is the only goroutine that sees a session's state. Everything else is an
// input: a client's command, a read, what the agent said. step decides what an
// input changes and says what is to be done about it; it does no I/O, reads no
// clock and starts nothing. Run then performs those effects in order: an event
// is committed to the log and folded before anyone is answered, so a reader is
// never told of something its stream has not.
//
// Life of a prompt: Do(PromptCmd) while idle commits "turn started", asks the
// agent to begin and answers with the turn. The agent's updates, which enter
// the same inbox in the order it wrote them, become events. Its TurnEnded
// commits "done" or "error", ends the asks still open, commits "turn ended"
// and, in the same step, starts the first queued prompt. A prompt sent while a
// turn runs becomes a queue row. A cancelled turn keeps the queue; a failed
// one clears it, row by row, on the stream.
//
// Blocking: a call waits for the session's answer, its context, or the
// session's end. Deliver waits while the inbox is full, which is how an agent
// is slowed. Nothing the session does waits for a client or the agent.
//
// Limits: proto.QueueRows waiting prompts of proto.QueueTextMax bytes;
// proto.ReceiptsMax stored answers for proto.ReceiptsAge.
package session
