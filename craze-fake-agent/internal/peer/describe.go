package peer

// The shapes in which the agent describes itself and its settings.

const protocolVersion = 1

type agentDescription struct {
	ProtocolVersion   int               `json:"protocolVersion"`
	AgentCapabilities agentCapabilities `json:"agentCapabilities"`
	AuthMethods       []struct{}        `json:"authMethods"`
	AgentInfo         agentInfo         `json:"agentInfo"`
}

type agentCapabilities struct {
	LoadSession        bool               `json:"loadSession"`
	MCPCapabilities    mcpCapabilities    `json:"mcpCapabilities"`
	PromptCapabilities promptCapabilities `json:"promptCapabilities"`
}

type mcpCapabilities struct {
	HTTP bool `json:"http"`
	SSE  bool `json:"sse"`
}

type promptCapabilities struct {
	EmbeddedContext bool `json:"embeddedContext"`
	Image           bool `json:"image"`
}

type agentInfo struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

func describeAgent() agentDescription {
	return agentDescription{
		ProtocolVersion: protocolVersion,
		AgentCapabilities: agentCapabilities{
			PromptCapabilities: promptCapabilities{EmbeddedContext: true, Image: true},
		},
		AgentInfo: agentInfo{Name: "craze-fake-agent", Title: "Fake agent", Version: "0.0.0-fake"},
	}
}

type sessionDescription struct {
	SessionID     string         `json:"sessionId"`
	Modes         *modesMember   `json:"modes,omitzero"`
	Models        *modelsMember  `json:"models,omitzero"`
	ConfigOptions []configOption `json:"configOptions"`
}

func (s *Session) describe() sessionDescription {
	return sessionDescription{
		SessionID: s.ID, Modes: s.settings.modes(), Models: s.settings.models(),
		ConfigOptions: s.settings.options(),
	}
}

type modesMember struct {
	CurrentModeID  string      `json:"currentModeId"`
	AvailableModes []namedMode `json:"availableModes"`
}

type namedMode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

type modelsMember struct {
	CurrentModelID  string       `json:"currentModelId"`
	AvailableModels []namedModel `json:"availableModels"`
}

type namedModel struct {
	ModelID     string `json:"modelId"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

type optionsMember struct {
	ConfigOptions []configOption `json:"configOptions"`
}

type configOption struct {
	ID           string        `json:"id"`
	Name         string        `json:"name"`
	Category     string        `json:"category"`
	Type         string        `json:"type"`
	CurrentValue string        `json:"currentValue"`
	Options      []configValue `json:"options"`
}

type configValue struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

type modeUpdate struct {
	Kind          string `json:"sessionUpdate"`
	CurrentModeID string `json:"currentModeId"`
}

type optionsUpdate struct {
	Kind          string         `json:"sessionUpdate"`
	ConfigOptions []configOption `json:"configOptions"`
}
