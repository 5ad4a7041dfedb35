package acp

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// forever outlasts any test; an empty select would be a deadlock to the runtime.
func forever() { <-time.After(time.Hour) }

// script runs one scripted agent. Each behaves badly in one way.
func (f *fake) script(arg string) int {
	name, param, _ := strings.Cut(arg, " ")
	n, _ := strconv.Atoi(param)
	switch name {
	case "echo":
		id := f.greet()
		f.chunk("echo: hi")
		f.endTurn(id)
		return f.drain()
	case "burst":
		id := f.greet()
		for i := range n {
			f.chunk(strconv.Itoa(i) + " ")
		}
		f.endTurn(id)
		return f.drain()
	case "answer-and-exit":
		id := f.greet()
		for i := range 50 {
			f.chunk(strconv.Itoa(i) + " ")
		}
		f.endTurn(id)
		return 0
	case "request-in-order":
		return f.requestInOrder()
	case "long-line":
		return f.longLines(n)
	case "bad-lines":
		return f.badLines()
	case "last-line":
		id := f.greet()
		fmt.Fprintf(f.out, `{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"refusal"}}`, id)
		f.flush()
		return 0
	case "hang-start":
		fmt.Fprintln(os.Stderr, "waiting for a login that never comes")
		return f.drain()
	case "crash-start":
		fmt.Fprint(os.Stderr, "\x1b[31mError: the keychain is locked.\x1b[0m\n\n  Unlock it and try again.\n")
		return 7
	case "exit-start":
		return 0
	case "crash":
		f.greet()
		f.chunk("so far")
		f.flush()
		fmt.Fprintln(os.Stderr, "panic: out of words")
		return 3
	case "killed":
		f.greet()
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL) // does not return
	case "deaf":
		return f.deaf()
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		id := f.greet()
		f.chunk("ready")
		f.endTurn(id)
		f.drain()
		forever()
		return 0
	case "grandchild", "orphan":
		return f.grandchild(name == "orphan")
	case "sleep":
		forever()
		return 0
	case "closes-stdout":
		f.greet()
		_ = os.Stdout.Close()
		return f.drain()
	case "settings":
		return f.settings()
	case "auth-refused":
		return f.authRefused(false)
	case "auth-hangs":
		return f.authRefused(true)
	case "asks":
		return f.asks()
	case "odd-ids":
		return f.oddIDs()
	case "stderr":
		id := f.greet()
		for i := range 200 {
			fmt.Fprintf(os.Stderr, "note %d \x1b]0;spoof\x07\n", i)
		}
		f.endTurn(id)
		return f.drain()
	case "cut-runes":
		id := f.greet()
		f.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"ses-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a\ud83d"}}}}`)
		f.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"ses-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\ude00b\uD83D"}}}}`)
		f.chunk("c")
		f.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"ses-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"d\\ud83d"}}}}`)
		f.endTurn(id)
		return f.drain()
	}
	return 9
}

func (f *fake) ask(id, tool string) {
	f.line(`{"jsonrpc":"2.0","id":%s,"method":"session/request_permission","params":{"sessionId":"ses-1","toolCall":{"toolCallId":%q,"title":"run it"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}}`, id, tool)
}

func (f *fake) requestInOrder() int {
	id := f.greet()
	for i := range 200 {
		f.chunk(strconv.Itoa(i) + " ")
	}
	f.ask("0", "t1")
	f.chunk("after")
	f.flush()
	m, _ := f.read()
	f.chunk(string(m.Result))
	f.endTurn(id)
	return f.drain()
}

func (f *fake) longLines(n int) int {
	id := f.greet()
	f.chunk("before ")
	f.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"ses-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}`, strings.Repeat("x", n))
	f.chunk(" after")
	f.endTurn(id)
	return f.drain()
}

