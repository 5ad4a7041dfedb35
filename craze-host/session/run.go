package session

import (
	"context"
	"runtime"
	"time"

	"craze/craze-host/agent"
	"craze/shared/proto"
)

// Run owns the session until its agent has exited after a Close, or ctx ends.
// a may be nil when the agent could not be built; its StartFailed and Exited
// must then have been delivered, or be. Run closes a when ctx ends, and does
// not wait for it then.
func (s *Session) Run(ctx context.Context, a agent.Agent) error {
	defer close(s.done)
	defer s.cfg.Log.End()
	s.agent = a
	effects := make([]effect, 0, 16)
	for !s.st.over() {
		in, err := s.next(ctx)
		if err != nil {
			if a != nil {
				a.Close()
			}
			return err
		}
		effects = s.handle(in, effects)
	}
	return nil
}

func (s *Session) next(ctx context.Context) (input, error) {
	if len(s.again) > 0 {
		in := s.again[0]
		s.again = s.again[1:]
		return in, nil
	}
	select {
	case in := <-s.inbox:
		return in, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// yieldEvery is after how many updates of one input the readers of the log are
// let run, where they lag. A burst otherwise keeps this goroutine on its
// processor until their budgets are spent, though nothing is wrong with them.
const yieldEvery = 64

// handle takes one input. effects is scratch space.
func (s *Session) handle(in input, effects []effect) []effect {
	now := s.cfg.Now().UTC()
	switch in := in.(type) {
	case reading:
		in.f(s, now)
	case said:
		for i, u := range in.updates {
			effects = s.perform(stepAgent(&s.st, u, now, effects[:0]))
			if i%yieldEvery == yieldEvery-1 && s.cfg.Log.Lagging() {
				runtime.Gosched()
			}
		}
		if s.cfg.Log.Lagging() {
			runtime.Gosched()
		}
	case command:
		effects = s.perform(stepCommand(&s.st, in, now, effects[:0]))
	case closing:
		effects = s.perform(stepClose(&s.st, now, effects[:0]))
	}
	s.st.noteState(now)
	return effects
}

// perform does what a step decided, in order, and gives the space back.
func (s *Session) perform(effects []effect) []effect {
	for i := range effects {
		e := &effects[i]
		switch e.kind {
		case emit:
			s.fold.Fold(s.cfg.Log.Append(&e.ev), &e.ev)
		case reply:
			e.out <- e.answer
		case agentPrompt, agentCancel, agentTell, agentClose:
			s.tellAgent(e)
		case opened:
			s.open()
		case logEnd:
			s.cfg.Log.End()
		case index:
			if s.cfg.OnIndex != nil {
				s.cfg.OnIndex(e.index)
			}
		case note:
			if s.cfg.OnNote != nil {
				s.cfg.OnNote(e.note)
			}
		}
		*e = effect{}
	}
	return effects[:0]
}

func (s *Session) open() {
	if !s.begun {
		s.begun = true
		close(s.ready)
	}
}

// tellAgent hands the agent something. An agent that cannot take it fails the
// turn it belongs to, as an update like any other of the agent's.
func (s *Session) tellAgent(e *effect) {
	if s.agent == nil {
		return
	}
	var err error
	turn := e.turn
	switch e.kind {
	case agentPrompt:
		err = s.agent.Prompt(e.turn, e.text)
	case agentCancel:
		err = s.agent.Cancel()
	case agentTell:
		err = s.agent.Answer(e.ask, e.reply)
	case agentClose:
		s.agent.Close()
	}
	if err == nil || turn == "" {
		return
	}
	s.again = append(s.again, said{[]agent.Update{agent.TurnEnded{
		Turn: turn, Err: &proto.EventErr{Message: err.Error(), Class: proto.ErrOther},
	}}})
}

// clockOf stamps an event.
func clockOf(ev proto.Event, now time.Time) effect {
	ev.At = now
	return effect{kind: emit, ev: ev}
}
