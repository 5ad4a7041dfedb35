package acp

import (
	"strconv"

	"craze/shared/proto"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of what an agent offers.
const (
	catalogMax  = 512     // models, modes, options, values or commands
	settingsMax = 1 << 20 // bytes of all options: one event must hold them
	nameMax     = 1 << 10 // bytes of one name or id
	descMax     = 1 << 10 // bytes of one description, title or task
)

// Categories of config options that mean something to craze.
const (
	catMode   = "mode"
	catModel  = "model"
	catEffort = "thought_level"

	// optFast is the id of the option that trades care for speed.
	optFast = "fast"
)

// settings are a session's: the older modes and models members, and the
// config options that are taking their place. An agent may have both.
type settings struct {
	modes    []proto.ModeInfo
	models   []proto.Model
	mode     string
	model    string
	byMethod struct{ mode, model bool } // set by a method of its own, not by an option
	options  []option
}

// option is a config option, with the descriptions a mode needs.
type option struct {
	proto.ConfigOption
	values []proto.ModeInfo
}

// rawSettings is where session/new and set_config_option carry them.
type rawSettings struct {
	Modes struct {
		Current   jsontext.Value `json:"currentModeId"`
		Available []rawChoice    `json:"availableModes"`
	} `json:"modes"`
	Models struct {
		Current   jsontext.Value `json:"currentModelId"`
		Available []rawChoice    `json:"availableModels"`
	} `json:"models"`
}

// rawChoice is a mode, a model, a value of an option or a group of values.
type rawChoice struct {
	ID          jsontext.Value `json:"id"`
	ModelID     jsontext.Value `json:"modelId"`
	Value       jsontext.Value `json:"value"`
	Name        jsontext.Value `json:"name"`
	Description jsontext.Value `json:"description"`
	Options     []rawChoice    `json:"options"`
}

// info reads a choice, whatever its kind calls its id.
func (c rawChoice) info() proto.ModeInfo {
	return proto.ModeInfo{
		ID:          first(c.ID, c.ModelID, c.Value),
		Name:        cutHead(first(c.Name, c.ID, c.ModelID, c.Value), nameMax),
		Description: cutHead(first(c.Description), descMax),
	}
}

// choices reads a list, groups flattened. A choice without an id is no choice,
// and one over the bound of an id could not be sent back whole.
func choices(raw []rawChoice) []proto.ModeInfo {
	var out []proto.ModeInfo
	for _, c := range raw {
		if c.Options != nil {
			out = append(out, choices(c.Options)...)
		} else if info := c.info(); info.ID != "" && len(info.ID) <= nameMax {
			out = append(out, info)
		}
		if len(out) >= catalogMax {
			return out[:catalogMax]
		}
	}
	return out
}

// readSettings takes what it understands of a result.
func readSettings(result jsontext.Value) settings {
	var s settings
	var raw rawSettings
	if lenient(result, &raw) == nil {
		s.modes, s.mode = choices(raw.Modes.Available), first(raw.Modes.Current)
		s.models, s.model = models(choices(raw.Models.Available)), first(raw.Models.Current)
		s.byMethod.mode, s.byMethod.model = len(s.modes) > 0, len(s.models) > 0
	}
	var opts struct {
		Options jsontext.Value `json:"configOptions"`
	}
	if lenient(result, &opts) == nil {
		s.options = readOptions(opts.Options)
	}
	s.adopt()
	return s
}

// readOptions reads a list of config options; one of an unknown shape is left
// out.
func readOptions(raw jsontext.Value) []option {
	var list []jsontext.Value
	if absent(raw) || lenient(raw, &list) != nil {
		return nil
	}
	var out []option
	size := 0
	for _, v := range list[:min(len(list), catalogMax)] {
		var r struct {
			ID       jsontext.Value `json:"id"`
			Name     jsontext.Value `json:"name"`
			Category jsontext.Value `json:"category"`
			Type     jsontext.Value `json:"type"`
			Current  jsontext.Value `json:"currentValue"`
			Options  []rawChoice    `json:"options"`
		}
		if lenient(v, &r) != nil || first(r.ID) == "" {
			continue
		}
		o := option{values: choices(r.Options)}
		o.ConfigOption = proto.ConfigOption{
			ID: cutHead(first(r.ID), nameMax), Name: cutHead(first(r.Name), nameMax),
			Category: cutHead(first(r.Category), nameMax), Type: cutHead(first(r.Type), nameMax),
			Current: cutHead(scalar(r.Current), nameMax),
		}
		for _, c := range o.values {
			size += len(c.ID) + len(c.Name)
			o.SelectValues = append(o.SelectValues, proto.SelectValue{Value: c.ID, Name: c.Name})
		}
		if size += len(o.ID) + len(o.Name) + len(o.Current); size > settingsMax {
			break
		}
		out = append(out, o)
	}
	return out
}

// scalar is a string, or the text of a number or a boolean.
func scalar(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return first(v)
	case '0', 't', 'f':
		return string(v)
	}
	return ""
}

