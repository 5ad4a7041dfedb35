package peer

import (
	"slices"
	"sync"
)

// settings are what a client may choose for a session, and what is chosen.
type settings struct {
	modelsMember bool

	mu                  sync.Mutex
	mode, model, effort option
}

// option is one setting with its choices.
type option struct {
	id, name, category string
	value              string
	choices            []choice
}

type choice struct{ value, name, description string }

func newSettings(modelsMember bool) *settings {
	return &settings{
		modelsMember: modelsMember,
		mode: option{id: "mode", name: "Mode", category: "mode", value: "agent", choices: []choice{
			{"agent", "Agent", "Does what the prompt says"},
			{"plan", "Plan", "Plans and changes nothing"},
		}},
		model: option{id: "model", name: "Model", category: "model", value: "fake-swift", choices: []choice{
			{"fake-swift", "Fake Swift", "Answers at once"},
			{"fake-deep", "Fake Deep", "Answers at once, gravely"},
		}},
		effort: option{id: "effort", name: "Effort", category: "thought_level", value: "medium", choices: []choice{
			{"low", "Low", ""}, {"medium", "Medium", ""}, {"high", "High", ""},
		}},
	}
}

// byID returns the setting that is offered as the config option id, or nil.
func (s *settings) byID(id string) *option {
	switch {
	case id == s.effort.id:
		return &s.effort
	case id == s.model.id && !s.modelsMember:
		return &s.model
	}
	return nil
}

// choose sets one of s's options. It reports whether it has such a choice.
func (s *settings) choose(o *option, value string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.ContainsFunc(o.choices, func(c choice) bool { return c.value == value }) {
		return false
	}
	o.value = value
	return true
}

func (s *settings) current(o *option) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return o.value
}

func (s *settings) addModel(value, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.ContainsFunc(s.model.choices, func(c choice) bool { return c.value == value }) {
		s.model.choices = append(s.model.choices, choice{value: value, name: name})
	}
}

// options are the settings that are offered as config options.
func (s *settings) options() []configOption {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.modelsMember {
		return []configOption{s.effort.config()}
	}
	return []configOption{s.model.config(), s.effort.config()}
}

func (o *option) config() configOption {
	c := configOption{ID: o.id, Name: o.name, Category: o.category, Type: "select", CurrentValue: o.value}
	for _, each := range o.choices {
		c.Options = append(c.Options, configValue{Value: each.value, Name: each.name, Description: each.description})
	}
	return c
}

// modes is session/new's member of that name.
func (s *settings) modes() *modesMember {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &modesMember{CurrentModeID: s.mode.value}
	for _, each := range s.mode.choices {
		m.AvailableModes = append(m.AvailableModes, namedMode{ID: each.value, Name: each.name, Description: each.description})
	}
	return m
}

// models is session/new's member of that name, nil where models are a config
// option.
func (s *settings) models() *modelsMember {
	if !s.modelsMember {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &modelsMember{CurrentModelID: s.model.value}
	for _, each := range s.model.choices {
		m.AvailableModels = append(m.AvailableModels, namedModel{ModelID: each.value, Name: each.name, Description: each.description})
	}
	return m
}
