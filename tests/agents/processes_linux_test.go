package agents_test

import (
	"os/exec"
	"slices"
	"testing"

	"craze/tests/agents"
)

func TestKillEndsWhatHasTheHome(t *testing.T) {
	folder := t.TempDir()
	cmd := exec.Command("sleep", "3600")
	cmd.Env = []string{"HOME=" + folder}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if pids, err := agents.Processes(folder); err != nil || !slices.Equal(pids, []int{cmd.Process.Pid}) {
		t.Errorf("processes are %v, %v", pids, err)
	}
	if err := agents.Kill(folder); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the process ended of its own accord")
	}
}
