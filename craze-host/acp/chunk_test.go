package acp

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"craze/craze-host/agent"

	"github.com/google/go-cmp/cmp"
)

// bare is a loop without an agent, past its start.
func bare(session string) *loop {
	l := newLoop(&Agent{})
	l.phase, l.session = running, session
	return l
}

// slowly handles a line without the chunk scanner.
func slowly(l *loop, line []byte) {
	var e envelope
	if lenient(line, &e) == nil && e.Method != "" && e.ID == nil {
		l.message(&e, line)
	}
}

var chunkLines = map[string]struct {
	line string
	fast bool
}{
	"compact":             {`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"hello "}}}}`, true},
	"spaced":              {`{"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "a b"}}, "_meta": {"n": [1, -2.5e+3, true, null, "\u00e9\ud83d"], "o": {}}}}`, true},
	"thought":             {`{"method":"session/update","params":{"update":{"content":{"text":"x","type":"text"},"sessionUpdate":"agent_thought_chunk"},"sessionId":"s"}}`, true},
	"escapes":             {`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\"\\\/\b\f\n\r\t\u00e9\u0000é😀\u2028"}}}}`, true},
	"empty text":          {`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""}}}}`, true},
	"surrogate pair":      {`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\ud83d\ude00"}}}}`, false},
	"half a pair":         {`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a\ude00b"}}}}`, false},
	"other session":       {`{"method":"session/update","params":{"sessionId":"t","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`, true},
	"text twice":          {`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a","text":"b"}}}}`, false},
	"content twice":       {`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"content":null}}}`, false},
	"escaped name":        {`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","t\u0065xt":"b"}}}}`, false},
	"upper case name":     {`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","Text":"b"}}}}`, false},
	"image":               {`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"AA"}}}}`, false},
	"link":                {`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","uri":"file:///x","name":"x"}}}}`, false},
	"text is a number":    {`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":5}}}}`, false},
	"a request":           {`{"id":1,"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`, false},
	"trailing comma":      {`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}},}}`, false},
	"trailing junk":       {`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}]`, false},
	"bad meta":            {`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}},"_meta":01}}`, false},
	"bad escape in meta":  {`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}},"_meta":"\x"}}`, false},
	"duplicate in meta":   {`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}},"_meta":{"a":1,"a":{"b":[]}}}}`, true},
	"no session":          {`{"method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`, false},
	"user chunk":          {`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"x"}}}}`, false},
	"session is a number": {`{"method":"session/update","params":{"sessionId":1,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`, false},
	"control in text":     {"{\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"a\tb\"}}}}", false},
}

func TestTheChunkScannerTakesTheCommonShapesOnly(t *testing.T) {
	for name, c := range chunkLines {
		t.Run(name, func(t *testing.T) {
			var s chunkScanner
			if _, ok := s.scan([]byte(c.line)); ok != c.fast {
				t.Errorf("taken is %v", ok)
			}
			same(t, []byte(c.line))
		})
	}
}

// same checks that a line says the same with and without the scanner.
func same(t *testing.T, line []byte) {
	t.Helper()
	fast, slow := bare("s"), bare("s")
	if c, ok := fast.scan.scan(line); !ok {
		return // left to the decoder in any case
	} else if fast.ours(string(c.session)) {
		fast.text(c.kind, c.text)
	}
	slowly(slow, line)
	if diff := cmp.Diff(slow.out, fast.out); diff != "" {
		t.Errorf("%s\n%s", line, diff)
	}
	var e envelope
	if err := lenient(line, &e); err != nil {
		t.Errorf("taken, but no JSON: %v\n%q", err, line)
	}
}

func FuzzChunkScanner(f *testing.F) {
	for _, c := range chunkLines {
		f.Add([]byte(c.line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		line = bytes.TrimSpace(bytes.ToValidUTF8(line, []byte(replacement)))
		same(t, line)
	})
}

// FuzzChunkText puts any text into a chunk and wants it back.
func FuzzChunkText(f *testing.F) {
	f.Add("plain", `{"a":[1]}`)
	f.Add("q\"\\\n\u2028😀\x00", `"x"`)
	f.Fuzz(func(t *testing.T, text, meta string) {
		text = strings.ToValidUTF8(text, replacement)
		line := append([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"_meta":`+strings.ToValidUTF8(meta, "")+`,"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":`), quote(nil, text)...)
		line = append(line, "}}}}"...)
		var s chunkScanner
		c, ok := s.scan(line)
		if ok && c.text != text {
			t.Errorf("%q became %q", text, c.text)
		}
		same(t, line)
	})
}

const benchLine = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"ses_dd19a1bb8ffehGrEUmFIoYlY37","update":{"sessionUpdate":"agent_message_chunk","messageId":"msg_22e65e472001O7Hli6M1vE2glh","content":{"type":"text","text":"some words of an answer\n"}}}}`

func BenchmarkChunkDecode(b *testing.B) {
	run := func(name string, handle func(*loop, []byte)) {
		b.Run(name, func(b *testing.B) {
			l := bare("ses_dd19a1bb8ffehGrEUmFIoYlY37")
			line := []byte(benchLine)
			b.ReportAllocs()
			for b.Loop() {
				handle(l, line)
				l.out = l.out[:0]
			}
		})
	}
	run("scanner", (*loop).line)
	run("decoder", slowly)
}

func BenchmarkReader200k(b *testing.B) {
	const lines = 200_000
	all := []byte(strings.Repeat(benchLine+"\n", lines))
	for b.Loop() {
		r, w, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		wrote := make(chan error, 1)
		go func() {
			_, err := io.Copy(w, bytes.NewReader(all))
			wrote <- errors.Join(err, w.Close())
		}()
		if n := readAll(r); n != lines {
			b.Fatal(n)
		}
		if err := errors.Join(<-wrote, r.Close()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/lines, "ns/chunk")
}

// readAll frames and decodes a pipe as an agent's goroutines do.
func readAll(r *os.File) int {
	l, n := bare("ses_dd19a1bb8ffehGrEUmFIoYlY37"), 0
	l.a.cfg.Sink = func(us []agent.Update) { n += len(us) }
	blocks, spare := make(chan block), make(chan []byte, 1)
	go pump(newFramer(&pipeReader{f: r}, lineMax), blocks, spare)
	for blk := range blocks {
		l.block(blk)
		give(spare, blk.data)
		l.flush()
	}
	return n
}
