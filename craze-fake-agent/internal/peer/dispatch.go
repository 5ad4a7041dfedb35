package peer

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// notified handles a notification. Those it does not know are ignored.
func (p *peer) notified(m incoming) {
	if m.Method != "session/cancel" || p.cfg.Behaviour.IgnoreCancel {
		return
	}
	at, bad := params[sessionParams](m)
	if s := p.sessions[at.SessionID]; bad == nil && s != nil && s.turn != nil {
		s.turn.cancel()
	}
}

type sessionParams struct {
	SessionID string `json:"sessionId"`
}

// requested handles a request. An error is the end of the agent.
func (p *peer) requested(m incoming) error {
	switch m.Method {
	case "initialize":
		return p.initialize(m)
	case "authenticate":
		p.refuse(m.ID, invalidParams("this agent has no such method of signing in"))
	case "session/new":
		p.open(m)
	case "session/prompt":
		p.withSession(m, p.prompt)
	case "session/set_mode":
		p.withSession(m, p.setMode)
	case "session/set_model":
		p.withSession(m, p.setModel)
	case "session/set_config_option":
		p.withSession(m, p.setOption)
	default:
		p.refuse(m.ID, &Error{
			Code: codeNoMethod, Message: "Method not found: " + m.Method,
			Data: map[string]any{"method": m.Method},
		})
	}
	return nil
}

// withSession hands a request to serve with the session it names, and refuses
// it with what serve returns.
func (p *peer) withSession(m incoming, serve func(incoming, *Session) *Error) {
	at, bad := params[sessionParams](m)
	if bad == nil {
		s := p.sessions[at.SessionID]
		if s == nil {
			bad = invalidParams("unknown session: %s", at.SessionID)
		} else {
			bad = serve(m, s)
		}
	}
	if bad != nil {
		p.refuse(m.ID, bad)
	}
}

func (p *peer) initialize(m incoming) error {
	b := p.cfg.Behaviour
	if b.Initialize != nil {
		if err := b.Initialize(); err != nil {
			return unlessSilent(err)
		}
	}
	p.answer(m.ID, describeAgent())
	if b.Initialized != nil {
		return b.Initialized()
	}
	return nil
}

func unlessSilent(err error) error {
	if errors.Is(err, ErrSilent) {
		return nil
	}
	return err
}

type promptParams struct {
	Prompt []block `json:"prompt"`
}

// block is a content block of a prompt; only text is looked into.
type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// promptText joins the text of blocks; a block of another type is shown by its
// type's name in brackets.
func promptText(blocks []block) string {
	var b strings.Builder
	for _, each := range blocks {
		if each.Type == "text" {
			b.WriteString(each.Text)
		} else {
			b.WriteString("[" + each.Type + "]")
		}
	}
	return b.String()
}

// prompt starts a turn, whose answer comes with its ending.
func (p *peer) prompt(m incoming, s *Session) *Error {
	with, bad := params[promptParams](m)
	switch {
	case bad != nil:
		return bad
	case len(with.Prompt) == 0:
		return invalidParams("the prompt holds no block")
	case s.turn != nil:
		return &Error{Code: codeInvalidRequest, Message: "Invalid request: a turn is running in this session"}
	}
	p.deaf = p.deaf || p.cfg.Behaviour.Deaf
	p.startTurn(s, m.ID, promptText(with.Prompt))
	return nil
}

func (p *peer) setMode(m incoming, s *Session) *Error {
	with, bad := params[struct {
		ModeID string `json:"modeId"`
	}](m)
	if bad != nil {
		return bad
	}
	if !s.settings.choose(&s.settings.mode, with.ModeID) {
		return invalidParams("unknown mode: %s", with.ModeID)
	}
	s.Update(modeUpdate{Kind: "current_mode_update", CurrentModeID: with.ModeID})
	p.answer(m.ID, struct{}{})
	return nil
}

func (p *peer) setModel(m incoming, s *Session) *Error {
	with, bad := params[struct {
		ModelID string `json:"modelId"`
	}](m)
	if bad != nil {
		return bad
	}
	if !s.settings.choose(&s.settings.model, with.ModelID) {
		return invalidParams("unknown model: %s", with.ModelID)
	}
	s.tellOptions()
	p.answer(m.ID, struct{}{})
	return nil
}

func (p *peer) setOption(m incoming, s *Session) *Error {
	with, bad := params[struct {
		ConfigID string         `json:"configId"`
		Value    jsontext.Value `json:"value"`
	}](m)
	if bad != nil {
		return bad
	}
	one := s.settings.byID(with.ConfigID)
	if one == nil {
		return &Error{
			Code: codeInvalidParams, Message: "Invalid params: unknown config option: " + with.ConfigID,
			Data: map[string]any{"configId": with.ConfigID},
		}
	}
	value, bad := params[string](incoming{Method: m.Method, Params: with.Value})
	if bad != nil || !s.settings.choose(one, value) {
		return invalidParams("config option %s has no value %s", with.ConfigID, with.Value)
	}
	s.tellOptions()
	p.answer(m.ID, optionsMember{ConfigOptions: s.settings.options()})
	return nil
}
