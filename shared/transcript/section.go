package transcript

import (
	"slices"

	"craze/shared/proto"
)

func (s *State) setTodos(todos []proto.Todo) {
	list, cut := fit(&todos, walkTodos, s.lim.str)
	s.todos, s.todosCut = *list, cut
	if len(s.todos) == 0 {
		s.todos = nil
	}
	if len(s.todos) > 0 {
		s.main.todoPlanned = true
	}
	s.main.todoDone = todosDone(s.todos)
}

func todosDone(todos []proto.Todo) bool {
	for _, t := range todos {
		if t.Status != proto.ToolCompleted && t.Status != proto.ToolCancelled {
			return false
		}
	}
	return len(todos) > 0
}

// openAsk folds an ask's opening. A plan is drawn in the transcript too.
func (s *State) openAsk(ev *proto.Event) {
	ask, ok := opening(ev)
	if !ok {
		return
	}
	ask.At = stamp(ev.At)
	fitted := s.fitAsk(ask)
	if i := s.ask(fitted.ID); i >= 0 {
		s.asks[i] = fitted
		return
	}
	s.asks = append(s.asks, fitted)
	s.drawPlan(fitted)
}

func (s *State) fitAsk(ask Ask) *Ask {
	if p := ask.Body.Permission; p != nil && p.Tool != nil {
		if at := stamp(p.Tool.At); at != p.Tool.At {
			perm, tool := *p, *p.Tool
			tool.At, perm.Tool = at, &tool
			ask.Body.Permission = &perm
		}
	}
	fitted, cut := fit(&ask, walkAsk, s.lim.str)
	fitted.Truncated = cut
	return fitted
}

func opening(ev *proto.Event) (Ask, bool) {
	switch {
	case ev.Type == proto.EvPermission && ev.Permission != nil:
		return Ask{ID: ev.Permission.ID, Kind: proto.AskPermission, Body: proto.AskBody{Permission: ev.Permission}}, true
	case ev.Type == proto.EvQuestion && ev.Question != nil:
		return Ask{ID: ev.Question.ID, Kind: proto.AskQuestion, Body: proto.AskBody{Question: ev.Question}}, true
	case ev.Type == proto.EvPlan && ev.Plan != nil:
		return Ask{ID: ev.Plan.ID, Kind: proto.AskPlan, Body: proto.AskBody{Plan: ev.Plan}}, true
	}
	return Ask{}, false
}

func (s *State) ask(id string) int {
	return slices.IndexFunc(s.asks, func(a *Ask) bool { return a.ID == id })
}

func (s *State) drawPlan(a *Ask) {
	if a.Body.Plan == nil {
		return
	}
	e := s.add(&s.main, Entry{Kind: KindPlan, Plan: a.Body.Plan, At: a.At, End: a.At})
	e.Cut = a.Truncated
}

// endAsk folds an ask's ending. One that was never opened brings its body.
func (s *State) endAsk(ev *proto.Event) {
	a := ev.Ask
	if a == nil {
		return
	}
	at := stamp(ev.At)
	ended := Ended{ID: a.ID, Kind: a.Kind, Outcome: a.Outcome, By: a.By, At: at}
	fitted, _ := fit(&ended, walkEnded, s.lim.str)
	s.ended = append(s.ended, *fitted)
	if n := len(s.ended) - EndedMax; n > 0 {
		s.ended = slices.Delete(s.ended, 0, n)
	}
	if i := s.ask(fitted.ID); i >= 0 {
		s.asks = slices.Delete(s.asks, i, i+1)
	} else if a.Body != nil && a.Body.Plan != nil {
		s.drawPlan(s.fitAsk(Ask{ID: a.ID, Kind: a.Kind, Body: proto.AskBody{Plan: a.Body.Plan}, At: at}))
	}
	if a.Accepted {
		s.acceptPlan(fitted.ID)
	}
}

// acceptPlan marks the drawn plan of an ask as accepted. An omitted one needs
// no mark: its weight does not change.
func (s *State) acceptPlan(id string) {
	for i := len(s.main.entries) - 1; i >= 0; i-- {
		if p := s.main.entries[i].Plan; p != nil && p.ID == id {
			accepted := *p
			accepted.Accepted = true
			s.own(&s.main, i).Plan = &accepted
			return
		}
	}
}

func (s *State) agent(id string) int {
	return slices.IndexFunc(s.agents, func(a *Agent) bool { return a.Info.ID == id })
}

// subagent folds a sub-agent's row, which every event carries whole.
func (s *State) subagent(ev *proto.Event) {
	if ev.Subagent == nil {
		return
	}
	row := *ev.Subagent
	row.StartedAt, row.EndedAt = stamp(row.StartedAt), stamp(row.EndedAt)
	info, cut := fit(&row, walkAgent, s.lim.str)
	a := &Agent{Info: *info, Truncated: cut}
	i := s.agent(info.ID)
	if i >= 0 {
		a.Finish = s.agents[i].Finish
		s.agents[i] = a
	} else {
		s.agents = append(s.agents, a)
	}
	switch ev.SubagentChange {
	case proto.SubFinished:
		if a.Finish == 0 {
			s.finishSeq++
			a.Finish = s.finishSeq
		}
		if t := s.subs[info.ID]; t != nil {
			s.closeStream(t, stamp(ev.At))
			t.compacting = nil
		}
	case proto.SubSpawned:
		a.Finish = 0
	}
	s.boundAgents()
}

// boundAgents forgets the row that finished longest ago once there are too
// many, or the oldest row when none has finished.
func (s *State) boundAgents() {
	for len(s.agents) > agentsMax {
		out := 0
		for i, a := range s.agents {
			if f := s.agents[out].Finish; a.Finish > 0 && (f == 0 || a.Finish < f) {
				out = i
			}
		}
		s.dropSub(s.agents[out].Info.ID)
		s.agents = slices.Delete(s.agents, out, out+1)
	}
}

// queued folds a change of the queue.
func (s *State) queued(ev *proto.Event) {
	if ev.Queue == nil {
		return
	}
	r := *ev.Queue
	r.QueuedAt = stamp(r.QueuedAt)
	fitted, cut := fit(&r, walkRow, s.lim.str)
	row := *fitted
	at := slices.IndexFunc(s.queue, func(q proto.QueueRow) bool { return q.ID == row.ID })
	s.longRows = slices.DeleteFunc(s.longRows, func(id string) bool { return id == row.ID })
	switch ev.QueueChange {
	case proto.RowQueued:
		if at >= 0 {
			s.queue = slices.Delete(s.queue, at, at+1)
		}
		s.queue = slices.Insert(s.queue, min(max(ev.QueuePos, 0), len(s.queue)), row)
	case proto.RowEdited:
		if at < 0 {
			return
		}
		s.queue[at] = row
	case proto.RowRemoved, proto.RowSent:
		if at >= 0 {
			s.queue = slices.Delete(s.queue, at, at+1)
		}
		return
	}
	if cut {
		s.longRows = append(s.longRows, row.ID)
	}
}
