package acp

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"craze/craze-host/agent"
	"craze/shared/proto"

	"github.com/go-json-experiment/json/jsontext"
)

// authRequired is ACP's error code of a call that needs a login first.
const authRequired = -32000

// The calls of a start, in their order.
const (
	stepInit  = "initialize"
	stepAuth  = "authenticate"
	stepNew   = "session/new"
	stepModel = "session/set_model"
	stepMode  = "session/set_mode"
	stepSet   = "session/set_config_option"
)

// starter is the start's progress: one call at a time.
type starter struct {
	step     string
	id       int64
	deadline time.Time // of the whole start
	limit    time.Duration
	timer    *time.Timer
	auth     []authMethod
	set      settings  // as the agent has confirmed them
	todo     []setting // still to be applied
	now      setting   // being applied
}

// authMethod is one login the agent offers.
type authMethod struct {
	ID          string
	Name        string
	Description string
}

func (s *starter) expired() <-chan time.Time {
	if s.timer == nil {
		return nil
	}
	return s.timer.C
}

func (s *starter) stop() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

// begin records the group and sends initialize.
func (l *loop) begin() {
	l.start.deadline = time.Now().Add(l.a.cfg.InitTimeout)
	if note := l.a.cfg.OnGroup; note != nil {
		if err := note(l.a.proc.pgid); err != nil {
			l.refuse(proto.ErrOther, 0, "record process group: %v", err)
			l.flush()
			return
		}
	}
	l.call(stepInit, initialize(l.a.cfg.Version))
}

// call sends the next call of the start and limits its answer.
func (l *loop) call(step string, params []byte) {
	s := &l.start
	s.stop()
	s.step, s.id = step, l.a.book.newID()
	s.limit = l.a.cfg.InitTimeout
	wait := time.Until(s.deadline)
	if step == stepAuth && wait > authTimeout {
		s.limit, wait = authTimeout, authTimeout
	}
	s.timer = time.NewTimer(wait)
	l.send(callFrame(s.id, step, params))
}

func (l *loop) startTimedOut() {
	s := &l.start
	class := proto.ErrDeadline
	hint := ""
	if s.step == stepAuth {
		class, hint = proto.ErrAuth, "; "+loginHint(s.auth)
	}
	l.refuse(class, 0, "acp: %s had no answer within %s%s", s.step, s.limit, hint)
}

// refuse fails the start for good and kills the agent.
func (l *loop) refuse(class string, code int, format string, args ...any) {
	l.cause = &proto.EventErr{Class: class, Code: code, Message: clean(fmt.Sprintf(format, args...), messageMax)}
	l.failStart(l.cause)
	l.a.proc.kill()
}

func (l *loop) failStart(e *proto.EventErr) {
	l.start.stop()
	l.phase, l.early = refused, nil
	l.tell(agent.StartFailed{Err: *e})
}

// stepDone takes the answer of the start's call.
func (l *loop) stepDone(e *envelope) {
	l.start.stop()
	if e.Error != nil {
		l.stepRefused(e.Error)
		return
	}
	switch l.start.step {
	case stepInit:
		l.initialized(e.Result)
	case stepAuth:
		l.call(stepNew, newSession(l.a.cfg.Dir))
	case stepNew:
		l.sessionMade(e.Result)
	default:
		l.settingDone(e.Result)
	}
}

// stepRefused fails the start, except over a setting.
func (l *loop) stepRefused(e *rpcError) {
	s := &l.start
	code, _ := integer(e.Code)
	switch s.step {
	case stepModel, stepMode, stepSet:
		l.diag("setting not applied: %s %s: %s", s.now.what, s.now.value, e.text())
		l.nextSetting()
	case stepAuth:
		l.refuse(proto.ErrAuth, int(code), "acp: authenticate was refused: %s; %s", e.text(), loginHint(s.auth))
	case stepNew:
		if code == authRequired {
			l.refuse(proto.ErrAuth, int(code), "acp: the agent needs a login: %s; %s", e.text(), loginHint(s.auth))
			return
		}
		fallthrough
	default:
		l.refuse(proto.ErrRPC, int(code), "acp: %s was refused: %s", s.step, e.text())
	}
}

