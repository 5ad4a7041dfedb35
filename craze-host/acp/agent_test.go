package acp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"craze/craze-host/agent"
	"craze/shared/proto"

	"github.com/google/go-cmp/cmp"
)

// runTurn runs one prompt to its end and gives everything so far.
func runTurn(t testing.TB, s started) []agent.Update {
	t.Helper()
	awaitN[agent.Ready](t, s.rec, 1)
	if err := s.Prompt("turn-1", "go"); err != nil {
		t.Fatal(err)
	}
	awaitN[agent.TurnEnded](t, s.rec, 1)
	got, _ := s.rec.all()
	return got
}

func endOf(t *testing.T, s started) agent.Exited {
	t.Helper()
	return awaitN[agent.Exited](t, s.rec, 1)
}

func TestPromptIsAnsweredInOrder(t *testing.T) {
	s := startFake(t, "script echo")
	got := runTurn(t, s)
	want := "text \"echo: hi\"\nturn ended {\"Turn\":\"turn-1\",\"StopReason\":\"end_turn\",\"Err\":null}\n"
	if diff := cmp.Diff(want, show(got[1:])); diff != "" {
		t.Error(diff)
	}
	s.Close()
	s.Close()
	if e := endOf(t, s); e.Err != nil {
		t.Errorf("a close that was asked for ended with %v", e.Err)
	}
	if err := s.Prompt("turn-2", "x"); !errors.Is(err, ErrGone) {
		t.Errorf("a prompt after the end: %v", err)
	}
}

func TestABurstOfAHundredThousandChunksIsWhole(t *testing.T) {
	const n = 100_000
	s := startFake(t, "script burst "+strconv.Itoa(n))
	got := runTurn(t, s)
	chunks := pick[agent.Text](got)
	if len(chunks) != n {
		t.Fatalf("%d chunks", len(chunks))
	}
	for i, c := range chunks {
		if c.Text != strconv.Itoa(i)+" " {
			t.Fatalf("chunk %d is %q", i, c.Text)
		}
	}
	if s.rec.calls > n/20 {
		t.Errorf("%d Sink calls for %d chunks: no batches", s.rec.calls, n)
	}
}

func TestASlowSinkLosesNothing(t *testing.T) {
	gate := make(chan struct{})
	s := startFake(t, "script burst 5000", func(c *Config) {
		sink := c.Sink
		c.Sink = func(us []agent.Update) {
			if count[agent.Text](us) > 0 {
				<-gate
			}
			sink(us)
		}
	})
	awaitN[agent.Ready](t, s.rec, 1)
	if err := s.Prompt("turn-1", "go"); err != nil {
		t.Fatal(err)
	}
	close(gate)
	awaitN[agent.TurnEnded](t, s.rec, 1)
	got, _ := s.rec.all()
	if n := count[agent.Text](got); n != 5000 {
		t.Errorf("%d chunks", n)
	}
}

func TestAnAgentThatAnswersAndExitsLosesNothing(t *testing.T) {
	for i := range 60 {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			s := startFake(t, "script answer-and-exit")
			got := runTurn(t, s)
			if n := count[agent.Text](got); n != 50 {
				t.Errorf("%d chunks of 50", n)
			}
			if end := pick[agent.TurnEnded](got)[0]; end.Err != nil || end.StopReason != proto.StopEndTurn {
				t.Errorf("the turn ended %s", showOne(end))
			}
			if e := endOf(t, s); e.Err == nil || e.Err.Class != proto.ErrAgentExited {
				t.Errorf("%v", e.Err)
			}
		})
	}
}

