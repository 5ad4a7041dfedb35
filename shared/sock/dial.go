package sock

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

// ErrNobody says that nobody listens at the path: there is no socket, or the
// process that bound it is gone. It does not prove that a host has died; only
// its lock does.
var ErrNobody = errors.New("nobody listens at the socket")

// ErrPeer says that the socket is another user's, or that the system would not
// say whose it is. Nothing was written; the caller must not try again.
var ErrPeer = errors.New("the process at the socket is not this user's")

// Dial connects to the socket at path and asks the kernel whose it is before
// it returns. The connection is a *net.UnixConn, so that its caller can close
// one direction.
func Dial(ctx context.Context, path string) (net.Conn, error) {
	return dialAs(ctx, path, os.Geteuid())
}

// dialAs is Dial for a listener of one uid, which tests vary.
func dialAs(ctx context.Context, path string, uid int) (net.Conn, error) {
	if err := checkLength(len(path)); err != nil {
		return nil, err
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, fmt.Errorf("%w: %w", ErrNobody, err)
	}
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	peer, err := peerUID(conn.(*net.UnixConn))
	if err == nil && peer == uid {
		return conn, nil
	}
	conn.Close()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPeer, err)
	}
	return nil, ErrPeer
}

// peerUID is the effective uid of the process at the other end.
func peerUID(c *net.UnixConn) (int, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return -1, fmt.Errorf("peer uid: %w", err)
	}
	uid, lookup := -1, error(nil)
	if err := raw.Control(func(fd uintptr) { uid, lookup = peerOf(int(fd)) }); err != nil {
		return -1, fmt.Errorf("peer uid: %w", err)
	}
	if lookup != nil {
		return -1, fmt.Errorf("peer uid: %w", lookup)
	}
	return uid, nil
}
