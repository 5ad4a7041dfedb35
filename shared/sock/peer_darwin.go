package sock

import "golang.org/x/sys/unix"

// peerOf asks for the credentials the peer had when it connected or listened.
func peerOf(fd int) (int, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return -1, err
	}
	return int(cred.Uid), nil
}
