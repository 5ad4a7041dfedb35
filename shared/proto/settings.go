package proto

// StateDelta is a meta event's change: each section present replaces that
// section whole, and an absent one leaves it as it is.
type StateDelta struct {
	Title    *string       `json:"title,omitzero"`
	Mode     string        `json:"mode,omitzero"`
	Model    string        `json:"model,omitzero"`
	Config   *Config       `json:"config,omitzero"`
	Commands *Commands     `json:"commands,omitzero"`
	Plugins  *Plugins      `json:"plugins,omitzero"`
	SendNow  *SendNow      `json:"sendNow,omitzero"`
	Reason   string        `json:"reason,omitzero"`
	Detail   string        `json:"detail,omitzero"`
	IndexErr string        `json:"indexErr,omitzero"`
	Usage    *Usage        `json:"usage,omitzero"`
	Catalog  *ModelList    `json:"catalog,omitzero"`
	Slash    *SlashCatalog `json:"slash,omitzero"`
}

// Config is the provider's option list.
type Config struct {
	Options []ConfigOption `json:"options,omitzero"`
}

// ConfigOption is one setting the agent offers.
type ConfigOption struct {
	ID           string        `json:"id"`
	Name         string        `json:"name,omitzero"`
	Category     string        `json:"category,omitzero"`
	Type         string        `json:"type,omitzero"`
	Current      string        `json:"current,omitzero"`
	SelectValues []SelectValue `json:"selectValues,omitzero"`
}

// SelectValue is one value of a select option.
type SelectValue struct {
	Value string `json:"value"`
	Name  string `json:"name,omitzero"`
}

// Commands are the commands the agent advertises.
type Commands struct {
	Commands []AgentCommand `json:"commands,omitzero"`
}

// AgentCommand is one of them.
type AgentCommand struct {
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

// Plugins are the plugin commands and skills craze found.
type Plugins struct {
	Plugins []PluginCommand `json:"plugins,omitzero"`
}

// SendNow is a prompt armed to go as soon as the running turn is cancelled.
type SendNow struct {
	Armed   bool   `json:"armed,omitzero"`
	Text    string `json:"text,omitzero"`
	FromRow string `json:"fromRow,omitzero"`
	Turn    string `json:"turn,omitzero"`
}

// Usage is what a session has spent; every member is always written.
type Usage struct {
	ContextTokens int64 `json:"contextTokens"`
	ContextWindow int64 `json:"contextWindow"`
	Turn          Spend `json:"turn"`
	Session       Spend `json:"session"`
}

// Spend is a sum of billed tokens; CostPicoUSD is in 1e-12 US dollars.
type Spend struct {
	Input         int64 `json:"input"`
	Output        int64 `json:"output"`
	Reasoning     int64 `json:"reasoning"`
	CacheRead     int64 `json:"cacheRead"`
	CacheCreation int64 `json:"cacheCreation"`
	CostPicoUSD   int64 `json:"costPicoUsd"`
	Unpriced      bool  `json:"unpriced"`
}

// ModelList is a live model list; Revision is always written.
type ModelList struct {
	Models   []Model `json:"models"`
	Revision int64   `json:"revision"`
}

// SlashCatalog is the slash catalog section.
type SlashCatalog struct {
	Items []SlashRow `json:"items,omitzero"`
}

// SlashRow is one / command a session offers.
type SlashRow struct {
	Name         string   `json:"name"`
	Description  string   `json:"description,omitzero"`
	Source       string   `json:"source"`
	Plugin       string   `json:"plugin,omitzero"`
	Qualified    string   `json:"qualified,omitzero"`
	Requires     string   `json:"requires,omitzero"`
	WhileWorking bool     `json:"whileWorking,omitzero"`
	Run          SlashRun `json:"run"`
}

// SlashRun says what running a row does.
type SlashRun struct {
	Kind    string   `json:"kind"`
	Local   string   `json:"local,omitzero"`
	Method  string   `json:"method,omitzero"`
	Param   string   `json:"param,omitzero"`
	Setting *Setting `json:"setting,omitzero"`
	Arg     string   `json:"arg,omitzero"`
	ArgHint string   `json:"argHint,omitzero"`
	Picker  string   `json:"picker,omitzero"`
	Reason  string   `json:"reason,omitzero"`
}

// Setting is one change of session.set.
type Setting struct {
	Kind     string `json:"kind"`
	ID       string `json:"id,omitzero"`
	Value    string `json:"value"`
	ForModel string `json:"forModel,omitzero"`
}
