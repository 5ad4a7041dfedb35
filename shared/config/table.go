package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// labelMax is the longest label, in bytes: what fits a list beside a title.
const labelMax = 64

var tableID = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// tableIDs are the ids of the [providers.<id>] tables, sorted.
func (c Config) tableIDs() []string {
	tables, _ := c.raw("providers").(map[string]any)
	var ids []string
	for id := range tables {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// shown is an id as it may stand in a message: one that is no id is quoted,
// because it can hold anything.
func shown(id string) string {
	if tableID.MatchString(id) {
		return id
	}
	return strconv.Quote(id)
}

// table is the provider of a [providers.<id>] table.
func (c Config) table(id string) (Provider, error) {
	_, taken := own(id)
	switch {
	case !tableID.MatchString(id):
		return Provider{}, errors.New("an id is at most 64 lower-case letters, digits, - and _")
	case taken || id == Native:
		return Provider{}, errors.New("the id is one of craze's own")
	}
	t, ok := c.raw("providers", id).(map[string]any)
	if !ok {
		return Provider{}, errors.New("it is not a table")
	}
	p := Provider{ID: id, Label: id, Dialect: DialectACP, Env: map[string]string{}}
	keys := make([]string, 0, len(t))
	for key := range t {
		keys = append(keys, key)
	}
	slices.Sort(keys) // so that the same file always gives the same error
	for _, key := range keys {
		if err := p.set(key, t[key]); err != nil {
			return Provider{}, fmt.Errorf("%s %w", key, err)
		}
	}
	if len(p.Command) == 0 {
		return Provider{}, errors.New(`it has no command, such as command = ["agent", "acp"]`)
	}
	p.Names = p.Command[:1]
	return p, nil
}

// set takes one key of a table; one it does not know is passed over.
func (p *Provider) set(key string, v any) (err error) {
	switch key {
	case "label":
		p.Label, err = label(v, p.ID)
	case "command":
		p.Command, err = command(v)
	case "bypass_args":
		p.BypassArgs, err = stringList(v)
	case "auth_method":
		p.AuthMethod, err = aString(v)
	case "env":
		p.Env, err = environment(v)
	}
	return err
}

func label(v any, id string) (string, error) {
	s, err := aString(v)
	switch {
	case err != nil:
		return "", err
	case len(s) > labelMax || strings.ContainsFunc(s, unprintable):
		return "", fmt.Errorf("is not one line of at most %d bytes", labelMax)
	case strings.TrimSpace(s) == "":
		return id, nil
	}
	return s, nil
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

func command(v any) ([]string, error) {
	argv, err := stringList(v)
	if err != nil || len(argv) == 0 {
		return nil, err
	}
	// A relative path would mean another file in every workspace.
	if bin := argv[0]; bin == "" || strings.Contains(bin, "/") && !filepath.IsAbs(bin) {
		return nil, errors.New("does not begin with a name to look for on PATH or an absolute path")
	}
	return argv, nil
}

func environment(v any) (map[string]string, error) {
	t, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("is not a table of strings")
	}
	out := make(map[string]string, len(t))
	for name, value := range t {
		s, err := aString(value)
		if err != nil {
			return nil, errors.New("is not a table of strings")
		}
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return nil, errors.New("has a name that no environment variable can have")
		}
		out[name] = s
	}
	return out, nil
}

// aString takes a string that can be handed to a process.
func aString(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", errors.New("is not a string")
	}
	if strings.ContainsRune(s, 0) {
		return "", errors.New("holds a NUL")
	}
	return s, nil
}

func stringList(v any) ([]string, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, errors.New("is not a list of strings")
	}
	out := make([]string, 0, len(list))
	for _, e := range list {
		s, err := aString(e)
		if err != nil {
			return nil, errors.New("is not a list of strings")
		}
		out = append(out, s)
	}
	return out, nil
}
