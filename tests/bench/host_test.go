package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"craze/shared/proto"
	"craze/shared/spawn"
	"craze/shared/wire"
	"craze/tests/binaries"
)

var programs string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, remove, err := binaries.Build("../..")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer remove()
	programs = dir
	return m.Run()
}

// host is a running craze-host whose agent runs one script.
type host struct {
	tb    testing.TB
	ready spawn.Ready
	pid   int
	kill  func() // as kill -9 does
}

func startHost(tb testing.TB, script string) *host {
	tb.Helper()
	return startIn(tb, home(tb, script))
}

// home is a scratch home whose provider bench runs one script.
func home(tb testing.TB, script string) string {
	tb.Helper()
	root, err := os.MkdirTemp("/tmp", "cz")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(root) })
	for _, d := range []string{"home", "craze", "run", "work"} {
		if err := os.Mkdir(filepath.Join(root, d), 0o700); err != nil {
			tb.Fatal(err)
		}
	}
	cfg := fmt.Sprintf("[providers.bench]\ncommand = [%q, \"-script\", %q]\n", filepath.Join(programs, "craze-fake-agent"), script)
	if err := os.WriteFile(root+"/craze/config.toml", []byte(cfg), 0o600); err != nil {
		tb.Fatal(err)
	}
	return root
}

func environ(root string) []string {
	return []string{"HOME=" + root + "/home", "CRAZE_HOME=" + root + "/craze", "CRAZE_RUNTIME_DIR=" + root + "/run", "PATH=/usr/bin:/bin"}
}

// startIn starts a host in a home.
func startIn(tb testing.TB, root string) *host {
	tb.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(programs, "craze-host"), "--provider=bench", "--workspace", root+"/work", "--ready-fd", "3", "--log", root+"/log")
	cmd.Env = environ(root)
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	w.Close()
	line, err := bufio.NewReader(r).ReadBytes('\n')
	if err != nil {
		tb.Fatal(err)
	}
	r.Close()
	h := &host{tb: tb, pid: cmd.Process.Pid}
	if err := json.Unmarshal(line, &h.ready); err != nil || !h.ready.OK {
		tb.Fatalf("%s %v", line, err)
	}
	killed := false
	h.kill = func() {
		killed = true
		if err := errors.Join(cmd.Process.Kill(), ignoreExit(cmd.Wait())); err != nil {
			tb.Error(err)
		}
	}
	tb.Cleanup(func() {
		if killed {
			return
		}
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			tb.Errorf("the host ended: %v", err)
		}
	})
	return h
}

// ignoreExit passes over how a process ended.
func ignoreExit(err error) error {
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil
	}
	return err
}

// peer is a client that reads lines and does nothing with them but count.
type peer struct {
	tb      testing.TB
	c       net.Conn
	lines   *wire.LineReader
	session string
	id      int
	seq     uint64 // of the last event
	resets  int
}

func (h *host) dial() *peer {
	c, err := net.Dial("unix", h.ready.Socket)
	if err != nil {
		h.tb.Fatal(err)
	}
	p := &peer{tb: h.tb, c: c, lines: wire.NewLineReader(c, proto.OutboundLineMax), session: h.ready.CrazeSessionID}
	p.send("hello", `"protocols":[1],"client":{"kind":"bench"}`)
	p.until(`"clientId"`)
	return p
}

func (p *peer) send(method, params string) {
	p.id++
	if _, err := fmt.Fprintf(p.c, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`+"\n", p.id, method, params); err != nil {
		p.tb.Error(err)
	}
}

// until reads up to the line that holds a text.
func (p *peer) until(text string) []byte {
	for want := []byte(text); ; {
		line, err := p.lines.Next()
		if err != nil {
			p.tb.Errorf("read: %v", err)
			return nil
		}
		if bytes.Contains(line, want) {
			return line
		}
	}
}

func (p *peer) attach(cursor string) {
	p.send("session.attach", fmt.Sprintf(`"sessionId":%q,"budget":{"maxItems":%d,"maxBytes":%d}%s`,
		p.session, proto.BudgetItemsMax, proto.BudgetBytesMax, cursor))
	p.until(`"after"`)
}

func (p *peer) prompt(n int) {
	p.send("session.prompt", fmt.Sprintf(`"sessionId":%q,"commandId":"%d","text":"go","mode":"queue"`, p.session, n))
}

// turn reads events up to a turn's end, checking that none is missed. A reset
// is counted, and attached again behind the last event.
func (p *peer) turn() {
	head, ended := []byte(`{"jsonrpc":"2.0","method":"event"`), []byte(`"phase":"ended"`)
	for {
		line, err := p.lines.Next()
		if err != nil {
			p.tb.Errorf("read: %v", err)
			return
		}
		if !bytes.HasPrefix(line, head) {
			if bytes.Contains(line, []byte(`"method":"reset"`)) {
				p.resets++
				p.attach(fmt.Sprintf(`,"cursor":{"incarnation":"","seq":%d}`, p.seq))
			}
			continue
		}
		at := bytes.Index(line, []byte(`"seq":`)) + len(`"seq":`)
		end := at + bytes.IndexByte(line[at:], ',')
		seq, err := strconv.ParseUint(string(line[at:end]), 10, 64)
		if err != nil || p.seq != 0 && seq != p.seq+1 {
			p.tb.Errorf("seq %d after %d, %v", seq, p.seq, err)
			return
		}
		p.seq = seq
		if bytes.Contains(line, ended) {
			return
		}
	}
}

// bareAgent drives an agent over its pipes with nothing between.
type bareAgent struct {
	tb  testing.TB
	in  io.WriteCloser
	out *wire.LineReader
	cmd *exec.Cmd
	id  int
}

// agentLine bounds a line of the agent's.
const agentLine = 64 << 20

func startBare(tb testing.TB, script string) *bareAgent {
	cmd := exec.Command(filepath.Join(programs, "craze-fake-agent"), "-script", script)
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	a := &bareAgent{tb: tb, in: in, out: wire.NewLineReader(out, agentLine), cmd: cmd}
	tb.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			tb.Errorf("the agent ended: %v", err)
		}
	})
	a.call("initialize", `"protocolVersion":1`)
	a.call("session/new", `"cwd":"/tmp","mcpServers":[]`)
	return a
}

// call makes a request and reads up to its response; it gives the lines read.
func (a *bareAgent) call(method, params string) (n int, response string) {
	a.id++
	if _, err := fmt.Fprintf(a.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`+"\n", a.id, method, params); err != nil {
		a.tb.Fatal(err)
	}
	want := []byte(fmt.Sprintf(`"id":%d,`, a.id))
	for {
		line, err := a.out.Next()
		if err != nil {
			a.tb.Fatal(err)
		}
		if n++; bytes.Contains(line[:min(len(line), 40)], want) {
			return n, string(line)
		}
	}
}

// rss is a process's resident memory, in MiB.
func rss(tb testing.TB, pid int) float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseFloat(strings.Fields(v)[0], 64)
			if err != nil {
				tb.Fatal(err)
			}
			return kib / 1024
		}
	}
	tb.Fatal("no VmRSS")
	return 0
}
