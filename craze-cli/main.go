// Command craze-cli starts, lists and steers agent sessions, for people and
// scripts.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"craze/craze-cli/internal/cli"
)

// Version is the craze version; the build sets it.
var Version = "dev"

func main() { os.Exit(run()) }

// signalBase is what a shell adds to a signal's number.
const signalBase = 128

// grace is how long an interrupted command may take to put its things away.
// One that reads a pipe, or writes one nobody reads, does not notice at all.
const grace = 500 * time.Millisecond

func run() int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	sigs := make(chan os.Signal, 1)
	signal.Notify(sigs, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	code := make(chan int, 1)
	go func() { // ends with the command, or the process
		code <- cli.Run(ctx, os.Args[1:], cli.Env{
			Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Environ: os.Environ(),
			Version: Version, StdinTTY: isTerminal(os.Stdin), Width: width(os.Stdout),
		})
	}()
	select {
	case n := <-code:
		return n
	case got := <-sigs:
		cancel()
		select {
		case <-code:
		case <-time.After(grace):
		}
		n, _ := got.(syscall.Signal)
		return signalBase + int(n)
	}
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
