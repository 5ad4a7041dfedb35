package client

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"craze/shared/proto"
)

// List asks a host for its one row.
func (c *Conn) List(ctx context.Context) (proto.ListResult, error) {
	var r proto.ListResult
	err := c.Call(ctx, proto.MethodList, proto.Empty{}, &r)
	return r, err
}

// Roster asks a hub for its rows.
func (c *Conn) Roster(ctx context.Context) (proto.RosterResult, error) {
	var r proto.RosterResult
	err := c.Call(ctx, proto.MethodList, proto.Empty{}, &r)
	return r, err
}

// Create asks a hub to start a session. It answers once the session has
// started, which can take a minute.
func (c *Conn) Create(ctx context.Context, p proto.CreateParams) (proto.CreateResult, error) {
	var r proto.CreateResult
	err := c.Call(ctx, proto.MethodCreate, p, &r)
	return r, err
}

// Stop ends a session and its host. The answer is a receipt; the end follows.
func (c *Conn) Stop(ctx context.Context, sessionID string) error {
	return c.Call(ctx, proto.MethodStop, proto.CommandParams{SessionID: sessionID, CommandID: c.nextCommand()}, nil)
}

// Prompt sends a prompt in mode queue on this connection's own client id.
func (c *Conn) Prompt(ctx context.Context, sessionID, text string) (proto.PromptResult, error) {
	var r proto.PromptResult
	p := proto.PromptParams{SessionID: sessionID, CommandID: c.nextCommand(), Text: text, Mode: proto.ModeQueue}
	err := c.Call(ctx, proto.MethodPrompt, p, &r)
	return r, err
}

// Attach puts this connection on a session's stream, for a caller that does
// not follow it: to wait for a start, or to read one snapshot.
func (c *Conn) Attach(ctx context.Context, p proto.AttachParams) (proto.AttachResult, error) {
	var r proto.AttachResult
	err := c.Call(ctx, proto.MethodAttach, p, &r)
	return r, err
}

// Detach ends this connection's attachment.
func (c *Conn) Detach(ctx context.Context, p proto.DetachParams) error {
	return c.Call(ctx, proto.MethodDetach, p, nil)
}

// Splice has a hub carry this connection to a session's host, and says hello
// to that host. The connection must have said nothing to the hub but hello;
// it is the host's from then on, and c must not be used again.
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
