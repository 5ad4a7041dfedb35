package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	gotoml "github.com/pelletier/go-toml/v2"
)

const (
	// private is the mode of the files craze makes: titles and prompts are the
	// user's own.
	private fs.FileMode = 0o600
	// privateDir is the mode of the directories it makes.
	privateDir fs.FileMode = 0o700
)

// SaveProvider makes id the default provider of later sessions. It writes only
// when that changes the file, keeps every key and the file's mode, and never
// replaces a file it cannot parse. Comments and order are not kept.
func SaveProvider(dir, id string) error {
	if err := saveKey(dir, "provider", id); err != nil {
		return fmt.Errorf("save the provider: %w", err)
	}
	return nil
}

func saveKey(dir, key, value string) error {
	path := filepath.Join(dir, fileName)
	data, err := readBounded(path, fileMax)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	values := map[string]any{}
	if err := gotoml.Unmarshal(data, &values); err != nil {
		return fmt.Errorf("%s is left as it is: %w", fileName, located(err))
	}
	if values[key] == value {
		return nil
	}
	values[key] = value
	out, err := gotoml.Marshal(values)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, privateDir); err != nil {
		return err
	}
	mode := private
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	return replaceFile(path, out, mode)
}

// replaceFile puts data in path's place in one step that survives a crash. A
// symlink is followed, so that the file it names is what is replaced; one that
// names nothing is an error.
func replaceFile(path string, data []byte, mode fs.FileMode) error {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, lerr := os.Lstat(path); lerr == nil {
			return fmt.Errorf("%s is a link to a file that is not there", filepath.Base(path))
		}
		real, err = path, nil
	}
	if err != nil {
		return err
	}
	temp, err := writeTemp(real, data, mode)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, real); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return syncDir(filepath.Dir(real))
}

// writeTemp writes data to a file beside path, safe on the disk, and names it.
// It leaves none when it fails.
func writeTemp(path string, data []byte, mode fs.FileMode) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return "", err
	}
	err = f.Chmod(mode)
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// syncDir makes a rename in dir last. It is past the point of going back: who
// is told that it failed finds the file replaced.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
