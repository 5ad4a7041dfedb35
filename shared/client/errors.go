package client

import (
	"errors"

	"craze/shared/proto"
	"craze/shared/sock"
)

// ErrGone says that nobody listens where the session's host was.
var ErrGone = errors.New("no host is listening for this session: it has ended (craze ps lists the sessions that run)")

// Refusals a client gives itself, for errors.Is. No host or hub sends them.
var (
	// ErrDisconnected says the connection was lost or closed. A call that gets
	// it may have been carried out.
	ErrDisconnected = own(proto.CodeDisconnected, "the connection was lost")
	// ErrNoAnswer says a call's context ended before its answer came.
	ErrNoAnswer = own(proto.CodeNoAnswer, "no answer came in time")
	// ErrResumeLost says a command's connection was lost and the host did not
	// take the client back, so that the command may or may not have run.
	ErrResumeLost = own(proto.CodeResumeLost,
		"the connection was lost before the answer came, and the command may have run: look at the session")
)

func own(code proto.Code, message string) *proto.Error { return proto.RefuseOne(code, "%s", message) }

// unanswered is a call that its context ended. It is no *proto.Error, since
// nobody refused anything.
type unanswered struct{ cause error }

func (e unanswered) Error() string        { return "no answer came: " + e.cause.Error() }
func (e unanswered) Unwrap() error        { return e.cause }
func (e unanswered) Is(target error) bool { return ErrNoAnswer.Is(target) }

// goneError reads as ErrGone and keeps what led to it for errors.Is.
type goneError struct{ causes []error }

func (e goneError) Error() string   { return ErrGone.Error() }
func (e goneError) Unwrap() []error { return append([]error{ErrGone}, e.causes...) }

// gone makes an error of a dial that found nobody an ErrGone.
func gone(err error, also ...error) error {
	if errors.Is(err, sock.ErrNobody) {
		return goneError{append(also, err)}
	}
	return err
}
