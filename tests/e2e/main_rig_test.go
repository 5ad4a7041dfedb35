package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"craze/shared/proto"
	"craze/tests/binaries"
)

const (
	// runWait bounds one command. They answer in milliseconds; this only ends
	// a test that hangs.
	runWait = 60 * time.Second
	// soon bounds what the system promises within a second, with slack for a
	// machine that is busy with something else.
	soon = 8 * time.Second
	// poll is how often a condition is looked at.
	poll = 10 * time.Millisecond
)

var programs string

func TestMain(m *testing.M) {
	os.Exit(confined(func() int { return build(m) }))
}

func build(m *testing.M) int {
	dir, remove, err := binaries.Build("../..")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer remove()
	programs = dir
	return m.Run()
}

// rig is one scratch home.
type rig struct {
	t    *testing.T
	root string
	work string
}

// scripts are the fake agent's, each a provider of the rig's config.
var scripts = []string{
	"echo", "tool", "ask", "slow:20,40", "burst:20000", "crash", "crash-start", "error", "garbage", "long", "stubborn", "deaf", "hang", "forks",
}

func newRig(t *testing.T) *rig {
	t.Helper()
	root, err := os.MkdirTemp("/tmp", "cz")
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, root: root, work: filepath.Join(root, "work")}
	for _, d := range []string{"home", "craze", "run", "work"} {
		if err := os.Mkdir(filepath.Join(root, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var cfg strings.Builder
	for _, s := range scripts {
		name, _, _ := strings.Cut(s, ":")
		fmt.Fprintf(&cfg, "[providers.%s]\ncommand = [%q, \"-script\", %q]\n", name, r.bin("craze-fake-agent"), s)
	}
	r.config(cfg.String() + "[providers.missing]\ncommand = [\"/nowhere/agent\"]\n")
	t.Cleanup(r.end)
	return r
}

func (r *rig) bin(name string) string { return filepath.Join(programs, name) }

func (r *rig) config(toml string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.root, "craze", "config.toml"), []byte(toml), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) environ() []string {
	return []string{
		"HOME=" + r.root + "/home", "CRAZE_HOME=" + r.root + "/craze", "CRAZE_RUNTIME_DIR=" + r.root + "/run",
		"PATH=/usr/bin:/bin", "TERM=dumb",
	}
}

// end stops what runs and checks that nothing is left of it.
func (r *rig) end() {
	for _, p := range r.processes() {
		if p.is("craze-host") || p.is("craze-hub") {
			_ = syscall.Kill(p.pid, syscall.SIGTERM) // it may have gone by itself
		}
	}
	r.eventually("every process to go", func() bool { return len(r.processes()) == 0 })
	if left := r.processes(); len(left) > 0 {
		r.t.Errorf("left running: %v", left)
		for _, p := range left {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
	}
	if r.t.Failed() {
		logs, _ := filepath.Glob(filepath.Join(r.root, "home/.cache/craze/host-logs/*"))
		for _, l := range logs {
			b, _ := os.ReadFile(l)
			r.t.Logf("%s:\n%s", filepath.Base(l), b)
		}
	}
	os.RemoveAll(r.root)
}

func (r *rig) eventually(what string, ok func() bool) {
	r.t.Helper()
	deadline := time.NewTimer(soon)
	defer deadline.Stop()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			r.t.Errorf("waited %v for %s", soon, what)
			return
		}
	}
}

// result is how a command ended.
type result struct {
	out, err string
	code     int
}

// job is a command that runs.
type job struct {
	r        *rig
	cmd      *exec.Cmd
	out, err output
	cancel   context.CancelFunc
}

// output gathers what a process prints, and can be looked at meanwhile.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// start runs a program of the rig in a process group of its own.
func (r *rig) start(name string, args ...string) *job {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), runWait)
	j := &job{r: r, cmd: exec.CommandContext(ctx, r.bin(name), args...), cancel: cancel}
	j.cmd.Env, j.cmd.Dir = r.environ(), r.work
	j.cmd.Stdout, j.cmd.Stderr = &j.out, &j.err
	j.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := j.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	return j
}

func (j *job) wait() result {
	j.r.t.Helper()
	defer j.cancel()
	err := j.cmd.Wait()
	res := result{out: j.out.String(), err: j.err.String()}
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		res.code = e.ExitCode()
	} else if err != nil {
		j.r.t.Fatal(err)
	}
	return res
}

// craze runs one command of craze-cli.
func (r *rig) craze(args ...string) result {
	r.t.Helper()
	return r.start("craze-cli", args...).wait()
}

