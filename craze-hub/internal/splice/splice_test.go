package splice

import (
	"context"
	"crypto/sha256"
	"io"
	"math/rand"
	"net"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ends is a splice and the two outer ends of its connections.
func ends(tb testing.TB, ctx context.Context, early string) (client, host *net.UnixConn, done chan struct{}) {
	tb.Helper()
	c1, c2 := pair(tb)
	h1, h2 := pair(tb)
	done = make(chan struct{})
	go func() {
		defer close(done)
		Run(ctx, c2, h1, []byte(early))
	}()
	tb.Cleanup(func() { c1.Close(); h2.Close(); <-done })
	return c1, h2, done
}

func pair(tb testing.TB) (*net.UnixConn, *net.UnixConn) {
	tb.Helper()
	dir, err := os.MkdirTemp("/tmp", "cz")
	if err != nil {
		tb.Fatal(err)
	}
	defer os.RemoveAll(dir)
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	a, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	b, err := l.Accept()
	if err != nil {
		tb.Fatal(err)
	}
	return a.(*net.UnixConn), b.(*net.UnixConn)
}

func read(t *testing.T, c io.Reader, n int) string {
	t.Helper()
	b := make([]byte, n)
	if _, err := io.ReadFull(c, b); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestEarlyBytesComeFirst(t *testing.T) {
	c, h, _ := ends(t, t.Context(), "early ")
	if _, err := c.Write([]byte("late")); err != nil {
		t.Fatal(err)
	}
	if got := read(t, h, 10); got != "early late" {
		t.Errorf("%q", got)
	}
}

func TestAClientThatHalfClosesIsStillAnswered(t *testing.T) {
	c, h, done := ends(t, t.Context(), "")
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(h); err != nil || len(b) != 0 {
		t.Fatalf("%q %v", b, err)
	}
	if _, err := h.Write([]byte("answer")); err != nil {
		t.Fatal(err)
	}
	if got := read(t, c, 6); got != "answer" {
		t.Errorf("%q", got)
	}
	h.Close()
	<-done
}

func TestEachWayOfEndingEndsBoth(t *testing.T) {
	for name, end := range map[string]func(c, h *net.UnixConn, cancel func()){
		"the host ends":   func(_, h *net.UnixConn, _ func()) { h.Close() },
		"the client goes": func(c, _ *net.UnixConn, _ func()) { c.Close() },
		"the hub stops":   func(_, _ *net.UnixConn, cancel func()) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c, h, done := ends(t, ctx, "")
			end(c, h, cancel)
			<-done
			for _, x := range []*net.UnixConn{c, h} {
				if n, err := x.Read(make([]byte, 1)); err == nil {
					t.Errorf("read %d bytes from an ended splice", n)
				}
			}
		})
	}
}

func TestBulkIsCarriedToTheByteBothWays(t *testing.T) {
	c, h, _ := ends(t, t.Context(), "")
	const size = 8 << 20
	sums := make(chan [2][32]byte, 2)
	for _, x := range []struct{ from, to *net.UnixConn }{{c, h}, {h, c}} {
		data := make([]byte, size)
		rand.New(rand.NewSource(1)).Read(data)
		go func() { x.from.Write(data) }() // ends as the other side has read it
		go func() {
			got := make([]byte, size)
			io.ReadFull(x.to, got)
			sums <- [2][32]byte{sha256.Sum256(data), sha256.Sum256(got)}
		}()
	}
	for range 2 {
		if s := <-sums; s[0] != s[1] {
			t.Error("the bytes differ")
		}
	}
}

func BenchmarkSplice(b *testing.B) {
	const block = 1 << 20
	data := make([]byte, block)
	for name, carry := range map[string]func(ctx context.Context, c, h net.Conn){
		"splice": func(ctx context.Context, c, h net.Conn) { Run(ctx, c, h, nil) },
		"relay": func(_ context.Context, c, h net.Conn) {
			io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{c}, make([]byte, bufferBytes))
			c.Close()
			h.Close()
		},
	} {
		b.Run(name, func(b *testing.B) {
			c1, c2 := pair(b)
			h1, h2 := pair(b)
			done := make(chan struct{})
			go func() { defer close(done); carry(b.Context(), c2, h1) }()
			b.SetBytes(block)
			got := make([]byte, block)
			for b.Loop() {
				go c1.Write(data)
				if _, err := io.ReadFull(h2, got); err != nil {
					b.Fatal(err)
				}
			}
			c1.Close()
			h2.Close()
			<-done
		})
	}
	b.Run("direct", func(b *testing.B) {
		c1, h2 := pair(b)
		b.SetBytes(block)
		got := make([]byte, block)
		for b.Loop() {
			go c1.Write(data)
			if _, err := io.ReadFull(h2, got); err != nil {
				b.Fatal(err)
			}
		}
		c1.Close()
		h2.Close()
	})
}
