package sock

import (
	"io"
	"net"
	"os"
	"testing"
	"time"

	"craze/shared/testkit"
)

func TestAPeerIsGoneWhenItClosedBothWaysAndNotWhenItStillReads(t *testing.T) {
	l := listen(t, os.Geteuid())
	client, err := Dial(t.Context(), l.Path())
	if err != nil {
		t.Fatal(err)
	}
	served, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer served.Close()

	if PeerGone(served) {
		t.Error("gone while it is connected")
	}
	if err := client.(*net.UnixConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(served); err != nil {
		t.Fatal(err)
	}
	if PeerGone(served) {
		t.Error("gone while it still reads")
	}
	client.Close()
	testkit.Eventually(t, time.Second, func() bool { return PeerGone(served) })
	served.Close()
	if !PeerGone(served) {
		t.Error("a closed connection is not gone")
	}
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if PeerGone(a) {
		t.Error("a connection that cannot be asked is gone")
	}
}
