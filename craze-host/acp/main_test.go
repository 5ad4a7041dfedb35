package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"craze/craze-host/agent"
	"craze/shared/proto"

	"go.uber.org/goleak"
)

// fakeEnv makes the test binary an agent: "script NAME" or "trace FILE".
const fakeEnv = "ACP_TEST_AGENT"

func TestMain(m *testing.M) {
	if what := os.Getenv(fakeEnv); what != "" {
		os.Exit(playAgent(what))
	}
	goleak.VerifyTestMain(m)
}

// waitMax is far more than any wait of a test takes.
const waitMax = 60 * time.Second

// recorder is a Sink that keeps what it is told.
type recorder struct {
	mu     sync.Mutex
	got    []agent.Update
	calls  int
	change chan struct{}
}

func newRecorder() *recorder { return &recorder{change: make(chan struct{})} }

func (r *recorder) sink(us []agent.Update) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, us...)
	r.calls++
	close(r.change)
	r.change = make(chan struct{})
}

func (r *recorder) all() ([]agent.Update, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got[:len(r.got):len(r.got)], r.change
}

// until waits until ok likes all updates so far.
func (r *recorder) until(t testing.TB, what string, ok func([]agent.Update) bool) []agent.Update {
	t.Helper()
	limit := time.NewTimer(waitMax)
	defer limit.Stop()
	for {
		got, change := r.all()
		if ok(got) {
			return got
		}
		select {
		case <-change:
		case <-limit.C:
			t.Fatalf("no %s in %v; got:\n%s", what, waitMax, show(got))
		}
	}
}

func count[T agent.Update](us []agent.Update) int {
	n := 0
	for _, u := range us {
		if _, ok := u.(T); ok {
			n++
		}
	}
	return n
}

func pick[T agent.Update](us []agent.Update) []T {
	var out []T
	for _, u := range us {
		if v, ok := u.(T); ok {
			out = append(out, v)
		}
	}
	return out
}

// awaitN waits for n updates of one type and gives the last.
func awaitN[T agent.Update](t testing.TB, r *recorder, n int) T {
	t.Helper()
	var zero T
	got := r.until(t, fmt.Sprintf("%d of %T", n, zero), func(us []agent.Update) bool { return count[T](us) >= n })
	return pick[T](got)[n-1]
}

// started is an agent under test, closed and waited for at the test's end.
type started struct {
	*Agent
	rec *recorder
}

func startFake(t testing.TB, what string, change ...func(*Config)) started {
	t.Helper()
	rec := newRecorder()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{
		Argv: []string{exe}, Env: append(os.Environ(), fakeEnv+"="+what, "GORACE=atexit_sleep_ms=0"), Dir: t.TempDir(),
		Grace: 10 * time.Second, Version: "test", Sink: rec.sink,
	}
	for _, c := range change {
		c(&cfg)
	}
	ctx, cancel := context.WithCancel(context.Background())
	a, err := Start(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		a.Close()
		timer := time.AfterFunc(waitMax, func() { panic("the agent does not end") })
		a.Wait()
		timer.Stop()
		cancel()
		got, _ := rec.all()
		if n := count[agent.Exited](got); n != 1 {
			t.Errorf("Exited came %d times", n)
		} else if _, last := got[len(got)-1].(agent.Exited); !last {
			t.Errorf("Exited was not the last: %s", show(got))
		}
	})
	return started{a, rec}
}

// show is a compact account of updates, for goldens and failures.
func show(us []agent.Update) string {
	var b strings.Builder
	for _, u := range us {
		fmt.Fprintln(&b, showOne(u))
	}
	return b.String()
}

func showOne(u agent.Update) string {
	doc := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			return err.Error()
		}
		if len(b) > 1500 {
			return string(b[:1500]) + "..."
		}
		return string(b)
	}
	switch u := u.(type) {
	case agent.Text:
		return fmt.Sprintf("%s %q", u.Kind, cutHead(u.Text, 200))
	case agent.ToolCall:
		return "tool " + doc(u.Tool)
	case agent.Diag:
		return "diag " + u.Text
	case agent.State:
		return "state " + doc(u.Delta)
	case agent.Todos:
		return "todos " + doc(u.Todos)
	case agent.Asked:
		return "asked " + u.ID + " " + doc(u.Body)
	case agent.AskGone:
		return "ask gone " + u.ID
	case agent.TurnEnded:
		return "turn ended " + doc(u)
	case agent.Ready:
		return "ready " + doc(u)
	case agent.StartFailed:
		return "start failed " + doc(u.Err)
	case agent.Exited:
		return "exited " + doc(u.Err)
	}
	return fmt.Sprintf("%T", u)
}

func texts(us []agent.Update) string {
	var b strings.Builder
	for _, x := range pick[agent.Text](us) {
		if x.Kind == proto.EvText {
			b.WriteString(x.Text)
		}
	}
	return b.String()
}

// fake is the agent's side: a plain reader and writer of lines.
type fake struct {
	in  *bufio.Reader
	out *bufio.Writer
}

func playAgent(what string) int {
	f := &fake{bufio.NewReaderSize(os.Stdin, 64<<10), bufio.NewWriterSize(os.Stdout, 64<<10)}
	kind, arg, _ := strings.Cut(what, " ")
	switch kind {
	case "trace":
		return f.trace(arg)
	case "script":
		return f.script(arg)
	}
	return 9
}

type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// read gives the next line; false at the end of stdin.
func (f *fake) read() (message, bool) {
	line, err := f.in.ReadBytes('\n')
	var m message
	if err != nil {
		return m, false
	}
	if err := json.Unmarshal(line, &m); err != nil {
		fmt.Fprintln(os.Stderr, "craze wrote no JSON:", err)
		os.Exit(5)
	}
	return m, true
}

func (f *fake) line(format string, args ...any) {
	fmt.Fprintf(f.out, format+"\n", args...)
}

func (f *fake) flush() { _ = f.out.Flush() } // craze may be gone: then so is the fake, soon

const fakeSession = "ses-1"

func (f *fake) chunk(text string) {
	f.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%s}}}}`,
		fakeSession, strconv.QuoteToASCII(text))
}

// greet answers initialize and session/new, and gives the first prompt's id.
func (f *fake) greet() string {
	for {
		m, ok := f.read()
		if !ok {
			os.Exit(0)
		}
		switch m.Method {
		case "initialize":
			f.line(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1}}`, m.ID)
		case "session/new":
			f.line(`{"jsonrpc":"2.0","id":%s,"result":{"sessionId":%q}}`, m.ID, fakeSession)
		case "session/prompt":
			return string(m.ID)
		}
		f.flush()
	}
}

func (f *fake) endTurn(id string) {
	f.line(`{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn"}}`, id)
	f.flush()
}

// drain waits for the end of stdin.
func (f *fake) drain() int {
	for {
		if _, ok := f.read(); !ok {
			return 0
		}
	}
}
