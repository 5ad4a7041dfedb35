// Package splice carries one client's connection to one host, byte for byte.
//
// It owns both connections until both are closed. Each direction has one
// goroutine and one buffer: a side that stops reading stops the other side's
// writes, and is given up after the protocol's write stall. A client that
// closes its writing half closes the host's, and what the host still says
// reaches it; a client that has gone altogether ends both within goneCheck; the
// host's end is the client's.
package splice

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	"craze/shared/proto"
	"craze/shared/sock"
)

const (
	// bufferBytes is one direction's buffer.
	bufferBytes = 32 << 10
	// goneCheck is how often a client that has half-closed is asked whether it
	// still reads.
	goneCheck = time.Second
	// drainWait is how long a splice has to end by itself once ctx has.
	drainWait = 500 * time.Millisecond
)

// Run carries client and host to each other until both are closed, and waits
// for that. early is what the client sent before the splice began. As ctx ends,
// both are half-closed, so that each reads its end after what was forwarded.
func Run(ctx context.Context, client, host net.Conn, early []byte) {
	up, down := make(chan error, 1), make(chan error, 1)
	go func() { // ends with the client's end, a failure, or the closes below
		err := write(host, early)
		if err == nil {
			err = pump(host, client)
		}
		up <- err
	}()
	go func() { down <- pump(client, host) }() // ends with the host's end, a failure, or the closes below
	stop := context.AfterFunc(ctx, func() { closeWrite(host); closeWrite(client) })
	defer stop()
	upEnded, downEnded := false, false
	select {
	case err := <-up:
		upEnded = true
		if err == nil {
			closeWrite(host)
			downEnded = seeOut(ctx, client, down)
		}
	case <-down:
		downEnded = true
	case <-ctx.Done():
		downEnded = seeOut(ctx, client, down)
	}
	_ = client.Close() // one of them is gone, and with it the use of the other
	_ = host.Close()
	if !upEnded {
		<-up
	}
	if !downEnded {
		<-down
	}
}

// seeOut waits for the host's end. It gives up, false, once the client has
// gone, and drainWait after ctx has ended.
func seeOut(ctx context.Context, client net.Conn, down <-chan error) bool {
	tick := time.NewTicker(goneCheck)
	defer tick.Stop()
	stopping := ctx.Done()
	var over <-chan time.Time
	for {
		select {
		case <-down:
			return true
		case <-stopping:
			t := time.NewTimer(drainWait)
			defer t.Stop()
			stopping, over = nil, t.C
		case <-over:
			return false
		case <-tick.C:
			if sock.PeerGone(client) {
				return false
			}
		}
	}
}

// pump copies until src's end, which is nil, or a failure.
func pump(dst, src net.Conn) error {
	buf := make([]byte, bufferBytes)
	for {
		n, err := src.Read(buf)
		if n > 0 {
			if err := write(dst, buf[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func write(dst net.Conn, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if err := dst.SetWriteDeadline(time.Now().Add(proto.WriteStall)); err != nil {
		return err
	}
	_, err := dst.Write(b)
	return err
}

// closeWrite closes a connection's writing half, or all of one that has none.
func closeWrite(c net.Conn) {
	if h, ok := c.(interface{ CloseWrite() error }); ok {
		_ = h.CloseWrite() // a connection that is gone has no half left
		return
	}
	_ = c.Close()
}
