package spawn

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

const (
	// actEnv makes this test binary act as a started process.
	actEnv = "CRAZE_SPAWN_ACT"
	// upEnv names a pipe that the process opens once it is what it acts as.
	upEnv = "CRAZE_SPAWN_UP"
	// id is the host id of every host started here.
	id = "0123456789ab"
)

func TestMain(m *testing.M) {
	if act := os.Getenv(actEnv); act != "" {
		os.Exit(play(act))
	}
	goleak.VerifyTestMain(m)
}

// play is what a started process does, by the part it was given.
func play(act string) int {
	ready := os.NewFile(readyFD, "ready")
	term := make(chan os.Signal, 1)
	if act == "stubborn" {
		signal.Ignore(syscall.SIGTERM)
		signal.Notify(term, syscall.SIGUSR1) // which no one sends
	} else {
		signal.Notify(term, syscall.SIGTERM)
	}
	if up := os.Getenv(upEnv); up != "" {
		if f, err := os.OpenFile(up, os.O_WRONLY, 0); err == nil {
			f.Close()
		}
	}
	said, code := say(act)
	if _, err := ready.WriteString(said); err != nil {
		return 9
	}
	if act != "silent" && act != "stubborn" {
		ready.Close()
	}
	if code == stays {
		<-term
		return 0
	}
	return code
}

// stays is the code of a process that runs until it is told to end.
const stays = -1

// say is what a process writes on the pipe, and how it ends.
func say(act string) (string, int) {
	ok := Ready{OK: true, HostID: id, Socket: "/s"}
	switch act {
	case "ok":
		ok.Version = strings.Join(os.Args[1:], " ")
		return ready(ok), stays
	case "where":
		ok.Socket, _ = os.Getwd()
		ok.Version = stdio()
		return ready(ok), stays
	case "another":
		ok.HostID = "ffffffffffff"
		return ready(ok), stays
	case "refused":
		return ready(Ready{Error: "no such session", Refused: true}), 1
	case "held":
		return ready(Ready{Held: &Held{HostID: "aaaaaaaaaaaa", PID: 7}}), 1
	case "failed":
		return ready(Ready{Error: "no room"}), 1
	case "lingers":
		return ready(Ready{Error: "no room"}), stays
	case "mute":
		return "{\"ok\":false}\n", 1
	case "later":
		return `{"ok":true,"hostId":"` + id + `","later":{"x":1}}` + "\n", stays
	case "garbage":
		return "not json\n", stays
	case "cut":
		return `{"ok":true,"hostId":"` + id + `"`, stays
	case "endless":
		return strings.Repeat("x", readyMax), stays
	case "crash":
		return "", 3
	}
	return "", stays // silent, stubborn
}

func ready(r Ready) string {
	var b strings.Builder
	if err := WriteReady(&b, r); err != nil {
		return err.Error()
	}
	return b.String()
}

// stdio is what a process has on its stdio, and that it leads its session.
func stdio() string {
	var null, fd syscall.Stat_t
	err := syscall.Stat(os.DevNull, &null)
	for n := range readyFD {
		err = errors.Join(err, syscall.Fstat(n, &fd))
		if fd.Rdev != null.Rdev {
			err = errors.Join(err, fmt.Errorf("descriptor %d is not %s", n, os.DevNull))
		}
	}
	if syscall.Getpgrp() != os.Getpid() {
		err = errors.Join(err, errors.New("it leads no group"))
	}
	return fmt.Sprint(err)
}

func options(t *testing.T, act string) HostOptions {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Under the race detector a process would else take a second to exit.
	env := append(os.Environ(), actEnv+"="+act, "GORACE=atexit_sleep_ms=0")
	return HostOptions{Binary: self, Env: env, HostID: id, Workspace: t.TempDir()}
}

// noChildren fails the test if this process still has any, ended or not.
func noChildren(t *testing.T) {
	t.Helper()
	pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	if !errors.Is(err, syscall.ECHILD) {
		t.Errorf("a child is left (%d, %v)", pid, err)
	}
}
