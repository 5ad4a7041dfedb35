package fakemodel

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// What the script puts before a text, so that a test can tell who said it.
const (
	echoPrefix = "echo: "
	toolPrefix = "tool said: "
)

// textLimit is how many characters of a text are said back: enough to recognise
// it, and short of the system prompt that some agents put into a user's text.
const textLimit = 400

// wordLimit bounds LONG, so that a typing error does not ask for gigabytes.
const wordLimit = 1_000_000

var (
	errPattern  = regexp.MustCompile(`\bERR:(\d{3})\b`)
	longPattern = regexp.MustCompile(`\bLONG:(\d{1,9})\b`)
	slowPattern = regexp.MustCompile(`\bSLOW:(\d{1,9})\b`)
	toolPattern = regexp.MustCompile(`\bTOOL:([\w.-]+):`)

	// grok wraps what the user wrote, with facts of its own around it.
	queryPattern = regexp.MustCompile(`(?s)<user_query>\s*(.*?)\s*</user_query>`)

	// A chunk is a word with the blanks after it, as real models stream.
	chunkPattern = regexp.MustCompile(`\S+\s*|\s+`)
)

// answer is what the model does next: it fails with a status, calls a tool or
// says a text.
type answer struct {
	model  string
	status int // 0 unless the script asks for a failure
	call   *call
	text   string
	pause  time.Duration // before every chunk after the first
}

type call struct {
	id        string
	name      string
	arguments string // JSON
}

// next decides the answer to a conversation.
func next(c conversation) answer {
	user := c.last(roleUser)
	a := answer{model: c.model, pause: time.Duration(number(slowPattern, user)) * time.Millisecond}
	if status := number(errPattern, user); status >= http.StatusBadRequest {
		a.status = status
		return a
	}
	if c.afterTool() {
		a.text = toolPrefix + head(c.last(roleTool))
		return a
	}
	if words := number(longPattern, user); words > 0 {
		a.text = long(min(words, wordLimit))
		return a
	}
	if c.tools {
		a.call = toolCall(user, c.results()+1)
	}
	if a.call == nil {
		a.text = echoPrefix + tail(query(user))
	}
	return a
}

// chunks is the answer's text as it is streamed.
func (a answer) chunks() []string { return chunkPattern.FindAllString(a.text, -1) }

func number(p *regexp.Regexp, text string) int {
	m := p.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // the patterns admit only what fits
	return n
}

// toolCall is the call that a text asks for, nil if its JSON is not whole: a text
// that only talks about TOOL: is echoed. n makes ids differ within a session.
func toolCall(text string, n int) *call {
	m := toolPattern.FindStringSubmatchIndex(text)
	if m == nil {
		return nil
	}
	var arguments json.RawMessage
	if err := json.NewDecoder(strings.NewReader(text[m[1]:])).Decode(&arguments); err != nil {
		return nil
	}
	return &call{id: "call_" + strconv.Itoa(n), name: text[m[2]:m[3]], arguments: string(arguments)}
}

func query(text string) string {
	if m := queryPattern.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return text
}

func long(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = "word" + strconv.Itoa(i)
	}
	return strings.Join(words, " ")
}

// head and tail cut a text by characters: half a character would be bytes that
// are not UTF-8, which is a fault an agent is tested for elsewhere.
func head(text string) string {
	r := []rune(text)
	return string(r[:min(len(r), textLimit)])
}

func tail(text string) string {
	r := []rune(text)
	return string(r[max(0, len(r)-textLimit):])
}
