package script

import (
	"fmt"
	"strings"

	"craze/craze-fake-agent/internal/peer"
)

// Script is one way for the agent to behave.
type Script struct {
	Name string
	Arg  string // what its argument is, for people; "" when it takes none
	Help string // one line

	behave func(arg string) (peer.Behaviour, error)
}

// Behaviour is the script's behaviour with an argument, "" for none. It fails
// when the argument is not one the script takes.
func (s Script) Behaviour(arg string) (peer.Behaviour, error) {
	if s.Arg == "" && arg != "" {
		return peer.Behaviour{}, fmt.Errorf("script %s takes no argument", s.Name)
	}
	b, err := s.behave(arg)
	if err != nil {
		return peer.Behaviour{}, fmt.Errorf("script %s %s: %w", s.Name, s.Arg, err)
	}
	return b, nil
}

// Default is the script of an agent that was not told one.
const Default = "echo"

// All lists the scripts, those that behave well first.
func All() []Script {
	return []Script{
		{"demo", "", "a friendly turn: lists the folder; \"permission\" in the prompt asks first, \"slow\" streams slowly", plain(demo)},
		{"echo", "", "answers \"echo: <prompt>\" in two chunks", plain(turns(echo))},
		{"tool", "", "a tool call from pending to completed, then text", plain(turns(tool))},
		{"ask", "", "a tool call that asks for permission, then says the answer", plain(turns(ask))},
		{"diff", "", "an edit and a new file, as diffs", plain(turns(diff))},
		{"todos", "", "a plan of three tasks, worked off", plain(turns(todos))},
		{"title", "", "titles the session with the prompt", plain(turns(title))},
		{"commands", "", "offers slash commands at the start, and others in each turn", plain(commands)},
		{"models", "[member]", "adds a model and switches to it; member: models as session/new's models member", models},
		{"slow", "[MS[,MAX]]", "a chunk every 50 ms (MS) until cancelled, or MAX chunks", slow},
		{"burst", "[N[,PER]]", "2000 (N) chunks as fast as the pipe takes them, PER to a write (1)", burst},
		{"long", "[BYTES]", "an answer of 2 MiB (BYTES) in chunks of 32 KiB", long},
		{"late", "", "updates after the prompt is answered, the last 50 ms after", plain(late)},
		{"unknown-request", "", "a request that clients do not serve, then says the answer", plain(turns(unknownRequest))},
		{"error", "", "answers each prompt with a JSON-RPC error", plain(turns(refuse))},
		{"garbage", "", "lines that are no message between those that are", plain(turns(garbage))},
		{"crash", "", "some text, words on stderr, exit 3", plain(turns(crash))},
		{"crash-start", "[early|late]", "exit 1 at initialize; early: before reading it; late: once it is answered", crashStart},
		{"hang-start", "", "never answers initialize", plain(hangStart)},
		{"hang", "", "never answers a prompt, ignores cancel", plain(hang)},
		{"deaf", "", "reads nothing once a prompt has begun, and keeps streaming", plain(deaf)},
		{"stubborn", "", "echo, but ignores SIGTERM and the end of its stdin", plain(stubborn)},
		{"forks", "[stubborn]", "starts a child that holds stdout and sleeps, and says its pid; stubborn: one that ignores SIGTERM", forks},
		{"asleep", "", "no agent at all: neither reads nor writes, and holds its pipes open", plain(asleep)},
	}
}

// names lists what a script may be called, for an error.
func names() string {
	var all []string
	for _, s := range All() {
		all = append(all, s.Name)
	}
	return strings.Join(all, ", ")
}

// plain makes a script's function of a behaviour that takes no argument.
func plain(behave func() peer.Behaviour) func(string) (peer.Behaviour, error) {
	return func(string) (peer.Behaviour, error) { return behave(), nil }
}
