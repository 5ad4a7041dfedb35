package control

import (
	"context"

	"craze/craze-host/session"
	"craze/shared/proto"
	"craze/shared/transcript"
	"craze/shared/wire"
)

// decodeNamed decodes params and checks the session they name.
func decodeNamed[T any](c *conn, req wire.Request, id func(*T) string) (*T, *proto.Error) {
	var p T
	if refusal := wire.DecodeParams(req.Params, &p); refusal != nil {
		return nil, refusal
	}
	return &p, c.named(id(&p))
}

func onlySession(p *proto.SessionParams) string { return p.SessionID }

func handleList(ctx context.Context, c *conn, req wire.Request) (any, *proto.Error) {
	var none proto.Empty
	if refusal := wire.DecodeParams(req.Params, &none); refusal != nil {
		return nil, refusal
	}
	row, seq, err := c.srv.cfg.Session.Row(ctx)
	return result(proto.ListResult{Epoch: c.srv.cfg.Info.HostID, Cursor: seq, Sessions: []proto.Row{row}}, err)
}

func handleState(ctx context.Context, c *conn, req wire.Request) (any, *proto.Error) {
	if _, refusal := decodeNamed(c, req, onlySession); refusal != nil {
		return nil, refusal
	}
	return result(c.srv.cfg.Session.State(ctx))
}

func handleSync(ctx context.Context, c *conn, req wire.Request) (any, *proto.Error) {
	if _, refusal := decodeNamed(c, req, onlySession); refusal != nil {
		return nil, refusal
	}
	head := c.srv.cfg.Log.Head()
	c.barrier(ctx, head)
	return proto.SyncResult{Seq: head}, nil
}

func handleSnapshot(ctx context.Context, c *conn, req wire.Request) (any, *proto.Error) {
	p, refusal := decodeNamed(c, req, func(p *proto.SnapshotParams) string { return p.SessionID })
	if refusal != nil {
		return nil, refusal
	}
	view, err := c.srv.cfg.Session.View(ctx)
	if err != nil {
		return result(nil, err)
	}
	want := 0
	if p.Budget != nil {
		want = p.Budget.SnapshotBytes
	}
	snap, refusal := encodeView(view, want, p.AgentID)
	return proto.SnapshotResult{Snapshot: snap}, refusal
}

// encodeView encodes a view within a budget, which 0 leaves to the default.
func encodeView(v transcript.View, budget int, first string) ([]byte, *proto.Error) {
	if budget <= 0 {
		budget = proto.SnapshotDefault
	}
	snap, err := v.Encode(min(budget, proto.SnapshotMax), first)
	if err != nil {
		return nil, proto.Refuse(proto.CodeFailed, proto.ReasonSnapshotTooLarge, "the snapshot does not fit its budget")
	}
	return snap, nil
}

func handlePrompt(ctx context.Context, c *conn, req wire.Request) (any, *proto.Error) {
	var p proto.PromptParams
	if refusal := wire.DecodeParams(req.Params, &p); refusal != nil {
		return nil, refusal
	}
	switch {
	case p.Mode == proto.ModeSendNow, p.Mode == proto.ModeInterject, p.FromRow != "":
		return nil, proto.Refuse(proto.CodeUnsupported, proto.ReasonUnsupported, "this host takes prompts of mode queue only")
	case p.Mode != proto.ModeQueue:
		return nil, proto.BadParams(proto.ReasonBadRequest, "params.mode is queue, send_now or interject")
	case p.Text == "":
		return nil, proto.BadParams(proto.ReasonBadRequest, "params.text is empty")
	}
	return c.command(ctx, p.SessionID, p.CommandID, p, session.Prompt{Text: p.Text})
}

func handleCancel(ctx context.Context, c *conn, req wire.Request) (any, *proto.Error) {
	var p proto.CancelParams
	if refusal := wire.DecodeParams(req.Params, &p); refusal != nil {
		return nil, refusal
	}
	return c.command(ctx, p.SessionID, p.CommandID, p, session.Cancel{TurnID: p.TurnID})
}

func handleAsksList(ctx context.Context, c *conn, req wire.Request) (any, *proto.Error) {
	if _, refusal := decodeNamed(c, req, onlySession); refusal != nil {
		return nil, refusal
	}
	asks, _, err := c.srv.cfg.Session.Asks(ctx)
	return result(proto.AsksResult{Asks: asks}, err)
}

func handleAsksGet(ctx context.Context, c *conn, req wire.Request) (any, *proto.Error) {
	p, refusal := decodeNamed(c, req, func(p *proto.AskGetParams) string { return p.SessionID })
	if refusal != nil {
		return nil, refusal
	}
	ask, err := c.srv.cfg.Session.Ask(ctx, p.AskID)
	return result(proto.AskGetResult{Ask: ask}, err)
}

func handleAsksAnswer(ctx context.Context, c *conn, req wire.Request) (any, *proto.Error) {
	var p proto.AnswerParams
	if refusal := wire.DecodeParams(req.Params, &p); refusal != nil {
		return nil, refusal
	}
	return c.command(ctx, p.SessionID, p.CommandID, p, session.Answer{AskID: p.AskID, Answer: p.Answer})
}

// stop answers session.stop: the receipt is queued before anything the stop
// causes, and the host has stopped admitting attachments and marked itself as
// going before that.
func (c *conn) stop(req wire.Request) {
	p, refusal := decodeNamed(c, req, func(p *proto.CommandParams) string { return p.SessionID })
	switch {
	case refusal != nil:
	case !commandID.MatchString(p.CommandID):
		refusal = proto.BadParams(proto.ReasonBadRequest, "params.commandId is a decimal from 1, as a string")
	case c.srv.cfg.Stop == nil:
		refusal = proto.Refuse(proto.CodeUnsupported, proto.ReasonStopUnsupported, "this session ends with its terminal")
	}
	if refusal != nil {
		c.reply(req.ID, nil, refusal)
		return
	}
	c.srv.Refuse()
	c.srv.cfg.Stopping()
	c.reply(req.ID, proto.Empty{}, nil)
	c.srv.cfg.Stop()
}
