package acp

import (
	"os"
	"syscall"

	"craze/craze-host/agent"
	"craze/shared/proto"
)

// errDeadline is what a write past its deadline reports.
var errDeadline = os.ErrDeadlineExceeded

// signalBase is added to a signal's number to make a code, as shells do.
const signalBase = 128

// neverStarted tells of a command that could not be run.
func neverStarted(err error) []agent.Update {
	e := &proto.EventErr{Message: clean(err.Error(), messageMax), Class: proto.ErrOther}
	return []agent.Update{agent.StartFailed{Err: *e}, agent.Exited{Err: e}}
}

// exitErr says how the reaped agent ended. What craze ended it for counts only
// where the agent did not end by itself.
func (l *loop) exitErr() *proto.EventErr {
	state := l.a.proc.cmd.ProcessState
	ws, _ := state.Sys().(syscall.WaitStatus)
	switch {
	case l.cause != nil && ws.Signaled() && l.a.proc.wasStruck():
		return l.cause
	case ws.Signaled():
		return l.withWords("signal: "+ws.Signal().String(), signalBase+int(ws.Signal()))
	case state.ExitCode() != 0:
		return l.withWords(state.String(), state.ExitCode())
	}
	return &proto.EventErr{Message: "acp: agent exited", Class: proto.ErrAgentExited}
}

func (l *loop) withWords(how string, code int) *proto.EventErr {
	msg := "acp: agent exited: " + how
	if words := l.a.errs.words(); words != "" {
		msg += ": " + words
	}
	return &proto.EventErr{Message: msg, Class: proto.ErrAgentExitStatus, Code: code}
}