func TestARequestAmongUpdatesKeepsItsPlace(t *testing.T) {
	s := startFake(t, "script request-in-order")
	awaitN[agent.Ready](t, s.rec, 1)
	if err := s.Prompt("turn-1", "go"); err != nil {
		t.Fatal(err)
	}
	ask := awaitN[agent.Asked](t, s.rec, 1)
	if err := s.Answer(ask.ID, agent.Reply{Answer: proto.Answer{OptionID: "y"}}); err != nil {
		t.Fatal(err)
	}
	awaitN[agent.TurnEnded](t, s.rec, 1)
	got, _ := s.rec.all()
	at := 0
	for i, u := range got {
		if _, ok := u.(agent.Asked); ok {
			at = i
		}
	}
	if n := count[agent.Text](got[:at]); n != 200 {
		t.Errorf("the request came after %d of 200 updates", n)
	}
	if !strings.HasSuffix(texts(got), `after{"outcome":{"outcome":"selected","optionId":"y"}}`) {
		t.Error(texts(got))
	}
	if err := s.Answer(ask.ID, agent.Reply{}); !errors.Is(err, ErrUnknownAsk) {
		t.Errorf("a second answer: %v", err)
	}
}

func TestLongLines(t *testing.T) {
	t.Run("60 MB are taken, in pieces an event can hold", func(t *testing.T) {
		s := startFake(t, "script long-line 60000000")
		got := runTurn(t, s)
		total := 0
		for _, c := range pick[agent.Text](got) {
			if total += len(c.Text); len(c.Text) > textMax {
				t.Fatalf("a piece of %d bytes", len(c.Text))
			}
		}
		if total != 60_000_000+len("before  after") {
			t.Errorf("%d bytes", total)
		}
	})
	t.Run("a line over the limit is skipped and said", func(t *testing.T) {
		s := startFake(t, "script long-line "+strconv.Itoa(lineMax))
		got := runTurn(t, s)
		if texts(got) != "before  after" {
			t.Error(texts(got)[:100])
		}
		if d := pick[agent.Diag](got); len(d) != 1 || !strings.Contains(d[0].Text, "skipped: over 64 MiB") {
			t.Error(show(got))
		}
	})
}

func TestBadLinesAreSaidAndSkipped(t *testing.T) {
	s := startFake(t, "script bad-lines")
	got := runTurn(t, s)
	if texts(got) != strings.Repeat(".", 14) {
		t.Error(texts(got))
	}
	all := show(got)
	for _, want := range []string{"14 bytes skipped: not JSON: starting up...", "not UTF-8", "could not read a line: parse error", "unknown request 99", "skipped"} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing says %q in\n%s", want, all)
		}
	}
	for _, d := range pick[agent.Diag](got) {
		if d.Text != clean(d.Text, diagMax) {
			t.Errorf("not clean: %q", d.Text)
		}
	}
}

func TestALastLineWithoutItsEndIsALine(t *testing.T) {
	s := startFake(t, "script last-line")
	if end := pick[agent.TurnEnded](runTurn(t, s))[0]; end.StopReason != proto.StopRefusal {
		t.Error(showOne(end))
	}
}

