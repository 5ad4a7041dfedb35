package acp

import (
	"bytes"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"craze/craze-host/agent"
	"craze/shared/proto"

	"github.com/go-json-experiment/json/jsontext"
)

// phase is how far the agent's start has come.
type phase string

const (
	starting phase = "starting"
	running  phase = "running"
	refused  phase = "refused" // the start has failed: nothing more is heard
)

// batchHint is the most room made for a batch beforehand: a burst's batches are
// alike in size, and a stream's are small.
const batchHint = 1024

// badMax bounds the Diags of bad lines in one batch; the rest are counted.
const badMax = 8

// loop is the one goroutine that decodes what the agent writes and tells the
// Sink. All it holds is its own; what the session's calls share is the ledger.
type loop struct {
	a            *Agent
	speak        dialect
	phase        phase
	session      string // "" until the agent named it
	start        starter
	early        []agent.Update   // waits for Ready
	state        proto.StateDelta // becomes Ready's
	out          []agent.Update   // the batch being made
	scan         chunkScanner
	half         halfRune
	tools        toolbox
	told         bool // commandsTold was
	bad          int  // bad lines of this batch
	commandsTold []proto.AgentCommand
	cause        *proto.EventErr // what craze ended the agent for
}

func newLoop(a *Agent) *loop {
	return &loop{a: a, speak: plain(), phase: starting}
}

// run ends when the process is reaped and its stdout has been read.
func (l *loop) run(blocks <-chan block, spare chan<- []byte) {
	l.begin()
	defer l.start.stop()
	for reaped := l.a.proc.reaped; blocks != nil || reaped != nil; {
		select {
		case b, ok := <-blocks:
			if !ok {
				blocks = nil
				l.outputEnded(reaped != nil)
				break
			}
			l.block(b)
			give(spare, b.data)
		case <-l.a.errs.wake:
			l.stderr()
		case <-l.start.expired():
			l.startTimedOut()
		case err := <-l.a.failed:
			l.writeFailed(err)
		case <-reaped:
			reaped = nil
		}
		l.flush()
	}
	l.finish()
	l.flush()
}

// give hands a buffer back to the framer, unless one waits already.
func give(spare chan<- []byte, buf []byte) {
	if buf == nil {
		return
	}
	select {
	case spare <- buf:
	default:
	}
}

// flush tells the batch. The slice is the Sink's from then on.
func (l *loop) flush() {
	if l.bad > badMax {
		l.diag("%d more agent lines skipped", l.bad-badMax)
	}
	l.bad = 0
	if len(l.out) == 0 {
		return
	}
	batch := l.out
	l.out = make([]agent.Update, 0, min(len(batch), batchHint))
	l.a.cfg.Sink(batch)
}

// tell adds an update to the batch, or to what waits for Ready.
func (l *loop) tell(u agent.Update) {
	if l.phase != starting {
		l.out = append(l.out, u)
		return
	}
	if s, ok := u.(agent.State); ok {
		merge(&l.state, s.Delta)
		return
	}
	if len(l.early) < earlyMax {
		l.early = append(l.early, u)
		return
	}
	l.badLine("agent update lost: too many before the session was ready")
}

func (l *loop) diag(format string, args ...any) {
	l.out = append(l.out, agent.Diag{Text: clean(fmt.Sprintf(format, args...), diagMax)})
}

// badLine is a diag of something that an agent may repeat without end.
func (l *loop) badLine(format string, args ...any) {
	if l.bad++; l.bad <= badMax {
		l.diag(format, args...)
	}
}

func (l *loop) stderr() {
	for _, line := range l.a.errs.take() {
		l.out = append(l.out, agent.Diag{Text: line})
	}
}

// block handles whole lines.
func (l *loop) block(b block) {
	if b.data == nil {
		l.badLine("agent line of %d bytes skipped: over %d MiB", b.skipped, lineMax>>20)
		return
	}
	for line := range bytes.Lines(b.data) {
		if line = bytes.TrimSpace(line); len(line) > 0 && l.phase != refused {
			l.line(line)
		}
	}
}

// line handles one line, which is not blank.
func (l *loop) line(line []byte) {
	if !utf8.Valid(line) {
		l.skipped(line, "not UTF-8")
		return
	}
	if c, ok := l.scan.scan(line); ok {
		if l.ours(string(c.session)) {
			l.flushHalf()
			l.text(c.kind, c.text)
		}
		return
	}
	var e envelope
	switch err := lenient(line, &e); {
	case err != nil && !jsontext.Value(line).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)):
		l.skipped(line, "not JSON")
	case err != nil || line[0] != '{':
		l.skipped(line, "not JSON-RPC")
	default:
		l.message(&e, line)
	}
}

