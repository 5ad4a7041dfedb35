// Command fakemodel runs the scripted model server by hand: it prints the URL to
// give to an agent, then every request it is sent, and ends with an interrupt.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"craze/tests/fakemodel"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run prints the requests until ctx ends.
func run(ctx context.Context) error {
	s, err := fakemodel.Start(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Println(s.URL())
	for printed := 0; ; printed++ {
		more := func(requests []fakemodel.Request) bool { return len(requests) > printed }
		if s.Await(ctx, more) != nil {
			return nil
		}
		r := s.Requests()[printed]
		fmt.Printf("%s %s %s\n", r.Method, r.Path, r.Body)
	}
}
