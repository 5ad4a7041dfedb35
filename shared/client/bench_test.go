package client

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"testing"

	"craze/shared/proto"
	"craze/shared/testkit"
	"craze/shared/wire"
)

// chunkWords is the text of a chunk, as JSON.
const chunkWords = "some words of an answer, as they come from a model, about as long as one line\\n"

// socket gives both ends of a Unix socket.
func socket(b *testing.B) (client, host net.Conn) {
	b.Helper()
	l, err := net.Listen("unix", filepath.Join(testkit.SocketDir(b), "s"))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	if client, err = net.Dial("unix", l.Addr().String()); err != nil {
		b.Fatal(err)
	}
	if host, err = l.Accept(); err != nil {
		b.Fatal(err)
	}
	return client, host
}

// pour writes n event lines from seq 2 on, many to a write.
func pour(w io.Writer, n int) error {
	var buf []byte
	body := []byte(`{"type":"text","text":"` + chunkWords + `","at":"2026-01-01T00:00:00.123456789Z"}`)
	for i := range n {
		buf = wire.Event("s-1", uint64(i)+2, body).AppendTo(buf)
		if len(buf) < 64<<10 && i < n-1 {
			continue
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
		buf = buf[:0]
	}
	return nil
}

// BenchmarkStream reads chunks from a socket: as lines alone, and as the items
// of a Stream. One op is one chunk.
func BenchmarkStream(b *testing.B) {
	b.Run("lines", func(b *testing.B) {
		b.ReportAllocs()
		client, host := socket(b)
		defer client.Close()
		done := make(chan error)
		go func() { done <- errors.Join(pour(host, b.N), host.Close()) }() // ends with what it writes
		lines := wire.NewLineReader(client, proto.OutboundLineMax)
		for range b.N {
			if _, err := lines.Next(); err != nil {
				b.Fatal(err)
			}
		}
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	})
	b.Run("items", func(b *testing.B) {
		b.ReportAllocs()
		client, host := socket(b)
		done := make(chan error)
		go func() { // ends with the session's close
			defer close(done)
			play(b, host, func(p *peer) {
				start(p)
				if err := pour(host, b.N); err != nil {
					p.fail("%v", err)
				}
				p.drain()
			})
		}()
		readItems(b, client)
		<-done
	})
}

func readItems(b *testing.B, conn net.Conn) {
	dial := func(context.Context) (net.Conn, error) { return conn, nil }
	s, err := OpenSession(b.Context(), SessionConfig{SessionID: "s", Config: Config{Dial: dial}})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	st, err := s.Attach(b.Context(), AttachOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for n := 0; n < b.N; {
		it, err := st.Next(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if _, ok := it.(Event); ok {
			n++
		}
	}
}
