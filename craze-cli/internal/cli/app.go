package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	ucli "github.com/urfave/cli/v2"

	"craze/shared/proto"
	"craze/shared/text"
)

// Env is the process's surroundings, as main found them.
type Env struct {
	Stdin    io.Reader
	Stdout   io.Writer
	Stderr   io.Writer
	Getenv   func(string) string
	Environ  []string
	Version  string
	StdinTTY bool
	Width    int // of the terminal stdout is, in cells; 0 is no terminal
}

// Exit codes of a command that waits for a turn.
const (
	exitDone      = 0
	exitError     = 1
	exitUsage     = 2
	exitFailed    = 3
	exitCancelled = 4
	exitAsks      = 5
	exitEnded     = 6
	exitTimeout   = 124
)

// exitErr ends a command with a code. An empty message has been told already.
type exitErr struct {
	code int
	msg  string
	err  error // what is behind it, so that a refusal can be printed whole
}

func (e exitErr) Error() string { return e.msg }

func (e exitErr) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return exitErr{code: exitUsage, msg: fmt.Sprintf(format, args...)}
}

// Run runs one command line, the program's name left out, and gives the code
// to exit with.
func Run(ctx context.Context, args []string, env Env) int {
	a := &app{env: env}
	app := &ucli.App{
		Name: "craze-cli", Usage: "start, list and steer agent sessions", HideVersion: true,
		Writer: env.Stdout, ErrWriter: io.Discard, Commands: a.commands(),
		ExitErrHandler:            func(*ucli.Context, error) {},
		OnUsageError:              badFlag,
		DisableSliceFlagSeparator: true,
		CommandNotFound:           func(*ucli.Context, string) { a.lost = true },
		Action:                    a.noCommand,
	}
	args, err := permute(args, app.Commands)
	if err == nil {
		err = app.RunContext(ctx, append([]string{"craze-cli"}, args...))
	}
	if err == nil && a.lost { // help of what is not there
		err = usage("no such command (craze-cli help lists them)")
	}
	if err != nil && ctx.Err() != nil {
		return exitError // a signal ended it: nothing failed that is worth a line
	}
	return a.exit(err)
}

// badFlag words a flag's mistake without what was typed.
func badFlag(*ucli.Context, error, bool) error {
	return usage("a flag is unknown, or its value is missing or wrong; craze-cli help COMMAND lists them")
}

// noCommand is reached with no command, or one that is not there.
func (a *app) noCommand(c *ucli.Context) error {
	if c.NArg() == 0 {
		return ucli.ShowAppHelp(c)
	}
	msg := "no such command"
	if near := nearest(c.Args().First(), c.App.Commands); near != "" {
		msg += "; did you mean " + near + "?"
	}
	return usage("%s (craze-cli help lists them)", msg)
}

// exit tells a failure and gives its code.
func (a *app) exit(err error) int {
	if err == nil {
		return exitDone
	}
	code := exitError
	if e, ok := errors.AsType[exitErr](err); ok {
		code = e.code
		if e.msg == "" {
			return code
		}
	}
	if a.json && code != exitUsage {
		a.printJSON(failure{wireError(err)})
		return code
	}
	// what a host or its agent said of the failure is theirs, so it is cleaned
	fmt.Fprintln(a.env.Stderr, "craze:", strings.ReplaceAll(text.Clean(err.Error()), "\n", ": "))
	return code
}

type failure struct {
	Error *proto.Error `json:"error"`
}

// wireError is a refusal whole, or a failure of our own in its shape.
func wireError(err error) *proto.Error {
	if e, ok := errors.AsType[*proto.Error](err); ok {
		return e
	}
	return proto.Refuse(proto.CodeFailed, proto.ReasonFailed, "%s", err)
}

// app is one run of the program.
type app struct {
	env  Env
	json bool // the command was asked for JSON
	lost bool // help was asked of a command that is not there
}

func (a *app) printf(format string, args ...any) { fmt.Fprintf(a.env.Stdout, format, args...) }
func (a *app) notef(format string, args ...any)  { fmt.Fprintf(a.env.Stderr, format, args...) }

