package control

import (
	"context"
	"errors"
	"hash/fnv"
	"regexp"

	"craze/craze-host/session"
	"craze/shared/proto"
	"craze/shared/wire"
)

// handler answers one request. It runs on the request's own goroutine.
type handler func(ctx context.Context, c *conn, req wire.Request) (any, *proto.Error)

// handlers are the methods this host serves, hello and stop apart.
var handlers = map[proto.Method]handler{
	proto.MethodList:       handleList,
	proto.MethodAttach:     nil, // replies for itself; see dispatch
	proto.MethodDetach:     handleDetach,
	proto.MethodState:      handleState,
	proto.MethodSnapshot:   handleSnapshot,
	proto.MethodSync:       handleSync,
	proto.MethodPrompt:     handlePrompt,
	proto.MethodCancel:     handleCancel,
	proto.MethodStop:       nil, // replies for itself; see dispatch
	proto.MethodAsksList:   handleAsksList,
	proto.MethodAsksGet:    handleAsksGet,
	proto.MethodAsksAnswer: handleAsksAnswer,
}

// dispatch admits one request. Its slot is held until it is answered.
func (c *conn) dispatch(ctx context.Context, req wire.Request) {
	if refusal := c.admissible(req.Method); refusal != nil {
		c.reply(req.ID, nil, refusal)
		return
	}
	if req.Method == proto.MethodHello {
		result, refusal := c.hello(req)
		c.reply(req.ID, result, refusal)
		return
	}
	c.calls.Add(1)
	go func() { // ends with its answer; serve waits for it
		defer c.calls.Done()
		switch req.Method {
		case proto.MethodAttach:
			c.attach(ctx, req)
		case proto.MethodStop:
			c.stop(req)
		default:
			result, refusal := c.answer(ctx, req)
			c.reply(req.ID, result, refusal)
		}
	}()
}

// answer runs a method's handler, under the host's command limit where the
// method is a command.
func (c *conn) answer(ctx context.Context, req wire.Request) (any, *proto.Error) {
	if !req.Method.Mutating() {
		return handlers[req.Method](ctx, c, req)
	}
	select {
	case c.srv.commands <- struct{}{}:
		defer func() { <-c.srv.commands }()
	default:
		return nil, proto.Refuse(proto.CodeUnavailable, proto.ReasonBusy,
			"%d commands run already; send this one again", proto.CommandsPerHost)
	}
	result, refusal := handlers[req.Method](ctx, c, req)
	c.barrier(ctx, c.srv.cfg.Log.Head())
	return result, refusal
}

// admissible refuses what is not to be run at all: first what is no method,
// then anything before hello, then what this endpoint does not serve.
func (c *conn) admissible(m proto.Method) *proto.Error {
	served := m.ServedBy()
	if served == proto.Nowhere {
		e := proto.Refuse(proto.CodeUnsupported, proto.ReasonUnknownMethod, "protocol %d has no such method", proto.Version)
		e.RPC = proto.RPCUnknownMethod
		return e
	}
	if c.client == nil && m != proto.MethodHello {
		return proto.Refuse(proto.CodeBadRequest, proto.ReasonHelloRequired, "say hello first")
	}
	if _, here := handlers[m]; here || m == proto.MethodHello {
		return nil
	}
	reason := proto.ReasonUnsupported
	switch {
	case m == proto.MethodSubscribe:
		reason = proto.ReasonRoster
	case served == proto.OnHub:
		reason = proto.ReasonHubOnly
	case m == proto.MethodModels:
		reason = proto.ReasonModelsRefresh
	case m == proto.MethodAside, m == proto.MethodAsideCancel:
		reason = proto.ReasonAside
	}
	return proto.Refuse(proto.CodeUnsupported, reason, "this host does not serve %s", m)
}

// hello binds the connection to a client id.
func (c *conn) hello(req wire.Request) (any, *proto.Error) {
	var p proto.HelloParams
	if refusal := wire.DecodeHello(req.Params, &p); refusal != nil {
		return nil, refusal
	}
	if c.client != nil {
		return nil, proto.Refuse(proto.CodeBadRequest, proto.ReasonBadRequest, "this connection has said hello")
	}
	if refusal := proto.CheckHello(p); refusal != nil {
		return nil, refusal
	}
	cl, resumed, refusal := c.srv.clients.bind(c, p.Resume)
	if refusal != nil {
		return nil, refusal
	}
	c.client = cl
	horizon := proto.Horizon()
	cfg := c.srv.cfg
	return proto.HelloResult{
		Protocol: proto.Version,
		Endpoint: proto.Endpoint{Kind: proto.KindHost, HostID: cfg.Info.HostID, CrazeVersion: cfg.Version, PID: cfg.PID},
		ClientID: cl.id, Token: cl.token, Resumed: &resumed,
		Capabilities: proto.ConnCaps{Snapshot: true, AttachWhenNow: true},
		Codecs:       proto.Codecs{Event: proto.EventCodec, Snapshot: proto.SnapshotCodec},
		Limits:       proto.Limits(), RetryHorizon: &horizon,
	}, nil
}

// named checks that a request is for the session served here.
func (c *conn) named(sessionID string) *proto.Error {
	switch sessionID {
	case c.srv.cfg.Info.SessionID:
		return nil
	case "":
		return proto.BadParams(proto.ReasonBadRequest, "params.sessionId is missing")
	}
	return proto.RefuseOne(proto.CodeUnknownSession, "no such session on this host")
}

var commandID = regexp.MustCompile(`^[1-9][0-9]{0,19}$`)

// command hands the session one command, under its receipt.
func (c *conn) command(ctx context.Context, sessionID, id string, params any, body session.Body) (any, *proto.Error) {
	if refusal := c.named(sessionID); refusal != nil {
		return nil, refusal
	}
	if !commandID.MatchString(id) {
		return nil, proto.BadParams(proto.ReasonBadRequest, "params.commandId is a decimal from 1, as a string")
	}
	enc, err := wire.Encode(params)
	if err != nil {
		return nil, proto.BadParams(proto.ReasonBadRequest, "params cannot be read back")
	}
	h := fnv.New64a()
	h.Write(enc)
	return result(c.srv.cfg.Session.Do(ctx, session.Command{Client: c.client.id, ID: id, Hash: h.Sum64(), Body: body}))
}

// result turns a session's answer into a reply.
func result(v any, err error) (any, *proto.Error) {
	if err == nil {
		return v, nil
	}
	if e, ok := errors.AsType[*proto.Error](err); ok {
		return nil, e
	}
	if errors.Is(err, session.ErrClosed) {
		return nil, proto.Refuse(proto.CodeNotAccepting, proto.ReasonNotAccepting, "the session has ended")
	}
	return nil, proto.Refuse(proto.CodeAborted, proto.ReasonContext, "the call was given up")
}
