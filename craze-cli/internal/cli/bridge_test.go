package cli

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"craze/shared/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestTheHubsBridgeIsABytePump has a peer that answers only once its reader
// has come to the end of what is written, so it also shows the half-close.
func TestTheHubsBridgeIsABytePump(t *testing.T) {
	dir := testkit.SocketDir(t)
	getenv := func(name string) string {
		return map[string]string{"HOME": dir, "CRAZE_HOME": dir + "/craze", "CRAZE_RUNTIME_DIR": dir}[name]
	}
	path, err := (&app{env: Env{Getenv: getenv}}).hubPath()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	served := make(chan error, 1)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			served <- err
			return
		}
		defer conn.Close()
		b, err := io.ReadAll(conn)
		if err == nil {
			_, err = conn.Write(bytes.ToUpper(b))
		}
		served <- err
	}()
	var out, stderr bytes.Buffer
	code := Run(t.Context(), []string{"bridge", "--hub"}, Env{
		Stdin: strings.NewReader("a\x00b\n"), Stdout: &out, Stderr: &stderr, Getenv: getenv,
	})
	if code != exitDone || out.String() != "A\x00B\n" || stderr.Len() > 0 {
		t.Errorf("exit %d, %q, %q", code, out.String(), stderr.String())
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestAReaderThatHasLeftIsNoticed(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	a := &app{env: Env{Stdout: w}}
	over := make(chan struct{})
	close(over)
	if a.readerGone(over) {
		t.Error("one that is there is taken for gone")
	}
	r.Close()
	if !a.readerGone(nil) {
		t.Error("it is still looked for")
	}
}
