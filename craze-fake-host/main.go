// Command craze-fake-host serves a scripted session with the real control
// server and the real session behind it, for authors of clients.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"craze/craze-fake-host/internal/serve"
)

const usage = `usage: craze-fake-host --socket PATH | --registry ROOT [--host-id ID] [--session-id ID]

It prints one ready line, then reads ops from stdin, one JSON object a line:
text, thought, tool, permission, question, plan, end, hang_next, quit.
`

func main() {
	os.Exit(run())
}

func run() int {
	var cfg serve.Config
	f := flag.NewFlagSet("craze-fake-host", flag.ContinueOnError)
	f.StringVar(&cfg.Socket, "socket", "", "serve at this path, listed nowhere")
	f.StringVar(&cfg.Registry, "registry", "", "bind and list as a host does; stands for HOME")
	f.StringVar(&cfg.HostID, "host-id", "0123456789ab", "twelve lower-case hex digits")
	f.StringVar(&cfg.SessionID, "session-id", "session-fake-1", "the craze session id")
	f.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	if f.Parse(os.Args[1:]) != nil || f.NArg() > 0 || (cfg.Socket == "") == (cfg.Registry == "") {
		f.Usage()
		return 2
	}
	cfg.Ops, cfg.Out, cfg.Log = os.Stdin, os.Stdout, os.Stderr
	if err := serve.Run(context.Background(), cfg); err != nil {
		fmt.Fprintln(os.Stderr, "craze-fake-host:", err)
		return 1
	}
	return 0
}