func (l *loop) skipped(line []byte, why string) {
	l.badLine("agent line of %d bytes skipped: %s: %s", len(line), why, clean(string(line[:min(len(line), headMax)]), headMax))
}

func (l *loop) message(e *envelope, line []byte) {
	switch {
	case e.Method != "" && e.ID != nil:
		l.request(e)
	case e.Method != "":
		if note := l.speak.notes[e.Method]; note != nil {
			note(l, e.Params)
		}
	case e.ID != nil:
		l.response(e)
	default:
		l.skipped(line, "not JSON-RPC")
	}
}

// request serves a request of the agent, or refuses it at once.
func (l *loop) request(e *envelope) {
	id, err := rawID(e.ID)
	if err != nil {
		l.badLine("agent request refused: %v", err)
		return
	}
	if serve := l.speak.requests[e.Method]; serve != nil {
		serve(l, id, e.Params)
		return
	}
	l.send(refusalFrame(id))
}

// send queues a line of the loop's own. An agent that lets its outbox fill is
// ended: what it is owed cannot be told it.
func (l *loop) send(line []byte) {
	if err := l.a.out.add(line); errors.Is(err, ErrFull) {
		l.endFor(ErrFull.Error())
	}
}

// response ends a call of craze's.
func (l *loop) response(e *envelope) {
	id, ok := integer(e.ID)
	if ok && l.phase == starting && id == l.start.id {
		l.stepDone(e)
		return
	}
	turn, running := "", false
	if ok {
		turn, running = l.a.book.settle(id)
	}
	switch {
	case running:
		l.turnEnded(turn, e)
	case absent(e.ID) && e.Error != nil:
		l.badLine("agent could not read a line: %s", e.Error.text())
	default:
		l.badLine("agent answered an unknown request %s", clean(string(e.ID[:min(len(e.ID), headMax)]), headMax))
	}
}

func (l *loop) turnEnded(turn string, e *envelope) {
	l.flushHalf()
	l.dropAsks(true)
	end := agent.TurnEnded{Turn: turn, StopReason: proto.StopEndTurn}
	var result struct {
		StopReason jsontext.Value `json:"stopReason"`
	}
	if e.Error != nil {
		end.StopReason, end.Err = "", e.Error.event()
	} else if lenient(e.Result, &result) == nil && first(result.StopReason) != "" {
		end.StopReason = clean(first(result.StopReason), headMax)
	}
	l.tell(end)
}

// dropAsks ends the open asks; answer tells the agent so.
func (l *loop) dropAsks(answer bool) {
	for _, ask := range l.a.book.takeAsks() {
		if answer {
			l.send(resultFrame(ask.id, cancelled()))
		}
		l.tell(agent.AskGone{ID: ask.name})
	}
}

// ours reports whether a session's update is for this one. Until the agent has
// named its session every one is.
func (l *loop) ours(session string) bool { return l.session == "" || l.session == session }

// endFor begins to end an agent that no longer works.
func (l *loop) endFor(why string) {
	if l.cause == nil {
		l.cause = &proto.EventErr{Message: "acp: " + why, Class: proto.ErrAgentExited}
	}
	l.a.end()
}

// outputEnded ends an agent that has closed its stdout. One that is exiting
// has the grace to do so, and its own status is then the reason.
func (l *loop) outputEnded(alive bool) {
	l.flushHalf()
	if alive {
		l.endFor("the agent closed its output")
	}
}

func (l *loop) writeFailed(err error) {
	why := "the agent closed its input"
	if errors.Is(err, errDeadline) {
		why = ErrFull.Error()
	}
	l.endFor(why)
}

// stderrWait is how long an error waits for the last of the agent's words.
const stderrWait = 500 * time.Millisecond

// finish tells the end, with everything that was still open.
func (l *loop) finish() {
	t := time.NewTimer(stderrWait)
	defer t.Stop()
	select {
	case <-l.a.errs.done:
	case <-t.C:
	}
	l.stderr()
	l.dropAsks(false)
	turn, open, asked := l.a.book.end()
	end := l.exitErr()
	if asked {
		end = &proto.EventErr{Message: "acp: the agent was closed", Class: proto.ErrClosed}
	}
	if l.phase == starting {
		l.failStart(end)
	}
	if open {
		l.tell(agent.TurnEnded{Turn: turn, Err: end})
	}
	if asked {
		end = nil
	}
	l.tell(agent.Exited{Err: end})
}
