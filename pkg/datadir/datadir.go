// Package datadir accesses the data directory of the platform. It reads config.json and
// in/state.json, writes out/files, out/tables and out/state.json, and keeps cache between
// runs.
//
// The results of a run appear together or not at all. They are written to a stage, a
// directory beside out/tables, and Commit moves them to their final paths. A run that
// fails, or is killed before Commit, changes none of them.
// LastState is always the state of the run that wrote the tables.
//
// The package does not interpret configurations and tables. Only one run at a time can
// use a data directory: Stage returns an error while another run has a stage. Every
// error is an application error that names the path, except for the user error of a
// broken LastState.
package datadir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Dir is a data directory.
type Dir struct {
	path string
	fsCalls
}

// fsCalls are calls of the file system: rename is rename(2), exchange swaps two
// directories, and link creates a hard link. Tests replace them by calls that fail.
type fsCalls struct{ rename, exchange, link func(from, to string) error }

// Open opens the data directory at a path, which must exist. It creates nothing.
func Open(path string) (*Dir, error) {
	if path == "" {
		return nil, failure.Applicationf("the path of the data directory is empty")
	}
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, failure.Applicationf("cannot open the data directory: %w", err)
	case !info.IsDir():
		return nil, failure.Applicationf("%s is not a directory, the data directory is expected there", path)
	}
	return &Dir{path, fsCalls{rename, exchange, os.Link}}, nil
}

// Config returns the text of config.json.
func (d *Dir) Config() ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(d.path, "config.json"))
	if err != nil {
		return nil, failure.Applicationf("cannot read the configuration: %w", err)
	}
	return text, nil
}

// State returns the state of the previous run, from in/state.json: an object. It reads
// [] as an empty object. State returns null if the file does not exist, as on a first
// run. If the file is not a JSON object, State returns null and a warning with the
// reason. Only a file that cannot be read is an error.
func (d *Dir) State() (state value.Value, warning string, err error) {
	path := filepath.Join(d.path, "in", "state.json")
	state, wrong, err := readState(path)
	if wrong != "" {
		// A file that is not JSON is not an error of this run.
		warning = path + " " + wrong + ", starting without a state"
	}
	return state, warning, err
}

// HasState reports whether in/state.json exists.
func (d *Dir) HasState() bool {
	_, err := os.Lstat(filepath.Join(d.path, "in", "state.json"))
	return !errors.Is(err, fs.ErrNotExist)
}

// LastState returns the state that the last successful run in this directory wrote, and
// its path. The state is an object, or null if the file does not exist. Its path is
// out/state.json, unless that run was killed before it could move its state there: the
// state is then still among the tables. A file that is not a JSON object is a user
// error.
func (d *Dir) LastState() (state value.Value, path string, err error) {
	path = filepath.Join(d.Tables(), pendingState)
	if _, err := os.Lstat(path); err != nil {
		path = filepath.Join(d.out(), "state.json")
	}
	state, wrong, err := readState(path)
	if wrong != "" {
		err = failure.Userf("the state of the last run cannot be read: %s %s", path, wrong)
	}
	return state, path, err
}

// readState reads a state. The state is null if the file does not exist. If the file is
// not a JSON object, the state is null and wrong is the reason.
func readState(path string) (state value.Value, wrong string, err error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return value.Value{}, "", nil
	case err != nil:
		return value.Value{}, "", failure.Applicationf("cannot read the state of the previous run: %w", err)
	}
	state, err = value.Parse(text)
	switch {
	case err != nil:
		return value.Value{}, "is not valid JSON (" + err.Error() + ")", nil
	case state.Kind() == value.Object:
		return state, "", nil
	case state.Kind() == value.Array && state.Len() == 0:
		return value.OfMembers(), "", nil
	default:
		return value.Value{}, "holds no object but: " + state.Kind().String(), nil
	}
}

// Cache returns the directory of cached responses, which is kept between runs. It may
// not exist.
func (d *Dir) Cache() string { return filepath.Join(d.path, "cache") }

func (d *Dir) out() string { return filepath.Join(d.path, "out") }

// Tables returns the directory of the tables, including tables of earlier runs. It may
// not exist.
func (d *Dir) Tables() string { return filepath.Join(d.path, "out", "tables") }