// adopt lets the options of a category stand for a missing modes or models
// member, and say what is current.
func (s *settings) adopt() {
	if o := s.byCategory(catMode); o != nil {
		if s.mode = o.Current; !s.byMethod.mode {
			s.modes = o.values
		}
	}
	if o := s.byCategory(catModel); o != nil {
		if s.model = o.Current; !s.byMethod.model {
			s.models = models(o.values)
		}
	}
}

func (s *settings) byCategory(category string) *option {
	for i := range s.options {
		if s.options[i].Category == category {
			return &s.options[i]
		}
	}
	return nil
}

func models(list []proto.ModeInfo) []proto.Model {
	var out []proto.Model
	for _, c := range list {
		out = append(out, proto.Model{ID: c.ID, Name: c.Name})
	}
	return out
}

func (s *settings) config() *proto.Config {
	if len(s.options) == 0 {
		return nil
	}
	c := &proto.Config{}
	for _, o := range s.options {
		c.Options = append(c.Options, o.ConfigOption)
	}
	return c
}

func (s *settings) state() proto.StateDelta {
	return proto.StateDelta{Mode: s.mode, Model: s.model, Config: s.config()}
}

func (s *settings) catalogs() proto.Catalogs {
	return proto.Catalogs{Models: s.models, Modes: s.modes}
}

// caps are what an agent of plain ACP can do. Every one may send a plan, ask
// for permission and be cancelled; questions and plan cards are dialects'.
func (s *settings) caps() proto.SessionCaps {
	return proto.SessionCaps{
		Modes: len(s.modes) > 0, Effort: s.byCategory(catEffort) != nil,
		Todos: true, Cancel: true, Approvals: true,
	}
}

// setting is one setting to apply, and the call that does.
type setting struct {
	what  string // catMode or catModel
	value string
	step  string
	id    string // the option's, for stepSet
}

// wanted lists the calls that bring the session to what is asked for, and what
// is asked for that the agent does not offer.
func (s *settings) wanted(start StartSettings) (calls []setting, lacking []string) {
	add := func(what, value, current string, method bool, step string) {
		o := s.byCategory(what)
		switch {
		case value == "" || value == current:
		case method || o == nil:
			calls = append(calls, setting{what: what, value: value, step: step})
		default:
			calls = append(calls, setting{what: what, value: value, step: stepSet, id: o.ID})
		}
	}
	add(catModel, start.Model, s.model, s.byMethod.model, stepModel)
	add(catMode, start.Mode, s.mode, s.byMethod.mode, stepMode)
	option := func(name, value string, o *option) {
		switch {
		case value == "":
		case o == nil:
			lacking = append(lacking, name)
		case o.Current != value:
			calls = append(calls, setting{what: o.Category, value: value, step: stepSet, id: o.ID})
		}
	}
	option("effort", start.Effort, s.byCategory(catEffort))
	if start.Fast != nil {
		option("fast", strconv.FormatBool(*start.Fast), s.byID(optFast))
	}
	return calls, lacking
}

func (s *settings) byID(id string) *option {
	for i := range s.options {
		if s.options[i].ID == id {
			return &s.options[i]
		}
	}
	return nil
}

func (w setting) params(session string) []byte {
	switch w.step {
	case stepModel:
		return members("sessionId", session, "modelId", w.value)
	case stepMode:
		return members("sessionId", session, "modeId", w.value)
	}
	return members("sessionId", session, "configId", w.id, "value", w.value)
}

// confirm installs a setting whose call succeeded. An answer with options has
// its say by them; one without is taken as a yes to what was asked.
func (s *settings) confirm(w setting, answer []option) {
	if len(answer) > 0 {
		s.options = answer
	} else if o := s.byID(w.id); o != nil {
		o.Current = w.value
	} else if o := s.byCategory(w.what); o != nil {
		o.Current = w.value
	}
	switch w.what {
	case catModel:
		s.model = w.value
	case catMode:
		s.mode = w.value
	}
	s.adopt()
}

// merge overlays the sections of d on into.
func merge(into *proto.StateDelta, d proto.StateDelta) {
	if d.Title != nil {
		into.Title = d.Title
	}
	if d.Mode != "" {
		into.Mode = d.Mode
	}
	if d.Model != "" {
		into.Model = d.Model
	}
	if d.Config != nil {
		into.Config = d.Config
	}
	if d.Commands != nil {
		into.Commands = d.Commands
	}
}
