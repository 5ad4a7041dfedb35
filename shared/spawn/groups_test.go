package spawn

import (
	"strings"
	"testing"
)

// group starts a process that leads a group of its own, and its line.
func group(t *testing.T) (*Process, string) {
	t.Helper()
	_, p, err := StartHost(t.Context(), options(t, "ok"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Terminate(t.Context()) })
	line, err := GroupLine(p.PID)
	if err != nil {
		t.Fatal(err)
	}
	return p, line
}

func wasKilled(t *testing.T, p *Process) {
	t.Helper()
	if err := p.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("it ended: %v", err)
	}
}

func TestAGroupIsKilledOnlyWhileItsLeaderIsTheSame(t *testing.T) {
	p, line := group(t)
	KillGroups([]byte("garbage\n1 1\n-5 1\n0 1\n" + strings.Replace(line, " ", " 1", 1)))
	select {
	case <-p.Done():
		t.Fatal("another's group was killed")
	default:
	}
	KillGroups([]byte("not a group\n" + line))
	wasKilled(t, p)
	KillGroups([]byte(line)) // gone: nothing to do
	if _, err := GroupLine(p.PID); err == nil {
		t.Error("a process that is gone has a line")
	}
}

func TestAFailedStartTakesItsAgentsWithIt(t *testing.T) {
	for _, act := range []string{"crash", "another"} {
		agent, line := group(t)
		o := options(t, act)
		o.Pgids = func() []byte { return []byte(line) }
		if _, _, err := StartHost(t.Context(), o); err == nil {
			t.Errorf("%s started", act)
		}
		wasKilled(t, agent)
	}
}
