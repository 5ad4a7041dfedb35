//go:build unix

package sock

import (
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// PeerGone reports whether a connection whose reading has ended has no one
// left to read what is written either: the peer closed it, rather than only
// its writing half. A connection it cannot ask is not gone.
func PeerGone(c io.ReadWriteCloser) bool {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return true // only a closed connection has none
	}
	gone := false
	err = raw.Control(func(fd uintptr) {
		p := []unix.PollFd{{Fd: int32(fd)}} // POLLHUP and POLLERR are always told
		n, err := unix.Poll(p, 0)
		gone = err == nil && n > 0 && p[0].Revents&(unix.POLLHUP|unix.POLLERR) != 0
	})
	return gone || err != nil
}
