package sock

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"craze/shared/testkit"
)

// listen binds a socket of a namespace and closes it at the end.
func listen(t *testing.T, uid int) *Listener {
	t.Helper()
	l, err := listenAs(filepath.Join(testkit.SocketDir(t), "0123abcd", "0190ab12cd34.sock"), uid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func TestAConnectionCarriesBytesBothWaysAndHalfCloses(t *testing.T) {
	l := listen(t, os.Geteuid())
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		if _, err := io.Copy(c, c); err != nil {
			t.Error(err)
		}
	})
	c, err := Dial(t.Context(), l.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "hello\n"); err != nil {
		t.Fatal(err)
	}
	if err := c.(*net.UnixConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(c); err != nil || string(got) != "hello\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestTheTreeIsPrivateWhateverTheDirectoryWas(t *testing.T) {
	root := testkit.SocketDir(t)
	ns := mkdir(t, filepath.Join(root, "ns"), 0o755)
	l, err := Listen(filepath.Join(ns, "h.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if m := mode(t, ns); m != 0o700 {
		t.Errorf("directory %o", m)
	}
	if m := mode(t, l.Path()); m != 0o600 {
		t.Errorf("socket %o", m)
	}
}

func TestADirectoryThatOthersCanWriteHoldsNoSocket(t *testing.T) {
	root := testkit.SocketDir(t)
	for name, path := range map[string]string{
		"itself":       filepath.Join(mkdir(t, filepath.Join(root, "a"), 0o777), "h.sock"),
		"its parent":   filepath.Join(mkdir(t, filepath.Join(root, "b"), 0o770), "ns", "h.sock"),
		"not a dir":    filepath.Join(os.DevNull, "h.sock"),
		"below itself": filepath.Join(root, "a", "ns", "h.sock"),
	} {
		if l, err := Listen(path); err == nil {
			l.Close()
			t.Errorf("%s: bound", name)
		}
	}
}

func TestASocketAtAChosenPathLeavesItsDirectoryAlone(t *testing.T) {
	dir := mkdir(t, filepath.Join(testkit.SocketDir(t), "a"), 0o755)
	l, err := ListenAt(filepath.Join(dir, "h.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if m := mode(t, dir); m != 0o755 {
		t.Errorf("directory %o", m)
	}
	if m := mode(t, l.Path()); m != 0o600 {
		t.Errorf("socket %o", m)
	}
}

func TestAForeignPeerIsClosedAndCountedAndAcceptGoesOn(t *testing.T) {
	l := listen(t, os.Geteuid()+1) // so that every peer here is foreign
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Accept: %v", err)
		}
	})
	for range 3 {
		c, err := Dial(t.Context(), l.Path())
		if err != nil {
			t.Fatal(err)
		}
		if n, err := c.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("Read = %d, %v", n, err)
		}
		c.Close()
	}
	if n := l.Refused(); n != 3 {
		t.Errorf("refused %d", n)
	}
	l.Close()
	wg.Wait()
}

func TestAForeignListenerIsRefused(t *testing.T) {
	l := listen(t, os.Geteuid())
	if _, err := dialAs(t.Context(), l.Path(), os.Geteuid()+1); !errors.Is(err, ErrPeer) || errors.Is(err, ErrNobody) {
		t.Errorf("got %v", err)
	}
}

func TestNobodyListens(t *testing.T) {
	dir := testkit.SocketDir(t)
	dead := filepath.Join(dir, "dead.sock")
	leave(t, dead)
	for _, path := range []string{dead, filepath.Join(dir, "none.sock"), filepath.Join(dir, "no", "dir.sock")} {
		if _, err := Dial(t.Context(), path); !errors.Is(err, ErrNobody) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// leave leaves a socket at path at which nobody listens.
func leave(t *testing.T, path string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
}

func TestADeadSocketIsReplacedAndALiveOneOrAFileIsNot(t *testing.T) {
	dir := testkit.SocketDir(t)
	path := filepath.Join(dir, "hub.sock")
	leave(t, path)
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := Listen(path); !errors.Is(err, ErrInUse) {
		t.Errorf("a live socket: %v", err)
	}
	if l.Vanished() {
		t.Error("the first listener lost its socket")
	}
	file := filepath.Join(dir, "file.sock")
	if err := os.WriteFile(file, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(file); err == nil {
		t.Error("bound over a file")
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "kept" {
		t.Errorf("the file: %q, %v", b, err)
	}
}

func TestCloseRemovesOnlyTheSocketThatWasBound(t *testing.T) {
	own := listen(t, os.Geteuid())
	if own.Vanished() {
		t.Error("vanished at once")
	}
	if err := own.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(own.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}

	replaced := listen(t, os.Geteuid())
	bound := replaced.bound.born
	if err := os.Remove(replaced.Path()); err != nil {
		t.Fatal(err)
	}
	if !replaced.Vanished() {
		t.Error("a removed socket has not vanished")
	}
	// A file system's clock is coarse: wait until it gives another time.
	testkit.Eventually(t, 5*time.Second, func() bool {
		os.Remove(replaced.Path())
		leave(t, replaced.Path())
		info, err := os.Lstat(replaced.Path())
		return err == nil && !info.ModTime().Equal(bound)
	})
	if !replaced.Vanished() {
		t.Error("a replaced socket has not vanished")
	}
	if err := replaced.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(replaced.Path()); err != nil {
		t.Errorf("the other's socket: %v", err)
	}
}

func TestCloseEndsAccept(t *testing.T) {
	l := listen(t, os.Geteuid())
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Accept: %v", err)
		}
	})
	l.Close()
	wg.Wait()
}

func TestAShortageIsWaitedOutUntilClose(t *testing.T) {
	full := &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	if !shortage(full) || shortage(net.ErrClosed) || shortage(nil) {
		t.Error("shortage")
	}
	l := listen(t, os.Geteuid())
	if !l.wait(time.Nanosecond) {
		t.Error("the wait was cut short")
	}
	l.Close()
	if l.wait(time.Hour) {
		t.Error("the wait outlived the listener")
	}
}
