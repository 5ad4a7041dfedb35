package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"craze/shared/proto"
)

const (
	// helloRetry is how often a host that is not serving yet is asked again:
	// soon enough that nobody notices.
	helloRetry = 50 * time.Millisecond
	// helloWait bounds one hello with its retries: far past any host that will
	// still serve, and as long as a whole reconnect.
	helloWait = 10 * time.Second
)

var errNotReady = proto.Refuse(proto.CodeUnavailable, proto.ReasonNotReady, "")

// sayHello says hello, again while the host is not serving yet, and holds the
// answer against what was wanted.
func (c *Conn) sayHello(ctx context.Context, cfg Config, resume *proto.Resume) error {
	ctx, cancel := context.WithTimeout(ctx, helloWait)
	defer cancel()
	p := helloParams(cfg, resume)
	for {
		var r proto.HelloResult
		err := c.Call(ctx, proto.MethodHello, p, &r)
		if err == nil {
			c.hello = r
			return checkHello(r, cfg.Want)
		}
		if !errors.Is(err, errNotReady) || !pause(ctx, helloRetry) {
			return fmt.Errorf("hello: %w", err)
		}
	}
}

func helloParams(cfg Config, resume *proto.Resume) proto.HelloParams {
	kind := cfg.Kind
	if kind == "" {
		kind = "client"
	}
	return proto.HelloParams{
		Protocols: []int{proto.Version}, Resume: resume,
		Client: proto.ClientInfo{Kind: kind, Name: cfg.Name, Version: cfg.Version},
	}
}

func checkHello(r proto.HelloResult, want proto.EndpointKind) error {
	if want != "" && r.Endpoint.Kind != want {
		return fmt.Errorf("hello: a %s answered where a %s was expected", r.Endpoint.Kind, want)
	}
	if r.Protocol != proto.Version {
		return fmt.Errorf("hello: the %s speaks protocol %d and this craze %d: use the craze it was started with",
			r.Endpoint.Kind, r.Protocol, proto.Version)
	}
	return nil
}

// pause waits d. It reports whether it did, rather than ctx ending.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
