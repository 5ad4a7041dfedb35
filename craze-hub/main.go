// Command craze-hub lists every session of this user's craze directory, starts
// new ones, and carries clients through to them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"craze/craze-hub/internal/daemon"
	"craze/shared/config"
	"craze/shared/logfile"
	"craze/shared/registry"
	"craze/shared/sock"
)

// Version is the craze version; the build sets it.
var Version = "dev"

func main() { os.Exit(run()) }

func run() int {
	f := flag.NewFlagSet("craze-hub", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	logPath := f.String("log", "", "")
	spawned := f.Bool("spawned", false, "")
	readyFD := f.Int("ready-fd", 0, "")
	if f.Parse(os.Args[1:]) != nil || f.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: craze-hub [--log FILE]")
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	signal.Ignore(syscall.SIGPIPE)
	cfg := daemon.Config{Home: os.Getenv("HOME"), Version: Version}
	if *readyFD > 2 {
		cfg.Ready = os.NewFile(uintptr(*readyFD), "ready")
	}
	if *spawned {
		signal.Ignore(syscall.SIGHUP)
	}
	err := start(ctx, cfg, *logPath, *spawned)
	if errors.Is(err, registry.ErrHubRunning) && *spawned {
		return 0 // the spawner goes to the one that runs
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "craze-hub:", err)
		return 1
	}
	return 0
}

// start fills in what the environment says and runs the hub.
func start(ctx context.Context, cfg daemon.Config, logPath string, spawned bool) error {
	dir, err := config.Dir(os.Getenv)
	if err != nil {
		return err
	}
	cfg.CrazeDir, cfg.Environ = dir, config.HandOn(os.Environ(), dir)
	reg, err := registry.Open(cfg.Home)
	if err != nil {
		return err
	}
	defer reg.Close()
	name := "hub-" + sock.Namespace(dir) + ".log"
	cfg.Log = os.Stderr
	if spawned && logPath == "" {
		logPath = reg.LogPath(name)
	}
	if logPath != "" {
		var w io.WriteCloser
		if filepath.Clean(logPath) == reg.LogPath(name) {
			w, err = logfile.Open(reg, name, 0)
		} else {
			w, err = os.OpenFile(logPath, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		}
		if err != nil {
			return err
		}
		defer w.Close()
		cfg.Log = w
	}
	return daemon.Run(ctx, cfg)
}