func TestStartsThatFail(t *testing.T) {
	cases := map[string]struct {
		script string
		change func(*Config)
		class  string
		want   string
	}{
		"a hang at initialize": {
			"script hang-start", func(c *Config) { c.InitTimeout = 200 * time.Millisecond },
			proto.ErrDeadline, "acp: initialize had no answer within 200ms",
		},
		"a crash with words": {
			"script crash-start", nil, proto.ErrAgentExitStatus,
			"acp: agent exited: exit status 7: Error: the keychain is locked. / Unlock it and try again.",
		},
		"an exit with status 0": {"script exit-start", nil, proto.ErrAgentExited, "acp: agent exited"},
		"a login that is missing": {
			"script auth-refused", nil, proto.ErrAuth,
			"acp: the agent needs a login: Authentication required; log in and start again: API key (Run agent login)",
		},
		"a login that is refused": {
			"script auth-refused", func(c *Config) { c.AuthMethod = "key" }, proto.ErrAuth,
			"acp: authenticate was refused: Authentication required; log in and start again: API key (Run agent login)",
		},
		"a login that never ends": {
			"script auth-hangs", func(c *Config) { c.AuthMethod, c.InitTimeout = "key", 500*time.Millisecond }, proto.ErrAuth,
			"acp: authenticate had no answer within 500ms; log in and start again: API key (Run agent login)",
		},
		"no such binary": {
			"", func(c *Config) { c.Argv = []string{"no-such-agent"} }, proto.ErrOther,
			"agent binary not found: no-such-agent (install it, or add its directory to PATH)",
		},
		"a relative path": {
			"", func(c *Config) { c.Argv = []string{"bin/agent"} }, proto.ErrOther,
			"agent binary not found: bin/agent (name one on PATH, or give an absolute path)",
		},
		"no such directory": {
			"", func(c *Config) { c.Dir = "/no/such\x1b[2Jdir" }, proto.ErrOther,
			"start agent: working directory /no/suchdir is not there",
		},
		"a group that cannot be recorded": {
			"script echo", func(c *Config) { c.OnGroup = func(int) error { return errors.New("disk full") } }, proto.ErrOther,
			"record process group: disk full",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := startFake(t, c.script, func(cfg *Config) {
				if c.change != nil {
					c.change(cfg)
				}
			})
			failed := awaitN[agent.StartFailed](t, s.rec, 1)
			want := proto.EventErr{Message: c.want, Class: c.class, Code: failed.Err.Code}
			if diff := cmp.Diff(want, failed.Err); diff != "" {
				t.Error(diff)
			}
			if e := endOf(t, s); e.Err == nil || e.Err.Message != c.want {
				t.Errorf("the end has another reason: %v", e.Err)
			}
			got, _ := s.rec.all()
			if n := count[agent.Ready](got) + count[agent.StartFailed](got); n != 1 {
				t.Error(show(got))
			}
			if err := s.Prompt("turn-1", "x"); err == nil {
				t.Error("a prompt was taken")
			}
		})
	}
}

func TestAnAgentThatDiesMidTurnEndsIt(t *testing.T) {
	cases := map[string]proto.EventErr{
		"crash":  {Message: "acp: agent exited: exit status 3: panic: out of words", Class: proto.ErrAgentExitStatus, Code: 3},
		"killed": {Message: "acp: agent exited: signal: killed", Class: proto.ErrAgentExitStatus, Code: 137},
	}
	for script, want := range cases {
		t.Run(script, func(t *testing.T) {
			s := startFake(t, "script "+script)
			got := runTurn(t, s)
			if end := pick[agent.TurnEnded](got)[0]; end.Err == nil || *end.Err != want {
				t.Error(showOne(end))
			}
			if e := endOf(t, s); e.Err == nil || *e.Err != want {
				t.Error(showOne(e))
			}
		})
	}
}

func TestAnAgentThatClosesItsOutputIsEnded(t *testing.T) {
	s := startFake(t, "script closes-stdout")
	got := runTurn(t, s)
	if end := pick[agent.TurnEnded](got)[0]; end.Err == nil || end.Err.Class != proto.ErrAgentExited {
		t.Error(showOne(end))
	}
}

func TestADeafAgentBlocksNobody(t *testing.T) {
	s := startFake(t, "script deaf", func(c *Config) { c.Grace = 100 * time.Millisecond })
	awaitN[agent.Ready](t, s.rec, 1)
	if err := s.Prompt("turn-1", "go"); err != nil {
		t.Fatal(err)
	}
	awaitN[agent.Text](t, s.rec, 1)
	fillOutbox(t, s)
	s.Close()
	if end := awaitN[agent.TurnEnded](t, s.rec, 1); end.Err == nil || end.Err.Class != proto.ErrClosed {
		t.Error(showOne(end))
	}
	if e := endOf(t, s); e.Err != nil {
		t.Error(showOne(e))
	}
}

