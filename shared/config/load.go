package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"
	gotoml "github.com/pelletier/go-toml/v2"
)

const (
	// fileName is the config file's, in the craze directory.
	fileName = "config.toml"
	// keyDelim parts koanf's paths. A model id holds dots, so it is none.
	keyDelim = "\x1f"
	// fileMax bounds the config file; what people write is a few KiB.
	fileMax = 4 << 20
)

// Config is what config.toml says. The zero value is an empty file's.
type Config struct {
	k      *koanf.Koanf
	dir    string
	broken bool // the file could not be read or parsed
}

// Load reads config.toml of a craze directory. A missing file is an empty one.
// A file that cannot be read or parsed is an error that says where; the Config
// beside it holds the defaults and its access switches are off. Warnings name
// keys of the wrong kind, which are passed over; a switch's is given by the
// method that reads it. Keys craze does not know are passed over silently.
func Load(dir string) (Config, []string, error) {
	c := Config{k: koanf.New(keyDelim), dir: dir}
	data, err := readBounded(filepath.Join(dir, fileName), fileMax)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil, nil
	}
	if err == nil {
		err = c.k.Load(rawbytes.Provider(data), toml.Parser())
	}
	if err != nil {
		c.k, c.broken = koanf.New(keyDelim), true
		return c, nil, fmt.Errorf("%s: %w", fileName, located(err))
	}
	return c, c.check(), nil
}

// readBounded reads a regular file of at most limit bytes. Anything else there
// is an error: a pipe would be waited on.
func readBounded(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("larger than %d bytes", limit)
	}
	return data, err
}

// located puts a parse error's line and column before it.
func located(err error) error {
	if d, ok := errors.AsType[*gotoml.DecodeError](err); ok {
		line, col := d.Position()
		return fmt.Errorf("line %d, column %d: %w", line, col, err)
	}
	return err
}

// check names what is of the wrong kind.
func (c Config) check() []string {
	var out []string
	for _, key := range []string{"theme", "provider"} {
		if v := c.raw(key); v != nil {
			if _, ok := v.(string); !ok {
				out = append(out, fmt.Sprintf("%s: %s is not a string and is ignored", fileName, key))
			}
		}
	}
	for _, key := range []string{"agents", "providers"} {
		if _, ok := c.raw(key).(map[string]any); !ok && c.raw(key) != nil {
			out = append(out, fmt.Sprintf("%s: %s is not a table and is ignored", fileName, key))
		}
	}
	out = append(out, c.checkAgents()...)
	for _, id := range c.tableIDs() {
		if _, err := c.table(id); err != nil {
			out = append(out, fmt.Sprintf("%s: [providers.%s] is ignored: %v", fileName, shown(id), err))
		}
	}
	return out
}

func (c Config) checkAgents() []string {
	var out []string
	for _, id := range []string{Cursor, Grok, GX} {
		v := c.raw("agents", id)
		if s, ok := v.(string); v != nil && (!ok || !filepath.IsAbs(s)) {
			out = append(out, fmt.Sprintf("%s: [agents].%s is not an absolute path and is ignored", fileName, id))
		}
	}
	return out
}

// raw is the value at a path, of whatever type the file gave it; nil when
// there is none.
func (c Config) raw(path ...string) any {
	if c.k == nil {
		return nil
	}
	key := path[0]
	for _, p := range path[1:] {
		key += keyDelim + p
	}
	return c.k.Get(key)
}

func (c Config) str(path ...string) string {
	s, _ := c.raw(path...).(string)
	return s
}
