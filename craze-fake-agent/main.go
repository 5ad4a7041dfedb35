// Command craze-fake-agent is an ACP agent that follows a script, for the
// authors of clients and for craze's own tests: it stands in for a real agent
// at the other end of stdin and stdout, well behaved or not, with no model and
// no network. README.md says how it is told what to do.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"craze/craze-fake-agent/internal/peer"
	"craze/craze-fake-agent/internal/script"
)

const (
	exitFailed = 1
	exitUsage  = 2 // no such script, or not with that argument
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	if slices.Contains(args, "-list") || slices.Contains(args, "--list") {
		list(os.Stdout)
		return 0
	}
	behaviour, err := script.Choose(args, os.Getenv("CRAZE_FAKE_SCRIPT"))
	if err != nil {
		complain(err.Error())
		return exitUsage
	}
	dir, _ := os.Getwd() // only for a client that names no directory
	err = peer.Run(context.Background(), peer.Config{
		In: os.Stdin, Out: os.Stdout, Dir: dir,
		SessionID: os.Getenv("CRAZE_FAKE_SESSION_ID"), Behaviour: behaviour,
	})
	var exit *peer.Exit
	switch {
	case errors.As(err, &exit):
		complain(exit.Words)
		return exit.Code
	case err != nil:
		complain(err.Error())
		return exitFailed
	}
	return 0
}

// complain writes a line for people to stderr; there is nowhere else to say
// that it failed.
func complain(words string) { _, _ = fmt.Fprintln(os.Stderr, "craze-fake-agent: "+words) }

func list(w io.Writer) {
	for _, s := range script.All() {
		_, _ = fmt.Fprintf(w, "%-15s %-15s %s\n", s.Name, s.Arg, s.Help)
	}
}