// must runs one command that ends with a code.
func (r *rig) must(code int, args ...string) result {
	r.t.Helper()
	res := r.craze(args...)
	if res.code != code {
		r.t.Fatalf("craze %s: exit %d, want %d\nstdout: %s\nstderr: %s", strings.Join(args, " "), res.code, code, res.out, res.err)
	}
	return res
}

// new starts a session of a script and gives its id.
func (r *rig) new(script string, args ...string) string {
	r.t.Helper()
	res := r.must(0, append([]string{"new", "--json", "--provider", script}, args...)...)
	var c proto.CreateResult
	if err := json.Unmarshal([]byte(res.out), &c); err != nil {
		r.t.Fatalf("%v: %s", err, res.out)
	}
	return c.Session.SessionID
}

// raw sends lines to the hub over a bridge and gives the last reply.
func (r *rig) raw(lines ...string) string {
	r.t.Helper()
	return r.bridge([]string{"--hub"}, lines)
}

// rawHost does the same with a session's host.
func (r *rig) rawHost(session string, lines ...string) string {
	r.t.Helper()
	return r.bridge([]string{"--session", session}, lines)
}

func (r *rig) bridge(to, lines []string) string {
	r.t.Helper()
	cmd := exec.Command(r.bin("craze-cli"), append([]string{"bridge"}, to...)...)
	cmd.Env, cmd.Dir = r.environ(), r.work
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("bridge: %v\n%s", err, out)
	}
	replies := strings.Split(strings.TrimSpace(string(out)), "\n")
	return replies[len(replies)-1]
}

// state is a session's in the list, "" when it is not there.
func (r *rig) state(id string) string {
	r.t.Helper()
	for line := range strings.Lines(r.must(0, "ps").out) {
		if strings.HasPrefix(line, id[len(id)-8:]) {
			state, _, _ := strings.Cut(strings.TrimSpace(line[8:]), "  ") // columns are two cells apart at least
			return state
		}
	}
	return ""
}

// process is one that runs in the rig's home.
type process struct {
	pid, ppid int
	args      []string
}

func (p process) is(name string) bool { return len(p.args) > 0 && filepath.Base(p.args[0]) == name }

// processes are all that run with the rig's home, found by their environment.
func (r *rig) processes() []process {
	r.t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		r.t.Fatal(err)
	}
	var out []process
	for _, d := range dirs {
		env, err := os.ReadFile(d + "/environ")
		if err != nil || !bytes.Contains(env, []byte("CRAZE_RUNTIME_DIR="+r.root+"/run")) {
			continue
		}
		cmdline, _ := os.ReadFile(d + "/cmdline")
		stat, _ := os.ReadFile(d + "/stat")
		pid, _ := strconv.Atoi(filepath.Base(d))
		p := process{pid: pid, args: strings.Split(strings.TrimRight(string(cmdline), "\x00"), "\x00")}
		_, _ = fmt.Sscanf(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " %s %d", new(string), &p.ppid)
		out = append(out, p)
	}
	return out
}

// the is the one process of a name.
func (r *rig) the(name string) process {
	r.t.Helper()
	var found []process
	for _, p := range r.processes() {
		if p.is(name) {
			found = append(found, p)
		}
	}
	if len(found) != 1 {
		r.t.Fatalf("%d processes %s: %v", len(found), name, r.processes())
	}
	return found[0]
}

// zombies are the dead children that one of the rig's processes has not
// reaped.
func (r *rig) zombies() []int {
	mine := r.processes()
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var out []int
	for _, d := range dirs {
		stat, err := os.ReadFile(d + "/stat")
		if err != nil {
			continue
		}
		var state string
		var ppid int
		_, _ = fmt.Sscanf(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " %s %d", &state, &ppid)
		if state == "Z" && slices.ContainsFunc(mine, func(p process) bool { return p.pid == ppid }) {
			pid, _ := strconv.Atoi(filepath.Base(d))
			out = append(out, pid)
		}
	}
	return out
}

func (r *rig) kill(p process, sig syscall.Signal) {
	r.t.Helper()
	if err := syscall.Kill(p.pid, sig); err != nil {
		r.t.Fatalf("kill %v: %v", p, err)
	}
}

// printed waits until a job has printed something.
func (r *rig) printed(j *job) {
	r.t.Helper()
	r.eventually("a client to print", func() bool { return j.out.String() != "" })
}

// streaming waits until a session's turn has said something.
func (r *rig) streaming(id string) {
	r.t.Helper()
	r.eventually("text to stream", func() bool {
		lines := strings.Split(r.must(0, "log", id).out, "\n")
		return len(lines) > 2 && lines[1] != ""
	})
}
