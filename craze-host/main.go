// Command craze-host holds one agent session and serves it on its control
// socket until it is stopped.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"craze/craze-host/internal/launch"
	"craze/craze-host/internal/lifecycle"
)

func main() { os.Exit(run()) }

// signalQueue holds the first signal and the second, which means at once.
const signalQueue = 2

func run() int {
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	sigs := make(chan os.Signal, signalQueue)
	signal.Notify(sigs, syscall.SIGTERM, syscall.SIGINT)
	l, err := launch.Parse(os.Args[1:], os.Getenv, os.Environ())
	if err != nil {
		fmt.Fprintln(os.Stderr, "craze-host:", err)
		if errors.Is(err, launch.ErrUsage) {
			return 2
		}
		return 1
	}
	defer l.Close()
	if err := lifecycle.Run(context.Background(), l.Config, sigs); err != nil {
		fmt.Fprintln(os.Stderr, "craze-host:", err)
		return 1
	}
	return 0
}
