// Package acp runs one agent that speaks the Agent Client Protocol over its
// stdin and stdout, and is the agent.Agent of that process.
//
// It owns the process, its process group and its three pipes: the group is
// signalled and the leader reaped whatever ends the agent, and nothing of the
// group outlives Exited.
//
// Order: one goroutine frames stdout, one goroutine (the loop) decodes the
// lines in wire order and is the only caller of the Sink. What the agent wrote
// before a response is therefore delivered before that response's TurnEnded.
// Ready is the first update but for Diags; updates that come before it are
// held and follow it. Exited is the last.
//
// Blocking: the Sink may block, and then nothing more is read from the agent.
// Prompt, Cancel, Answer and Close never wait: they append to a bounded outbox
// that one writer empties, and report ErrFull when the agent does not read.
//
// Limits: a line read is at most 64 MiB and a line written 16 MiB; a longer
// line, one that is not UTF-8 and one that is not JSON are skipped with a
// Diag. Strings of a tool call are cut so that one event stays below
// proto.MaxRecordBytes; text is never cut, but split over several updates.
//
// It does not decide what a turn is, restart an agent, or keep a transcript.
// Vendor dialects plug in through the dialect value; plain ACP is the only
// one here, and it ignores notifications and refuses requests it does not
// know.
package acp
