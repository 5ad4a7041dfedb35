package sock

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// ErrInUse says that another process listens at the path. The caller, who
// should hold the lock that makes the path its own, gives up.
var ErrInUse = errors.New("another process listens at the socket path")

// socketMode is set by chmod: a umask is the whole process's, and threads that
// make other files meanwhile would be struck by it.
const socketMode = 0o600

// shortageWait is how long Accept waits when the process or the system is out
// of descriptors. Such a shortage ends when a connection does, so a wait of
// this order neither spins nor is noticed.
const shortageWait = 50 * time.Millisecond

// Listener is a bound socket that yields connections of our own uid only. It
// is a net.Listener. Its methods may be called by several goroutines.
type Listener struct {
	inner   *net.UnixListener
	path    string
	uid     int
	bound   identity
	refused atomic.Int64
	closing sync.Once
	closed  chan struct{}
}

// Listen makes and checks the directory of path, binds the socket and closes
// it to other users. A dead socket at the path is replaced; a live one is
// ErrInUse. The caller holds the lock by which the path is its own.
func Listen(path string) (*Listener, error) {
	return listenAs(path, os.Geteuid())
}

// listenAs is Listen for the peers of one uid, which tests vary.
func listenAs(path string, uid int) (*Listener, error) {
	if err := checkLength(len(path)); err != nil {
		return nil, err
	}
	if err := makePrivate(filepath.Dir(path), os.Geteuid()); err != nil {
		return nil, fmt.Errorf("socket directory: %w", err)
	}
	return open(path, uid)
}

// ListenAt is Listen at a path that a person chose, outside the runtime tree.
// Its directory is neither made nor checked, nor are its permissions touched:
// it may be one that they share. The socket is as closed as any.
func ListenAt(path string) (*Listener, error) {
	if err := checkLength(len(path)); err != nil {
		return nil, err
	}
	return open(path, os.Geteuid())
}

// open binds path and notes what was bound.
func open(path string, uid int) (*Listener, error) {
	inner, err := bind(path)
	if err != nil {
		return nil, fmt.Errorf("bind the socket: %w", err)
	}
	inner.SetUnlinkOnClose(false) // Close removes it only while it is the one bound here
	bound, err := identify(path)
	if err == nil {
		err = os.Chmod(path, socketMode)
	}
	if err != nil {
		return nil, fmt.Errorf("close the socket to others: %w", errors.Join(err, os.Remove(path), inner.Close()))
	}
	return &Listener{inner: inner, path: path, uid: uid, bound: bound, closed: make(chan struct{})}, nil
}

// bind binds path, replacing a socket that nobody listens at.
func bind(path string) (*net.UnixListener, error) {
	addr := &net.UnixAddr{Name: path, Net: "unix"}
	l, err := net.ListenUnix("unix", addr)
	if !errors.Is(err, syscall.EADDRINUSE) {
		return l, err
	}
	c, dialErr := net.DialUnix("unix", nil, addr)
	if dialErr == nil {
		c.Close()
		return nil, ErrInUse
	}
	if !errors.Is(dialErr, syscall.ECONNREFUSED) {
		return nil, err
	}
	if _, notSocket := identify(path); notSocket != nil {
		return nil, err // a plain file answers a connect the same way, and is not ours to remove
	}
	if err := os.Remove(path); err != nil {
		return nil, err
	}
	return net.ListenUnix("unix", addr)
}

// Accept waits for the next connection of a peer of ours. A foreign one is
// closed and counted, and Accept goes on. The connection is a *net.UnixConn.
// After Close the error is net.ErrClosed.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		c, err := l.inner.AcceptUnix()
		if shortage(err) {
			if l.wait(shortageWait) {
				continue
			}
			err = net.ErrClosed
		}
		if err != nil {
			return nil, fmt.Errorf("accept: %w", err)
		}
		if uid, err := peerUID(c); err == nil && uid == l.uid {
			return c, nil
		}
		l.refused.Add(1)
		c.Close()
	}
}

func shortage(err error) bool {
	for _, e := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// wait reports whether d passed before the listener was closed.
func (l *Listener) wait(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-l.closed:
		return false
	}
}

// Refused is how many connections of other users have been closed.
func (l *Listener) Refused() int64 { return l.refused.Load() }

// Addr is the socket's address.
func (l *Listener) Addr() net.Addr { return l.inner.Addr() }

// Path is the path that was bound.
func (l *Listener) Path() string { return l.path }

// Vanished reports whether the path is no longer the socket that was bound:
// it was removed, or something else took its place. No client can come then.
func (l *Listener) Vanished() bool {
	id, err := identify(l.path)
	return err != nil || id != l.bound
}

// Close ends Accept and removes the socket, unless the path is another's by
// then. A second Close does nothing.
func (l *Listener) Close() error {
	var err error
	l.closing.Do(func() {
		close(l.closed)
		if !l.Vanished() {
			err = os.Remove(l.path)
		}
		err = errors.Join(err, l.inner.Close())
	})
	return err
}

// identity tells a bound socket from one bound later at the same path. The
// inode number alone does not: it is given out again as soon as it is free.
type identity struct {
	dev, ino uint64
	born     time.Time // the modification time, which no use of a socket moves
}

func identify(path string) (identity, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return identity{}, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Mode().Type() != os.ModeSocket {
		return identity{}, errors.New("not a socket")
	}
	return identity{dev: uint64(st.Dev), ino: st.Ino, born: info.ModTime()}, nil
}
