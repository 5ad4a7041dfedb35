package e2e

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"craze/shared/proto"
)

func TestTheMainJob(t *testing.T) {
	r := newRig(t)
	id := r.new("echo", "first", "words")
	r.must(0, "wait", id)
	if s := r.state(id); s != "idle" {
		t.Errorf("state %q", s)
	}
	short := id[len(id)-8:]
	if res := r.must(0, "send", short, "--wait", "more"); res.out != "echo: more\n" {
		t.Errorf("%q", res.out)
	}
	if res := r.must(0, "log", short); res.out != "> first words\necho: first words\n> more\necho: more\n" {
		t.Errorf("log %q", res.out)
	}
	if res := r.must(0, "stop", short); res.out != "stopped "+short+"\n" {
		t.Errorf("%q", res.out)
	}
	if s := r.state(id); s != "" {
		t.Errorf("a stopped session is listed: %q", s)
	}
	r.must(1, "send", short, "x")
	if row, err := os.ReadFile(r.root + "/craze/sessions.jsonl"); err != nil || !strings.Contains(string(row), `"title":"first words"`) {
		t.Errorf("index %q, %v", row, err)
	}
}

func TestNewWaitsAndPrintsTheAnswer(t *testing.T) {
	r := newRig(t)
	if res := r.must(0, "new", "--provider", "echo", "--wait", "hi"); res.out != "echo: hi\n" {
		t.Errorf("%q", res.out)
	}
	res := r.must(0, "new", "--provider", "tool", "--wait", "--json", "hi")
	var got struct {
		Turn    string `json:"turn"`
		Outcome string `json:"outcome"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal([]byte(res.out), &got); err != nil || got.Turn != "turn-1" || got.Outcome != "done" || got.Message == "" {
		t.Errorf("%+v %v %s", got, err, res.out)
	}
}

func TestALongMessageIsKeptWholeInAFile(t *testing.T) {
	r := newRig(t)
	res := r.must(0, "new", "--provider", "long", "--wait", "--json", "hi")
	var got struct {
		Message   string `json:"message"`
		File      string `json:"file"`
		Truncated bool   `json:"truncated"`
	}
	if err := json.Unmarshal([]byte(res.out), &got); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(got.File)
	if err != nil || !got.Truncated || len(whole) != 2<<20 || !strings.HasPrefix(string(whole), got.Message) {
		t.Errorf("%d bytes in %q, %v", len(whole), got.File, err)
	}
}

func TestAPermissionIsAnsweredFromASecondClient(t *testing.T) {
	r := newRig(t)
	for _, tt := range []struct {
		flag, says string
		code       int
	}{
		{"--allow", "allow-once", 0}, {"--always", "allow-always", 0}, {"--reject", "reject-once", 0},
	} {
		t.Run(tt.flag, func(t *testing.T) {
			id := r.new("ask", "--no-force")
			res := r.must(5, "send", id, "--wait", "please")
			if !strings.Contains(res.out, "answer with: craze answer") {
				t.Errorf("%q", res.out)
			}
			if s := r.state(id); s != "needs you" {
				t.Errorf("state %q", s)
			}
			waiting := r.start("craze-cli", "wait", id)
			if first := waiting.wait(); first.code != 5 {
				t.Errorf("a second wait: %+v", first)
			}
			r.must(0, "answer", id, "head", tt.flag)
			if res := r.must(tt.code, "wait", id); !strings.Contains(res.out, tt.says) {
				t.Errorf("%q", res.out)
			}
			r.must(1, "answer", id, "head", tt.flag) // nothing is asked any more
		})
	}
}

func TestBypassAnswersByItself(t *testing.T) {
	r := newRig(t)
	if res := r.must(0, "new", "--provider", "ask", "--wait", "please"); !strings.Contains(res.out, "allow-once") {
		t.Errorf("%q", res.out)
	}
}

func TestACancelEndsTheTurnAndItsAsk(t *testing.T) {
	r := newRig(t)
	id := r.new("ask", "--no-force", "please")
	r.must(5, "wait", id)
	r.must(0, "cancel", id)
	r.must(4, "wait", id)
	if res := r.must(0, "asks", id, "--json"); res.out != `{"asks":[]}`+"\n" {
		t.Errorf("%q", res.out)
	}
	slow := r.new("slow", "go on")
	r.streaming(slow)
	r.must(0, "cancel", slow)
	r.must(4, "wait", slow)
	r.must(1, "cancel", slow)
}

func TestPromptsQueueBehindARunningTurn(t *testing.T) {
	r := newRig(t)
	id := r.new("slow", "one")
	if res := r.must(0, "send", id, "two"); !strings.HasPrefix(res.out, "queued q-1") {
		t.Errorf("%q", res.out)
	}
	r.must(0, "send", id, "--wait", "three")
	log := r.must(0, "log", id).out
	for _, w := range []string{"> one", "> two", "> three"} {
		if strings.Count(log, w) != 1 {
			t.Errorf("%q is there %d times", w, strings.Count(log, w))
		}
	}
}

func TestTheTerminalClosesInMidTurn(t *testing.T) {
	r := newRig(t)
	// The command that starts the hub, the session and the turn has its whole
	// group hung up, as a terminal does.
	j := r.start("craze-cli", "new", "--provider", "slow", "--wait", "go on")
	var id string
	r.eventually("the session to be listed", func() bool {
		var roster proto.RosterResult
		if json.Unmarshal([]byte(r.must(0, "ps", "--json").out), &roster) == nil && len(roster.Sessions) == 1 {
			id = roster.Sessions[0].SessionID
		}
		return id != ""
	})
	r.streaming(id)
	if err := syscall.Kill(-j.cmd.Process.Pid, syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if res := j.wait(); res.code == 0 {
		t.Errorf("the client outlived its terminal: %+v", res)
	}
	if res := r.must(0, "wait", id); res.out == "" {
		t.Error("no answer")
	}
}

func TestTwoClientsSeeTheSameEventsInTheSameOrder(t *testing.T) {
	r := newRig(t)
	id := r.new("burst", "warm up")
	r.must(0, "wait", id)
	a, b := r.start("craze-cli", "log", id, "--follow", "--json"), r.start("craze-cli", "log", id, "--follow", "--json")
	r.printed(a) // the transcript so far: it is attached
	r.printed(b)
	r.must(0, "send", id, "--wait", "go")
	r.must(0, "stop", id)
	ra, rb := a.wait(), b.wait()
	if ra.out != rb.out || strings.Count(ra.out, `"type":"text"`) != 20000 {
		t.Errorf("%d and %d lines, %d chunks", strings.Count(ra.out, "\n"), strings.Count(rb.out, "\n"), strings.Count(ra.out, `"type":"text"`))
	}
}

func TestAClientThatStopsReadingHurtsOnlyItself(t *testing.T) {
	r := newRig(t)
	id := r.new("burst", "warm up")
	r.must(0, "wait", id)
	stuck := r.start("craze-cli", "log", id, "--follow", "--json")
	r.printed(stuck)
	if err := syscall.Kill(stuck.cmd.Process.Pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		r.must(0, "send", id, "--wait", "go")
	}
	if err := syscall.Kill(stuck.cmd.Process.Pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	r.must(0, "send", id, "--wait", "go")
	r.must(0, "stop", id)
	// It may be behind still as the session ends, and then it says so.
	if res := stuck.wait(); res.code != 0 && (res.code != 6 || !strings.Contains(res.err, "gone")) {
		t.Errorf("%d %s", res.code, res.err)
	}
}

func TestStartSettingsReachTheAgent(t *testing.T) {
	r := newRig(t)
	id := r.new("echo", "--model", "fake-deep", "--effort", "high")
	res := r.must(0, "ps", "--json")
	if !strings.Contains(res.out, `"model":"fake-deep"`) {
		t.Errorf("%s", res.out)
	}
	state := r.rawHost(id, `{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocols":[1],"client":{"kind":"t"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session.state","params":{"sessionId":"`+id+`"}}`)
	if !strings.Contains(state, `"category":"thought_level","type":"select","current":"high"`) {
		t.Errorf("%s", state)
	}
}
