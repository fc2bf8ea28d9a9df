package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Data is the data directory of a finished run.
type Data struct {
	// Dir is the absolute path of the data directory. It contains out/tables and
	// out/state.json.
	Dir string

	root string // parent of the data directory and the scratch directory
}

// FilesDir is the directory of Spec.Files in the data directory.
const FilesDir = "try"

// rootPrefix is the prefix of the names of run directories.
const rootPrefix = "run-"

// RemoveLeftovers removes the directories of runs with a killed process, because they
// contain secrets. No sandbox may be using the folder.
func RemoveLeftovers(folder string) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return failure.Applicationf("cannot look for directories of earlier runs: %w", err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), rootPrefix) {
			err = errors.Join(err, Data{root: filepath.Join(folder, entry.Name())}.Remove())
		}
	}
	return err
}

// makeData creates the directories of a run in a folder. Only the user of this process can
// read them.
func makeData(folder string, spec Spec) (Data, error) {
	root, err := os.MkdirTemp(folder, rootPrefix)
	if err != nil {
		return Data{}, failure.Applicationf("cannot make a directory for the run: %w", err)
	}
	d := Data{Dir: filepath.Join(root, "data"), root: root}
	if err := d.fill(spec); err != nil {
		return Data{}, discard(d, failure.Applicationf("cannot lay out the data directory: %w", err))
	}
	return d, nil
}

func (d Data) fill(spec Spec) error {
	directories := []string{d.temp()}
	for _, name := range []string{"in/tables", "in/files", "in/user", "out/tables", "out/files"} {
		directories = append(directories, filepath.Join(d.Dir, filepath.FromSlash(name)))
	}
	for _, directory := range directories {
		if err := os.MkdirAll(directory, 0o700); err != nil {
			return err
		}
	}
	if err := d.addFiles(spec); err != nil {
		return err
	}
	state := spec.State
	if state == nil {
		state = []byte("{}")
	}
	if err := os.WriteFile(filepath.Join(d.Dir, "config.json"), spec.Config, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(d.Dir, "in", "state.json"), state, 0o600)
}

func (d Data) addFiles(spec Spec) error {
	if spec.Args == nil {
		return nil
	}
	dir := filepath.Join(d.Dir, FilesDir)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for name, path := range spec.Files {
		if err := os.Link(path, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

func (d Data) temp() string { return filepath.Join(d.root, "tmp") }

func (d Data) name() string { return "devstack-" + filepath.Base(d.root) }

// Remove removes the directory and its contents, even if the component removed permissions.
// It may be called again.
func (d Data) Remove() error {
	if d.root == "" || os.RemoveAll(d.root) == nil {
		return nil
	}
	// Directories need permissions to be listed and changed. If adding them fails, the
	// second attempt to remove reports the error.
	_ = filepath.WalkDir(d.root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return nil
	})
	if err := os.RemoveAll(d.root); err != nil {
		return failure.Applicationf("cannot remove the directory of the run: %w", err)
	}
	return nil
}
