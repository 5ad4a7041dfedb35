package agents

import "encoding/json"

// setupOpenCode configures one provider, of the kind that opencode has built in,
// and has it ask before commands and edits.
func setupOpenCode(a Agent, h home, modelURL string) (Provider, error) {
	type object = map[string]any
	model := object{"name": "Lab Model", "limit": object{"context": 128_000, "output": 8_000}}
	config, err := json.Marshal(object{
		"autoupdate":  false,
		"model":       "lab/lab-model",
		"small_model": "lab/lab-model", // names sessions; otherwise one on the net would
		"provider": object{"lab": object{
			"npm":     "@ai-sdk/openai-compatible",
			"name":    "Lab",
			"options": object{"baseURL": modelURL, "apiKey": "lab-key"},
			"models":  object{"lab-model": model},
		}},
		"permission": object{"bash": "ask", "edit": "ask"},
	})
	if err != nil {
		return Provider{}, err
	}
	if err := h.write(config, ".config", "opencode", "opencode.json"); err != nil {
		return Provider{}, err
	}
	return Provider{
		ID:      a.ID,
		Label:   a.Label,
		Command: []string{a.Path, "acp"},
		Env: h.env(map[string]string{
			"OPENCODE_DISABLE_AUTOUPDATE":   "1",
			"OPENCODE_DISABLE_MODELS_FETCH": "1",
			"OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
		}),
	}, nil
}
