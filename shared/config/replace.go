package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	gotoml "github.com/pelletier/go-toml/v2"
)

// SaveProvider makes id the default provider of later sessions. It writes only
// when that changes the file, keeps every key, and never replaces a file it
// cannot parse.
func SaveProvider(dir, id string) error {
	path := filepath.Join(dir, fileName)
	data, err := readBounded(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("save the provider: %w", err)
	}
	values := map[string]any{}
	if err := gotoml.Unmarshal(data, &values); err != nil {
		return fmt.Errorf("save the provider: %s is left as it is: %w", fileName, located(err))
	}
	if values["provider"] == id {
		return nil
	}
	values["provider"] = id
	out, err := gotoml.Marshal(values)
	if err != nil {
		return fmt.Errorf("save the provider: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("save the provider: %w", err)
	}
	if err := replaceFile(path, out); err != nil {
		return fmt.Errorf("save the provider: %w", err)
	}
	return nil
}

// replaceFile puts data in path's place in one step that survives a crash. A
// symlink is followed, so that the file it names is what is replaced.
func replaceFile(path string, data []byte) (err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o600), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