func (f *fake) badLines() int {
	id := f.greet()
	for _, bad := range []string{
		"starting up...", `{"jsonrpc":"2.0",`, "\xff\xfe{}", `[]`, `"text"`, `{"jsonrpc":"2.0","id":99,"result":{}}`,
		`{"id":null,"error":{"code":-32700,"message":"parse error"}}`, `{"a":1}{"b":2}`, `{"method":5}`, `{}`,
		`{"jsonrpc":"2.0","method":"session/update","params":[]}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"ses-1","update":{"sessionUpdate":"new_kind","x":1}}}`,
		`{"jsonrpc":"2.0","method":"_x.ai/anything","params":{}}`, "",
	} {
		f.chunk(".")
		f.line("%s", bad)
	}
	f.endTurn(id)
	return f.drain()
}

// deaf takes the first prompt and nothing more.
func (f *fake) deaf() int {
	f.greet()
	f.chunk("deaf")
	f.flush()
	forever()
	return 0
}

// grandchild leaves a child that holds the pipes, in the agent's group or out
// of it.
func (f *fake) grandchild(away bool) int {
	id := f.greet()
	exe, _ := os.Executable()
	c := exec.Command(exe)
	c.Env = append(os.Environ(), fakeEnv+"=script sleep")
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: away}
	if err := c.Start(); err != nil {
		return 8
	}
	f.chunk(strconv.Itoa(c.Process.Pid))
	f.endTurn(id)
	return 0
}

func (f *fake) settings() int {
	const options = `"configOptions":[{"id":"m","name":"Model","category":"model","type":"select","currentValue":%q,"options":[{"group":"g","name":"G","options":[{"value":"a","name":"A"},{"value":"b","name":"B"}]}]},{"id":"e","category":"thought_level","type":"select","currentValue":"low","options":[{"value":"low"},{"value":"high"}]},{"id":"fast","type":"boolean","currentValue":true}]`
	modes := `"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code","description":"writes"}]}`
	for {
		m, ok := f.read()
		if !ok {
			return 0
		}
		switch m.Method {
		case "initialize":
			f.line(`{"jsonrpc":"2.0","id":%s.0,"result":{"protocolVersion":1}}`, m.ID)
		case "session/new":
			f.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"ses-1","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"early"}]}}}`)
			f.chunk("early")
			f.line(`{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"ses-1",%s,`+options+`}}`, m.ID, modes, "a")
		case "session/set_config_option":
			f.line(`{"jsonrpc":"2.0","id":%s,"result":{`+options+`}}`, m.ID, "b")
		case "session/set_mode":
			f.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"Invalid params","data":"no such mode"}}`, m.ID)
		}
		f.flush()
	}
}

func (f *fake) authRefused(hang bool) int {
	for {
		m, ok := f.read()
		if !ok {
			return 0
		}
		switch {
		case m.Method == "initialize":
			f.line(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1,"authMethods":[{"id":"key","name":"API key","description":"Run agent login"}]}}`, m.ID)
		case !hang:
			f.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"Authentication required"}}`, m.ID)
		}
		f.flush()
	}
}

// asks opens two asks, waits for one answer and ends the turn; then it asks
// with no turn running, and says what it was told.
func (f *fake) asks() int {
	id := f.greet()
	f.ask("0", "t1")
	f.ask(`"two"`, "t1")
	f.flush()
	first, _ := f.read()
	f.chunk(string(first.ID) + string(first.Result))
	f.endTurn(id)
	second, _ := f.read()
	f.ask("3", "t2")
	f.flush()
	third, _ := f.read()
	f.chunk(string(second.ID) + string(second.Result) + string(third.ID) + string(third.Result))
	f.flush()
	return f.drain()
}

// oddIDs sends requests nobody serves, with every kind of id.
func (f *fake) oddIDs() int {
	id := f.greet()
	for _, odd := range []string{"7", `"x\ud83d"`, "null", "1.5", "{\"a\" :\t1}"} {
		f.line(`{"jsonrpc":"2.0","id":%s,"method":"fs/read_text_file","params":{"path":"/x"}}`, odd)
		f.flush()
		line, err := f.in.ReadString('\n')
		if err != nil {
			return 8
		}
		f.chunk(line)
	}
	f.endTurn(id)
	return f.drain()
}