// fillOutbox sends until the outbox of a deaf agent is full.
func fillOutbox(t *testing.T, s started) {
	t.Helper()
	for range 100_000 {
		if err := s.Cancel(); errors.Is(err, ErrFull) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("an outbox without end")
}

func TestAWriteThatStallsEndsTheAgent(t *testing.T) {
	s := startFake(t, "script deaf", func(c *Config) {
		c.Grace, c.WriteStall = 50*time.Millisecond, 200*time.Millisecond
	})
	awaitN[agent.Ready](t, s.rec, 1)
	if err := s.Prompt("turn-1", "go"); err != nil {
		t.Fatal(err)
	}
	awaitN[agent.Text](t, s.rec, 1)
	fillOutbox(t, s)
	end := awaitN[agent.TurnEnded](t, s.rec, 1)
	if end.Err == nil || end.Err.Message != "acp: "+ErrFull.Error() {
		t.Error(showOne(end))
	}
}

func TestASigtermIgnoringAgentIsKilled(t *testing.T) {
	s := startFake(t, "script stubborn", func(c *Config) { c.Grace = 100 * time.Millisecond })
	runTurn(t, s)
	s.Close()
	if e := endOf(t, s); e.Err != nil {
		t.Error(showOne(e))
	}
	s.Wait()
}

func TestAGrandchildThatHoldsThePipes(t *testing.T) {
	for _, script := range []string{"grandchild", "orphan"} {
		t.Run(script, func(t *testing.T) {
			s := startFake(t, "script "+script)
			pid, err := strconv.Atoi(texts(runTurn(t, s)))
			if err != nil {
				t.Fatal(err)
			}
			endOf(t, s)
			s.Wait()
			if script == "orphan" { // left the group: not the agent's to kill, and no reason to hang
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Error(err)
				}
				return
			}
			awaitGone(t, pid)
		})
	}
}

// awaitGone waits until pid is dead: gone, or a zombie of whoever inherited it.
func awaitGone(t *testing.T, pid int) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.NewTimer(waitMax)
	defer limit.Stop()
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		dead := errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || err == nil && strings.Contains(string(stat), ") Z ")
		if dead {
			return
		}
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatalf("process %d lives", pid)
		}
	}
}

func TestACancelledContextKillsAtOnce(t *testing.T) {
	rec := newRecorder()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	a, err := Start(ctx, Config{
		Argv: []string{exe}, Env: append(os.Environ(), fakeEnv+"=script stubborn"), Dir: t.TempDir(),
		Grace: time.Hour, Sink: rec.sink,
	})
	if err != nil {
		t.Fatal(err)
	}
	awaitN[agent.Ready](t, rec, 1)
	cancel()
	a.Wait()
	if e := awaitN[agent.Exited](t, rec, 1); e.Err != nil {
		t.Error(showOne(e))
	}
}

func TestCloseDuringTheStartEndsIt(t *testing.T) {
	s := startFake(t, "script hang-start")
	s.Close()
	if f := awaitN[agent.StartFailed](t, s.rec, 1); f.Err.Class != proto.ErrClosed {
		t.Error(f)
	}
	if e := endOf(t, s); e.Err != nil {
		t.Error(showOne(e))
	}
}

func TestTheGroupIsRecordedBeforeItIsUsed(t *testing.T) {
	group := 0
	rec := newRecorder()
	s := startFake(t, "script echo", func(c *Config) {
		c.OnGroup = func(pgid int) error {
			if got, _ := rec.all(); len(got) > 0 {
				t.Error("something was told before")
			}
			group = pgid
			return nil
		}
	})
	awaitN[agent.Ready](t, s.rec, 1)
	if pg, err := syscall.Getpgid(group); err != nil || pg != group || pg == syscall.Getpgrp() {
		t.Errorf("group %d is %d (%v)", group, pg, err)
	}
}

