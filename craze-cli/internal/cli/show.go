package cli

import (
	"craze/craze-cli/internal/render"
	"craze/shared/text"
)

// timeoutWords say what a wait that was given up leaves behind.
const timeoutWords = "the timeout passed; the session goes on"

// show prints how a wait ended: the message on stdout, the rest on stderr.
func (a *app) show(t *target, r result) {
	if a.json {
		a.printJSON(r)
		return
	}
	if r.Outcome == timedOut { // half a message is no result
		a.notef("craze: %s\n", timeoutWords)
		return
	}
	if r.Message != "" {
		a.printf("%s\n", text.Clean(r.Message))
	}
	if r.File != "" {
		a.printf("(the whole message is in %s)\n", r.File)
	}
	switch r.Outcome {
	case asking:
		a.printf("%s", render.Ask(short(t.id), *r.Ask))
	case failed:
		a.notef("craze: the turn failed: %s\n", text.OneLine(r.Err, 500))
	case cancelled:
		a.notef("craze: the turn was cancelled\n")
	case ended:
		why := "the session has ended"
		if r.Err != "" {
			why = text.OneLine(r.Err, 500)
		}
		a.notef("craze: %s\n", why)
	}
}