// loginHint says which login to run, from what the agent offers.
func loginHint(methods []authMethod) string {
	var ways []string
	for _, m := range methods {
		way := m.Name
		if way == "" {
			way = m.ID
		}
		if m.Description != "" && m.Description != way {
			way += " (" + m.Description + ")"
		}
		ways = append(ways, way)
	}
	if len(ways) == 0 {
		return "log in with the agent's own command and start again"
	}
	return "log in and start again: " + strings.Join(ways, ", or ")
}

// initialized goes on to the login, where one is configured, or the session.
func (l *loop) initialized(result jsontext.Value) {
	var r struct {
		ProtocolVersion jsontext.Value   `json:"protocolVersion"`
		AuthMethods     []jsontext.Value `json:"authMethods"`
	}
	if err := lenient(result, &r); err != nil {
		l.refuse(proto.ErrRPC, 0, "acp: initialize had an answer that is no ACP")
		return
	}
	if v, ok := integer(r.ProtocolVersion); ok && v != 1 {
		l.refuse(proto.ErrOther, 0, "acp: the agent speaks ACP version %d, craze version 1; use another version of the agent", v)
		return
	}
	l.start.auth = authMethods(r.AuthMethods)
	want := l.a.cfg.AuthMethod
	offered := slices.ContainsFunc(l.start.auth, func(m authMethod) bool { return m.ID == want })
	if want != "" && offered {
		l.call(stepAuth, members("methodId", want))
		return
	}
	if want != "" {
		l.diag("setting not applied: the agent does not offer the authenticate method %s", want)
	}
	l.call(stepNew, newSession(l.a.cfg.Dir))
}

// authMethodsMax bounds the logins an error may name.
const authMethodsMax = 8

func authMethods(raw []jsontext.Value) []authMethod {
	var out []authMethod
	for _, v := range raw[:min(len(raw), authMethodsMax)] {
		var m struct {
			ID          jsontext.Value `json:"id"`
			Name        jsontext.Value `json:"name"`
			Description jsontext.Value `json:"description"`
		}
		if lenient(v, &m) == nil {
			out = append(out, authMethod{first(m.ID), clean(first(m.Name), headMax), clean(first(m.Description), headMax)})
		}
	}
	return out
}

// sessionMade takes the session and begins to apply the start settings.
func (l *loop) sessionMade(result jsontext.Value) {
	var r struct {
		SessionID jsontext.Value `json:"sessionId"`
	}
	_ = lenient(result, &r) // a result of another shape names no session
	id := first(r.SessionID)
	if id == "" {
		l.refuse(proto.ErrRPC, 0, "acp: session/new named no session")
		return
	}
	l.session = id
	l.start.set = readSettings(result)
	todo, lacking := l.start.set.wanted(l.a.cfg.Start)
	for _, name := range lacking {
		l.tell(agent.Diag{Text: "start setting not applied: the agent offers no " + name})
	}
	l.start.todo = todo
	l.nextSetting()
}

func (l *loop) nextSetting() {
	s := &l.start
	if len(s.todo) == 0 {
		l.ready()
		return
	}
	s.now, s.todo = s.todo[0], s.todo[1:]
	l.call(s.now.step, s.now.params(l.session))
}

// settingDone installs what the agent confirmed.
func (l *loop) settingDone(result jsontext.Value) {
	s := &l.start
	s.set.confirm(s.now, readSettings(result).options)
	l.nextSetting()
}

// ready tells that the start is done, and then what came before.
func (l *loop) ready() {
	s := &l.start
	state := s.set.state()
	merge(&state, l.state)
	l.a.book.ready(l.session)
	l.phase = running
	l.tell(agent.Ready{
		ProviderSessionID: l.session,
		Catalogs:          s.set.catalogs(),
		Caps:              s.set.caps(),
		State:             state,
	})
	l.out = append(l.out, l.early...)
	l.early, l.state = nil, proto.StateDelta{}
}
