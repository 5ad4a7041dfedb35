package peer

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
)

// Session is one conversation. Its methods write to the client, each a frame
// in one write, and may be called from any goroutine.
type Session struct {
	ID  string
	Dir string // the working directory that session/new named

	out      *output
	calls    *calls
	settings *settings

	// Only Run's goroutine touches these.
	turn  *Turn // the running one, or nil
	turns int
}

// randomBytes makes a session's random name; eight of them do not repeat
// within the agents one machine runs.
const randomBytes = 8

// open answers session/new.
func (p *peer) open(m incoming) {
	with, bad := params[struct {
		Cwd string `json:"cwd"`
	}](m)
	if bad != nil {
		p.refuse(m.ID, bad)
		return
	}
	if with.Cwd == "" {
		with.Cwd = p.cfg.Dir
	}
	s := &Session{
		ID: p.sessionID(with.Cwd), Dir: with.Cwd,
		out: p.out, calls: p.calls, settings: newSettings(p.cfg.Behaviour.ModelsMember),
	}
	p.sessions[s.ID] = s
	p.answer(m.ID, s.describe())
	if opened := p.cfg.Behaviour.Opened; opened != nil {
		opened(s)
	}
}

func (p *peer) sessionID(dir string) string {
	id := strings.ReplaceAll(p.cfg.SessionID, "{dir}", filepath.Base(dir))
	if id == "" {
		var b [randomBytes]byte
		_, _ = rand.Read(b[:]) // never fails: it ends the program first
		id = "fake-" + hex.EncodeToString(b[:])
	}
	for base, n := id, 2; p.sessions[id] != nil; n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	return id
}

// Update sends a session/update; u is the update with its sessionUpdate kind.
func (s *Session) Update(u any) {
	s.out.frame(notification{
		JSONRPC: jsonrpc, Method: methodUpdate,
		Params: updateParams{SessionID: s.ID, Update: u},
	})
}

type updateParams struct {
	SessionID string `json:"sessionId"`
	Update    any    `json:"update"`
}

// Notify sends a notification of any method.
func (s *Session) Notify(method string, params any) {
	s.out.frame(notification{JSONRPC: jsonrpc, Method: method, Params: params})
}

// Raw writes b as it is, newline or none, in one write.
func (s *Session) Raw(b []byte) { s.out.bytes(b) }

// Model is the id of the model in use.
func (s *Session) Model() string { return s.settings.current(&s.settings.model) }

// SwitchModel changes the model as an agent does of its own accord, and tells
// the client. It reports whether there is such a model.
func (s *Session) SwitchModel(id string) bool {
	if !s.settings.choose(&s.settings.model, id) {
		return false
	}
	s.tellOptions()
	return true
}

// AddModel offers one more model. The client hears of it with the next change.
func (s *Session) AddModel(id, name string) { s.settings.addModel(id, name) }

func (s *Session) tellOptions() {
	s.Update(optionsUpdate{Kind: "config_option_update", ConfigOptions: s.settings.options()})
}
