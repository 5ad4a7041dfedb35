// Command craze is the terminal view of an agent session, and the front door
// of every other command.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	tea "github.com/charmbracelet/bubbletea"

	"craze/craze-tui/internal/feed"
	"craze/craze-tui/internal/launch"
	"craze/craze-tui/internal/ui"
	"craze/craze-tui/internal/view"
	"craze/shared/client"
)

// Version is the craze version; the build sets it.
var Version = "dev"

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	attach := len(args) > 0 && args[0] == "attach"
	if len(args) > 0 && !attach && !strings.HasPrefix(args[0], "-") {
		path, argv, err := launch.Sibling(args)
		if err == nil {
			err = syscall.Exec(path, argv, os.Environ())
		}
		return fail(err)
	}
	if !launch.IsTerminal(os.Stdin) || !launch.IsTerminal(os.Stdout) {
		fmt.Fprintln(os.Stderr, "craze: this is not a terminal; craze new starts a session without one")
		return 2
	}
	var l launch.Launch
	var err error
	if attach {
		l, err = launch.Attach(args[1:], os.Getenv)
	} else {
		l, err = launch.Start(context.Background(), args, os.Getenv, os.Environ())
	}
	if err != nil {
		return fail(err)
	}
	return fail(show(l))
}

// show runs the view until it closes. SIGHUP and SIGTERM close the view alone.
func show(l launch.Launch) error {
	ctx := context.Background()
	s, err := l.Open(ctx, Version)
	if err != nil {
		return err
	}
	defer s.Close()
	st, err := s.Attach(ctx, client.AttachOptions{When: "now"})
	if err != nil {
		return err
	}
	styles := view.Styles{}
	if os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
		styles = view.Colour()
	}
	m := ui.New(s, styles)
	p := tea.NewProgram(m, tea.WithAltScreen(), tea.WithMouseCellMotion())
	f := feed.Start(st, func(b feed.Batch) { p.Send(b) })
	defer f.Close()
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	closed := make(chan struct{})
	go func() { // ends with the view
		select {
		case <-hup:
			p.Quit() // the terminal has gone; the session stays
		case <-closed:
		}
	}()
	_, err = p.Run()
	close(closed)
	if errors.Is(err, tea.ErrProgramKilled) || errors.Is(err, tea.ErrInterrupted) {
		return nil
	}
	if err == nil && m.Quit.Err != nil && !errors.Is(m.Quit.Err, io.EOF) {
		err = fmt.Errorf("the session can no longer be followed: %w", m.Quit.Err)
	}
	return err
}

func fail(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "craze:", strings.ReplaceAll(err.Error(), "\n", ": "))
	if errors.Is(err, launch.ErrUsage) {
		return 2
	}
	return 1
}
