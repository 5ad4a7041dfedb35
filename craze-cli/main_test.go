package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"craze/shared/proto"
	"craze/shared/testkit"
)

// rig is the built command and a home of its own.
type rig struct {
	t       *testing.T
	dir     string
	binary  string
	environ []string
	fake    *os.Process // the fake host, once there is one
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, dir: testkit.SocketDir(t), binary: filepath.Join(t.TempDir(), "craze-cli")}
	build(t, ".", r.binary)
	r.environ = []string{"HOME=" + r.dir, "CRAZE_HOME=" + filepath.Join(r.dir, "craze"), "CRAZE_RUNTIME_DIR=" + r.dir, "PATH=" + os.Getenv("PATH")}
	return r
}

func build(t *testing.T, dir, out string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-o", out, ".")
	cmd.Dir = dir
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
}

// host starts a fake host that the command finds, and gives its ops.
func (r *rig) host() (op func(line string)) {
	r.t.Helper()
	fake := filepath.Join(r.t.TempDir(), "craze-fake-host")
	build(r.t, "../craze-fake-host", fake)
	cmd := exec.Command(fake, "--registry", r.dir)
	cmd.Env, cmd.Stderr = r.environ, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	ops, err := cmd.StdinPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.fake = cmd.Process
	r.t.Cleanup(func() {
		ops.Close() // the end of its ops ends it
		_ = cmd.Wait()
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		r.t.Fatal(err)
	}
	return func(line string) {
		if _, err := fmt.Fprintln(ops, line); err != nil {
			r.t.Error(err)
		}
	}
}

// do runs one command line to its end.
func (r *rig) do(args ...string) (out, stderr string, code int) {
	r.t.Helper()
	var o, e bytes.Buffer
	cmd := exec.CommandContext(r.t.Context(), r.binary, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.Dir = r.environ, &o, &e, r.dir
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		r.t.Fatal(err)
	}
	return o.String(), e.String(), code
}

// errorOf reads output that is to be one {"error"} object and nothing else.
func errorOf(out string) (*proto.Error, error) {
	var got struct {
		Error *proto.Error `json:"error"`
	}
	if strings.Count(out, "\n") != 1 {
		return nil, fmt.Errorf("not one line: %q", out)
	}
	if err := json.Unmarshal([]byte(out), &got, json.RejectUnknownMembers(true)); err != nil {
		return nil, err
	}
	if got.Error == nil || got.Error.Message == "" {
		return nil, io.ErrUnexpectedEOF
	}
	return got.Error, nil
}

func TestFailuresAsJSONAreOneObject(t *testing.T) {
	r := newRig(t)
	for _, args := range []string{
		"wait nobody", "send nobody x", "send nobody x --wait", "log nobody", "log -f nobody", "asks nobody", "answer nobody head --allow",
		"cancel nobody", "stop nobody",
		"new hello", // no hub binary beside this one, nor on the way to it
	} {
		out, stderr, code := r.do(append(strings.Fields(args), "--json")...)
		if _, err := errorOf(out); err != nil || code != 1 || stderr != "" {
			t.Errorf("%s: exit %d, %v, stderr %q", args, code, err, stderr)
		}
	}
	out, stderr, code := r.do("wait", "--json") // usage is for who types it
	if out != "" || strings.Count(stderr, "\n") != 1 || code != 2 {
		t.Errorf("exit %d, %q, %q", code, out, stderr)
	}
}

func TestTheCommandsOnASession(t *testing.T) {
	r := newRig(t)
	op := r.host()
	for _, tt := range []struct {
		op, args string
		code     int
		says     string
	}{
		{"", "ps --no-hub", 0, "idle"},
		{"", "wait fake-1", 0, ""},
		{"", "send fake-1 hello --wait", 0, "echo: hello\n"},
		{"", "log fake-1", 0, "> hello\necho: hello\n"},
		{"", "asks fake-1", 0, ""},
		{"", "send fake-1 long --wait --max-message 4", 0, "echo\n(the whole message is in "},
		{`{"name":"hang_next"}`, "send fake-1 work --wait --timeout 300ms", 124, ""},
		{"", "ps --no-hub", 0, "working"},
		{`{"name":"permission","id":"p","tool":{"id":"t","title":"rm x"},"options":[{"optionId":"o","name":"Once","kind":"allow_once"}]}`, "wait fake-1", 5, "craze answer n-fake-1 p --allow"},
		{"", "wait fake-1 --json", 5, `"outcome":"ask"`},
		{"", "ps --no-hub", 0, "needs you"},
		{"", "answer fake-1 head --always", 1, ""},
		{"", "answer fake-1 head --allow", 0, "answered p\n"},
		{"", "cancel fake-1", 0, "cancelling turn-"},
		{"", "wait fake-1", 4, ""},
		{"", "wait nobody", 1, ""},
	} {
		if tt.op != "" {
			op(tt.op)
		}
		out, stderr, code := r.do(strings.Fields(tt.args)...)
		if code != tt.code || !strings.Contains(out, tt.says) {
			t.Errorf("%s: exit %d, want %d\nstdout %q, want %q\nstderr %q", tt.args, code, tt.code, out, tt.says, stderr)
		}
	}
}

func TestASignalEndsACommandThatReadsAPipe(t *testing.T) {
	r := newRig(t)
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		cmd := exec.CommandContext(t.Context(), r.binary, "send", "somebody")
		cmd.Env = r.environ
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// more than a pipe holds: once it is written the command is reading
		if _, err := stdin.Write(make([]byte, 256<<10)); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("%v: exit %d, want %d", sig, got, want)
		}
	}
}

func TestAHostThatIsKilledEndsAWait(t *testing.T) {
	r := newRig(t)
	op := r.host()
	op(`{"name":"hang_next"}`)
	var out, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), r.binary, "send", "fake-1", "work", "--wait", "--json")
	cmd.Env, cmd.Stdout, cmd.Stderr = r.environ, &out, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for { // until the turn runs
		if got, _, _ := r.do("ps", "--no-hub"); strings.Contains(got, "working") {
			break
		}
		if t.Context().Err() != nil {
			t.Fatal("it never ran")
		}
	}
	if err := r.fake.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	_ = cmd.Wait()
	if took := time.Since(killed); took > time.Second {
		t.Errorf("noticed after %v", took)
	}
	if code := cmd.ProcessState.ExitCode(); code != 6 || !strings.Contains(out.String(), `"outcome":"ended"`) || !strings.Contains(out.String(), "host is gone") {
		t.Errorf("exit %d, %q, %q", code, out.String(), stderr.String())
	}
}
