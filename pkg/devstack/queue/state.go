package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/keboola/configurable-extractor/pkg/devstack/encryption"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/phpjson"
)

// newState returns the state that the component wrote, as the PHP of the platform reads
// it. If the component wrote no state, it returns an empty object.
func newState(dir string) (value.Value, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return value.Value{}, failure.Applicationf("cannot read the state that the component left: %w", err)
	}
	defer root.Close()
	text, err := readFile(root, "out/state.json")
	if errors.Is(err, fs.ErrNotExist) {
		return value.OfMembers(), nil
	}
	if err != nil {
		return value.Value{}, failure.Applicationf("cannot read the state that the component left: %w", err)
	}
	state, err := phpjson.Decode(text)
	if err != nil {
		return state, failure.Applicationf("the platform's PHP cannot read the state that the component left: %w", err)
	}
	if !isComposite(state) {
		return state, failure.Applicationf("the state that the component left is not an object: %s", state.Kind())
	}
	return state, nil
}

// deliverState returns the content of in/state.json. An empty state is an object.
func deliverState(state value.Value) ([]byte, error) {
	state, err := phpjson.Of(state)
	if err != nil {
		return nil, failure.Applicationf("the platform's PHP cannot write the state: %w", err)
	}
	if state.IsNull() || isEmpty(state) {
		state = value.OfMembers()
	}
	return state.AppendEscapedJSON(nil), nil
}

// maxDocument is the maximum size, in bytes, of a configuration or state in the data
// directory. Real documents are far smaller.
const maxDocument = 16 << 20

// readFile reads a document that the component may have made. It refuses pipes, which could
// block forever, and large files, because the text is held in memory. The root keeps links
// from leading out of the data directory.
func readFile(root *os.Root, name string) ([]byte, error) {
	at, err := root.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !at.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", name)
	case at.Size() > maxDocument:
		return nil, fmt.Errorf("%s has %d bytes, at most %d are allowed", name, at.Size(), maxDocument)
	}
	return root.ReadFile(name)
}

// keepStates encrypts the secrets in the states of all steps and stores the states. All
// steps must have succeeded. It skips configurations and rows that were deleted
// meanwhile.
func (r *execution) keepStates(p plan, states []value.Value) error {
	if !p.stored {
		return nil
	}
	for i, s := range p.steps {
		state, err := r.q.box.Encrypt(encryption.Scope{Component: r.job.Component, Project: projectID}, states[i])
		if err != nil {
			return err
		}
		record := fmt.Appendf(nil, `{"component":%s,"storage":{"input":{"tables":[],"files":[]}}}`, state.JSON())
		_, err = r.q.o.Store.SetState(r.job.Component, r.job.Config, s.row, record)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return storeError{fmt.Errorf("storing the state of configuration %s: %w", r.job.Config, err)}
		}
	}
	return nil
}
