package peer

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Turn is one prompt being answered, in its session.
type Turn struct {
	*Session
	Number int    // from 1, in its session
	Prompt string // the text of its blocks

	id     jsontext.Value // the request to answer
	cancel context.CancelFunc
}

// startTurn runs the Prompt hook in a goroutine that ends with the hook.
func (p *peer) startTurn(s *Session, id jsontext.Value, prompt string) {
	ctx, cancel := context.WithCancel(p.life)
	s.turns++
	s.turn = &Turn{Session: s, Number: s.turns, Prompt: prompt, id: id, cancel: cancel}
	p.running++
	go func(t *Turn) {
		e := ending{turn: t, stop: EndTurn}
		if hook := p.cfg.Behaviour.Prompt; hook != nil {
			e.stop, e.err = hook(ctx, t)
		}
		p.report(e)
	}(s.turn)
}

// report hands an ending to Run's goroutine, unless that has ended.
func (p *peer) report(e ending) {
	select {
	case p.ended <- e:
	case <-p.done:
	}
}

// end answers the prompt of a turn that is over and starts its After hook. The
// session is idle before the answer is written, since a client may send the
// next prompt as soon as it reads it. An error is the end of the agent.
func (p *peer) end(e ending) error {
	p.running--
	if e.after {
		return nil
	}
	e.turn.cancel()
	e.turn.Session.turn = nil
	var refused *Error
	switch {
	case errors.Is(e.err, ErrSilent):
		return nil
	case errors.As(e.err, &refused):
		p.refuse(e.turn.id, refused)
	case e.err != nil:
		return e.err
	default:
		p.answer(e.turn.id, promptResult{StopReason: e.stop})
	}
	if after := p.cfg.Behaviour.After; after != nil {
		p.running++
		go func() { // ends with the hook
			after(p.life, e.turn)
			p.report(ending{turn: e.turn, after: true})
		}()
	}
	return nil
}

type promptResult struct {
	StopReason string `json:"stopReason"`
}

type chunk struct {
	Kind      string  `json:"sessionUpdate"`
	MessageID string  `json:"messageId"`
	Content   Content `json:"content"`
}

func (t *Turn) chunk(kind, prefix, text string) chunk {
	return chunk{Kind: kind, MessageID: fmt.Sprintf("%s-%d", prefix, t.Number), Content: TextContent(text)}
}

// Text streams a chunk of the answer.
func (t *Turn) Text(text string) { t.Update(t.chunk("agent_message_chunk", "msg", text)) }

// Thought streams a chunk of reasoning.
func (t *Turn) Thought(text string) { t.Update(t.chunk("agent_thought_chunk", "thought", text)) }

// ToolID names the turn's nth tool call, from 1.
func (t *Turn) ToolID(n int) string { return fmt.Sprintf("tool-%d-%d", t.Number, n) }

// placeholder is a text that JSON leaves as it is and that no frame holds
// otherwise.
const placeholder = "\u00a7text\u00a7"

// Burst streams n chunks of the answer, in writes of perWrite chunks, until
// ctx ends. Each is encoded by splicing text's bytes into a frame made once, so
// text must append only bytes that need no escape in a JSON string.
func (t *Turn) Burst(ctx context.Context, n, perWrite int, text func(b []byte, i int) []byte) error {
	frame := encode(notification{
		JSONRPC: jsonrpc, Method: methodUpdate,
		Params: updateParams{SessionID: t.ID, Update: t.chunk("agent_message_chunk", "msg", placeholder)},
	})
	before, after, _ := bytes.Cut(append(frame, '\n'), []byte(placeholder))
	var b []byte
	for i := range n {
		b = append(text(append(b, before...), i), after...)
		if (i+1)%perWrite != 0 && i != n-1 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		t.Raw(b)
		b = b[:0]
	}
	return nil
}
