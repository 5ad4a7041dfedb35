package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	ucli "github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"

	"craze/shared/sock"
)

const (
	// bridgeBuffer is one direction's buffer.
	bridgeBuffer = 32 << 10
	// readerPoll is how often a vanished reader is looked for.
	readerPoll = time.Second
)

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
	signal.Ignore(syscall.SIGPIPE) // a reader that is gone is a failure, told as one
	over := make(chan struct{})
	defer close(over)
	go func() { // ends with stdin and the pump, or with the process
		_, _ = io.CopyBuffer(conn, a.env.Stdin, make([]byte, bridgeBuffer))
		if h, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = h.CloseWrite() // a socket that has ended has no half left
		}
		if a.readerGone(over) {
			conn.Close()
		}
	}()
	_, err = io.CopyBuffer(struct{ io.Writer }{a.env.Stdout}, conn, make([]byte, bridgeBuffer))
	if c.Context.Err() != nil {
		return c.Context.Err()
	}
	if err != nil {
		return fmt.Errorf("bridge: %w", err)
	}
	return nil
}

// readerGone looks, until over, whether the reader of stdout has left: with
// stdin at its end and a silent socket nothing else would tell.
func (a *app) readerGone(over <-chan struct{}) bool {
	f, ok := a.env.Stdout.(*os.File)
	if !ok {
		return false
	}
	tick := time.NewTicker(readerPoll)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return false
		case <-tick.C:
		}
		fds := []unix.PollFd{{Fd: int32(f.Fd())}}
		if n, err := unix.Poll(fds, 0); err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0 {
			return true
		}
	}
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
	var conn net.Conn
	err = a.withHub(ctx, func() (err error) {
		conn, err = sock.Dial(ctx, path)
		return err
	})
	if err != nil {
		return nil, wrapHub(err)
	}
	return conn, nil
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