func TestStartSettingsAreWhatTheAgentConfirmed(t *testing.T) {
	s := startFake(t, "script settings", func(c *Config) { c.Start = StartSettings{Model: "b", Mode: "nope"} })
	r := awaitN[agent.Ready](t, s.rec, 1)
	got := s.rec.until(t, "held text", func(us []agent.Update) bool { return count[agent.Text](us) == 1 })
	golden(t, "testdata/golden/settings.txt", show(got))
	if r.State.Model != "b" || r.State.Mode != "ask" || !r.Caps.Effort || !r.Caps.Modes {
		t.Error(showOne(r))
	}
}

func TestAsksEndWithTheirTurn(t *testing.T) {
	s := startFake(t, "script asks")
	awaitN[agent.Ready](t, s.rec, 1)
	if err := s.Prompt("turn-1", "go"); err != nil {
		t.Fatal(err)
	}
	awaitN[agent.Asked](t, s.rec, 2)
	if err := s.Answer("perm-2", agent.Reply{Cancelled: true}); err != nil {
		t.Fatal(err)
	}
	ask := awaitN[agent.Asked](t, s.rec, 3)
	if err := s.Answer(ask.ID, agent.Reply{Answer: proto.Answer{OptionID: "n"}}); err != nil {
		t.Fatal(err)
	}
	got := s.rec.until(t, "the last words", func(us []agent.Update) bool { return count[agent.Text](us) == 2 })
	golden(t, "testdata/golden/asks.txt", show(got[1:]))
}

func TestBypassAnswersWithTheAllowOption(t *testing.T) {
	s := startFake(t, "script request-in-order", func(c *Config) { c.Bypass = true })
	got := runTurn(t, s)
	if count[agent.Asked](got) != 0 || !strings.HasSuffix(texts(got), `"optionId":"y"}}`) {
		t.Error(texts(got))
	}
}

func TestRequestsNobodyServesAreRefusedWithTheirOwnID(t *testing.T) {
	s := startFake(t, "script odd-ids")
	got := strings.Split(texts(runTurn(t, s)), "\n")
	const refusal = `,"error":{"code":-32601,"message":"method not found"}}`
	var want []string
	for _, id := range []string{"7", `"x\ud83d"`, "null", "1.5", `{"a":1}`} {
		want = append(want, `{"jsonrpc":"2.0","id":`+id+refusal)
	}
	if diff := cmp.Diff(append(want, ""), got); diff != "" {
		t.Error(diff)
	}
}

func TestStderrIsToldCleanAndBounded(t *testing.T) {
	var log strings.Builder
	s := startFake(t, "script stderr", func(c *Config) { c.StderrLog = &log })
	runTurn(t, s)
	s.Close()
	s.Wait()
	got, _ := s.rec.all()
	if !strings.Contains(show(got), "diag agent stderr: note 0\n") || strings.Contains(show(got), "spoof") {
		t.Error(show(got))
	}
	if n := strings.Count(log.String(), "\n"); n != 200 {
		t.Errorf("the log has %d lines", n)
	}
}

func TestRunesCutOverTwoChunksAreJoined(t *testing.T) {
	s := startFake(t, "script cut-runes")
	if got := texts(runTurn(t, s)); got != "a😀b\uFFFDcd\\ud83d" {
		t.Errorf("%q", got)
	}
}

func TestPromptsOutOfPlaceAreRefused(t *testing.T) {
	s := startFake(t, "script hang-start")
	if err := s.Prompt("turn-1", "x"); !errors.Is(err, ErrNotReady) {
		t.Error(err)
	}
	s = startFake(t, "script deaf", func(c *Config) { c.Grace = time.Millisecond })
	awaitN[agent.Ready](t, s.rec, 1)
	if err := s.Prompt("turn-1", strings.Repeat("\x01", 3<<20)); !errors.Is(err, ErrTooLong) {
		t.Error(err)
	}
	if err := s.Prompt("turn-1", "x\xff"); err != nil {
		t.Error(err)
	}
	if err := s.Prompt("turn-2", "x"); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
}