// printJSON prints one value on a line of its own.
func (a *app) printJSON(v any) {
	b, err := json.Marshal(v)
	if err != nil { // only a caller's mistake can make one
		panic("cli: print JSON: " + err.Error())
	}
	a.printf("%s\n", b)
}

// command makes one command of the program.
func (a *app) command(name, args, about string, run func(*ucli.Context) error, flags ...ucli.Flag) *ucli.Command {
	return &ucli.Command{
		Name: name, Usage: about, ArgsUsage: args, Flags: flags, OnUsageError: badFlag, HideHelpCommand: true,
		Action: func(c *ucli.Context) error {
			a.json = c.Bool("json")
			return run(c)
		},
	}
}

func (a *app) commands() []*ucli.Command {
	jsonFlag := &ucli.BoolFlag{Name: "json", Usage: "print one JSON object"}
	return []*ucli.Command{
		a.command("ps", "", "list every session of this machine", a.ps, jsonFlag,
			&ucli.BoolFlag{Name: "no-hub", Usage: "ask each host, not the hub"}),
		a.command("new", "[PROMPT...]", "start a session in the background", a.new, append(waitFlags(), jsonFlag,
			&ucli.StringFlag{Name: "C", Usage: "run in `DIR`"},
			&ucli.StringFlag{Name: "provider", Usage: "the agent provider's `ID`"},
			&ucli.StringFlag{Name: "model", Usage: "start on `MODEL`"},
			&ucli.StringFlag{Name: "effort", Usage: "start at `EFFORT`"},
			&ucli.BoolFlag{Name: "fast", Usage: "start fast"},
			&ucli.BoolFlag{Name: "no-fast", Usage: "start not fast"},
			&ucli.BoolFlag{Name: "no-force", Usage: "ask before a tool runs"},
			&ucli.BoolFlag{Name: "wait", Usage: "wait for the answer and print it"})...),
		a.command("send", "SESSION [TEXT...]", "send a prompt", a.send, append(waitFlags(), jsonFlag,
			&ucli.BoolFlag{Name: "wait", Usage: "wait for the answer and print it"})...),
		a.command("wait", "SESSION", "wait until a session is idle, asks, fails or ends", a.onSession(a.wait), append(waitFlags(), jsonFlag)...),
		a.command("log", "SESSION", "print the transcript", a.onSession(a.log), jsonFlag,
			&ucli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on as it grows"}),
		a.command("asks", "SESSION", "list what a session asks", a.onSession(a.asks), jsonFlag),
		a.command("answer", "SESSION ASK", "answer an ask; ASK is an id, in short, or head", a.answer, jsonFlag,
			&ucli.BoolFlag{Name: "allow", Usage: "allow once"},
			&ucli.BoolFlag{Name: "always", Usage: "allow from here on"},
			&ucli.BoolFlag{Name: "reject", Usage: "do not allow; do not accept"},
			&ucli.StringSliceFlag{Name: "option", Usage: "the option `ID` (once for each question)"},
			&ucli.BoolFlag{Name: "accept", Usage: "accept a plan"},
			&ucli.BoolFlag{Name: "skip", Usage: "skip a question"}),
		a.command("cancel", "SESSION", "cancel the running turn", a.onSession(a.cancel), jsonFlag),
		a.command("stop", "SESSION", "end a session and its host", a.onSession(a.stop), jsonFlag),
		a.command("bridge", "", "carry one connection over stdin and stdout", a.bridge,
			&ucli.StringFlag{Name: "session", Usage: "to the host of session `ID`"},
			&ucli.BoolFlag{Name: "hub", Usage: "to the hub"}),
		a.command("version", "", "print the version", func(c *ucli.Context) error {
			if c.NArg() > 0 {
				return usage("version takes no argument")
			}
			a.printf("craze %s\n", a.env.Version)
			return nil
		}),
	}
}

func waitFlags() []ucli.Flag {
	return []ucli.Flag{
		&ucli.DurationFlag{Name: "timeout", Usage: "give up after `D`"},
		&ucli.IntFlag{Name: "max-message", Value: maxMessage, Usage: "print at most `N` bytes of the message"},
	}
}
