package client

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"craze/shared/proto"
)

func ask[R any](ctx context.Context, c *Conn, m proto.Method, params any) (R, error) {
	var r R
	err := c.Call(ctx, m, params, &r)
	return r, err
}

func command[R any](ctx context.Context, c *Conn, m proto.Method, params func(id string) any) (R, error) {
	var r R
	err := c.Command(ctx, m, params, &r)
	return r, err
}

// List asks a host for its one row.
func (c *Conn) List(ctx context.Context) (proto.ListResult, error) {
	return ask[proto.ListResult](ctx, c, proto.MethodList, proto.Empty{})
}

// Roster asks a hub for its rows.
func (c *Conn) Roster(ctx context.Context) (proto.RosterResult, error) {
	return ask[proto.RosterResult](ctx, c, proto.MethodList, proto.Empty{})
}

// Create asks a hub to start a session. It answers once the session has
// started, which can take a minute, and holds back every later call of the
// connection until then.
func (c *Conn) Create(ctx context.Context, p proto.CreateParams) (proto.CreateResult, error) {
	return ask[proto.CreateResult](ctx, c, proto.MethodCreate, p)
}

// State reads session.state.
func (c *Conn) State(ctx context.Context, sessionID string) (proto.StateResult, error) {
	return ask[proto.StateResult](ctx, c, proto.MethodState, proto.SessionParams{SessionID: sessionID})
}

// Snapshot reads one snapshot, for transcript.Restore.
func (c *Conn) Snapshot(ctx context.Context, p proto.SnapshotParams) (jsontext.Value, error) {
	r, err := ask[proto.SnapshotResult](ctx, c, proto.MethodSnapshot, p)
	return r.Snapshot, err
}

// Sync reads the log's committed head, behind every event up to it.
func (c *Conn) Sync(ctx context.Context, sessionID string) (uint64, error) {
	r, err := ask[proto.SyncResult](ctx, c, proto.MethodSync, proto.SessionParams{SessionID: sessionID})
	return r.Seq, err
}

// Asks lists the open asks.
func (c *Conn) Asks(ctx context.Context, sessionID string) ([]proto.AskSummary, error) {
	r, err := ask[proto.AsksResult](ctx, c, proto.MethodAsksList, proto.SessionParams{SessionID: sessionID})
	return r.Asks, err
}

// Ask reads one ask in full.
func (c *Conn) Ask(ctx context.Context, sessionID, id string) (proto.Ask, error) {
	r, err := ask[proto.AskGetResult](ctx, c, proto.MethodAsksGet, proto.AskGetParams{SessionID: sessionID, AskID: id})
	return r.Ask, err
}

// Prompt sends a prompt in mode queue.
func (c *Conn) Prompt(ctx context.Context, sessionID, text string) (proto.PromptResult, error) {
	return command[proto.PromptResult](ctx, c, proto.MethodPrompt, promptParams(sessionID, text))
}

// Cancel cancels a turn; "" is whatever runs.
func (c *Conn) Cancel(ctx context.Context, sessionID, turn string) (proto.CancelResult, error) {
	return command[proto.CancelResult](ctx, c, proto.MethodCancel, cancelParams(sessionID, turn))
}

// Answer answers an ask.
func (c *Conn) Answer(ctx context.Context, sessionID, ask string, a proto.Answer) error {
	return c.Command(ctx, proto.MethodAsksAnswer, answerParams(sessionID, ask, a), nil)
}

// Stop ends a session and its host. The answer is a receipt; the end follows.
func (c *Conn) Stop(ctx context.Context, sessionID string) error {
	return c.Command(ctx, proto.MethodStop, stopParams(sessionID), nil)
}

func promptParams(sessionID, text string) func(string) any {
	return func(id string) any {
		return proto.PromptParams{SessionID: sessionID, CommandID: id, Text: text, Mode: proto.ModeQueue}
	}
}

func cancelParams(sessionID, turn string) func(string) any {
	return func(id string) any { return proto.CancelParams{SessionID: sessionID, CommandID: id, TurnID: turn} }
}

func answerParams(sessionID, ask string, a proto.Answer) func(string) any {
	return func(id string) any {
		return proto.AnswerParams{SessionID: sessionID, CommandID: id, AskID: ask, Answer: a}
	}
}

func stopParams(sessionID string) func(string) any {
	return func(id string) any { return proto.CommandParams{SessionID: sessionID, CommandID: id} }
}

// Attach puts this connection on a session's stream, for a caller that does
// not follow it: to wait for a start, or to read one snapshot. What the stream
// brings is kept, up to QueueBytes, and then stops the connection: such a
// caller detaches or closes soon.
func (c *Conn) Attach(ctx context.Context, p proto.AttachParams) (proto.AttachResult, error) {
	return ask[proto.AttachResult](ctx, c, proto.MethodAttach, p)
}

// Detach ends this connection's attachment.
func (c *Conn) Detach(ctx context.Context, p proto.DetachParams) error {
	return c.Call(ctx, proto.MethodDetach, p, nil)
}

// Splice has a hub carry this connection to a session's host, and says hello
// to that host. The connection must have said nothing to the hub but hello,
// and nothing else may use it meanwhile. After a refusal of the hub's the
// connection is the hub's still; otherwise it is the host's, c itself is what
// is returned, and after an error it is of no use and is to be closed.
func (c *Conn) Splice(ctx context.Context, sessionID string, cfg Config) (*Conn, error) {
	if err := c.Call(ctx, proto.MethodConnect, proto.SessionParams{SessionID: sessionID}, nil); err != nil {
		return nil, err
	}
	cfg.Want = proto.KindHost
	if err := c.sayHello(ctx, cfg, nil); err != nil {
		return nil, err
	}
	return c, nil
}

// ParseRow decodes a roster row's own row, tolerantly. A row that is absent
// gives the zero Row.
func ParseRow(r proto.RosterRow) (proto.Row, error) {
	var row proto.Row
	if len(r.Row) == 0 {
		return row, nil
	}
	if err := json.Unmarshal(r.Row, &row); err != nil {
		return row, fmt.Errorf("row of host %s: %w", r.HostID, err)
	}
	return row, nil
}
