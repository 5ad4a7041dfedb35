package agents

// grokConfig has grok ask; it does for commands it holds unsafe (rm -rf ...).
const grokConfig = `[ui]
permission_mode = "ask"
`

// setupGrok needs no key that anyone knows, but a key there must be.
func setupGrok(a Agent, h home, modelURL string) (Provider, error) {
	if err := h.write([]byte(grokConfig), ".grok", "config.toml"); err != nil {
		return Provider{}, err
	}
	return Provider{
		ID:    a.ID,
		Label: a.Label,
		// --always-approve has to stand before stdio, where BypassArgs cannot go:
		// with permissions bypassed, craze itself allows what grok asks.
		Command: []string{a.Path, "agent", "--no-leader", "--xai-api-base-url", modelURL, "stdio"},
		Env: h.env(map[string]string{
			// The same as the argument, for craze's own grok provider, whose command
			// a test cannot add to: this environment serves that as well.
			"GROK_XAI_API_BASE_URL":    modelURL,
			"GROK_HOME":                h.join(".grok"),
			"GROK_DISABLE_AUTOUPDATER": "1",
			"XAI_API_KEY":              "xai-lab-key-000000",
		}),
		AuthMethod: "xai.api_key",
	}, nil
}
