// Command craze-cli starts, lists and steers agent sessions, for people and
// scripts.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"craze/craze-cli/internal/cli"
)

// Version is the craze version; the build sets it.
var Version = "dev"

func main() { os.Exit(run()) }

// signalBase is what a shell adds to a signal's number.
const signalBase = 128

func run() int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	sigs := make(chan os.Signal, 1)
	signal.Notify(sigs, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	var got os.Signal
	noted := make(chan struct{})
	go func() { // ends with the first signal, or the process
		got = <-sigs
		close(noted)
		cancel()
	}()
	code := cli.Run(ctx, os.Args[1:], cli.Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Environ: os.Environ(),
		Version: Version, StdinTTY: isTerminal(os.Stdin), Width: width(os.Stdout),
	})
	select {
	case <-noted:
		if n, ok := got.(syscall.Signal); ok {
			return signalBase + int(n)
		}
	default:
	}
	return code
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	return err == nil
}

// defaultWidth is a terminal's that does not tell its own.
const defaultWidth = 80

func width(f *os.File) int {
	ws, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	switch {
	case err != nil:
		return 0
	case ws.Col == 0:
		return defaultWidth
	}
	return int(ws.Col)
}
