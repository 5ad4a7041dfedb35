package agents

import (
	"maps"
	"os"
	"path/filepath"
)

// deadProxy is where requests to the world go: the discard port, where nothing
// listens, so that they fail at once.
const deadProxy = "http://127.0.0.1:9"

// home is the folder that an agent takes for its user's.
type home string

func (h home) join(parts ...string) string {
	return filepath.Join(append([]string{string(h)}, parts...)...)
}

// write makes a file, and the folders above it.
func (h home) write(content []byte, parts ...string) error {
	path := h.join(parts...)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}

// env is the environment of an agent at home, and what is its own. Names of
// proxies are set in both cases, since a user's in the other might be read first.
func (h home) env(own map[string]string) map[string]string {
	env := map[string]string{
		"HOME":            string(h),
		"XDG_CONFIG_HOME": h.join(".config"),
		"XDG_DATA_HOME":   h.join(".local", "share"),
		"XDG_STATE_HOME":  h.join(".local", "state"),
		"XDG_CACHE_HOME":  h.join(".cache"),
		"TERM":            "dumb",
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		env[name] = deadProxy
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		env[name] = "127.0.0.1,localhost"
	}
	maps.Copy(env, own)
	return env
}
