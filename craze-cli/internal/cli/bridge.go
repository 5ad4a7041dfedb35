package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	ucli "github.com/urfave/cli/v2"

	"craze/shared/sock"
)

// bridgeBuffer is one direction's buffer.
const bridgeBuffer = 32 << 10

// bridge carries one connection over stdin and stdout: the socket's end ends
// it well, stdin's end closes only the writing half.
func (a *app) bridge(c *ucli.Context) error {
	if c.NArg() > 0 || c.Bool("hub") && c.String("session") != "" {
		return usage("bridge takes --hub or --session ID")
	}
	conn, err := a.bridgeDial(c)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(c.Context, func() { conn.Close() })
	defer stop()
	go func() { // ends with stdin, or with the process
		_, _ = io.CopyBuffer(conn, a.env.Stdin, make([]byte, bridgeBuffer))
		if h, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = h.CloseWrite() // a socket that has ended has no half left
		}
	}()
	_, err = io.CopyBuffer(struct{ io.Writer }{a.env.Stdout}, conn, make([]byte, bridgeBuffer))
	if c.Context.Err() != nil {
		return c.Context.Err()
	}
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("bridge: %w", err)
	}
	return nil
}

func (a *app) bridgeDial(c *ucli.Context) (net.Conn, error) {
	if word := c.String("session"); word != "" {
		h, err := a.find(word)
		if err != nil {
			return nil, err
		}
		return sock.Dial(c.Context, h.Entry.Socket)
	}
	if !c.Bool("hub") {
		return a.onlySession(c)
	}
	path, err := a.hubPath()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(c.Context, hubWait)
	defer cancel()
	conn, err := sock.Dial(ctx, path)
	if !errors.Is(err, sock.ErrNobody) {
		return conn, err
	}
	if err := a.startHub(ctx); err != nil {
		return nil, err
	}
	return sock.Dial(ctx, path)
}

// onlySession dials the one session there is.
func (a *app) onlySession(c *ucli.Context) (net.Conn, error) {
	reg, err := a.registry()
	if err != nil {
		return nil, err
	}
	defer reg.Close()
	hosts, err := reg.Hosts()
	if err != nil {
		return nil, err
	}
	if len(hosts) != 1 || hosts[0].Err != nil {
		return nil, fmt.Errorf("%d sessions run: name one with --session, or use --hub", len(hosts))
	}
	return sock.Dial(c.Context, hosts[0].Entry.Socket)
}
