package queue

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// keepStage copies the data directory of a run in debug mode and hides the secrets in the
// configuration and the states.
func (r *execution) keepStage(dir, row string) error {
	if r.q.o.DebugDir == "" {
		return nil
	}
	stage := filepath.Join(r.q.o.DebugDir, r.job.ID, "stage_output")
	if row != "" {
		stage = filepath.Join(r.q.o.DebugDir, r.job.ID, "row-"+url.PathEscape(row), "stage_output")
	}
	if err := copyStage(dir, stage); err != nil {
		return failure.Applicationf("cannot keep the data directory: %w", errors.Join(err, os.RemoveAll(stage)))
	}
	r.emitEvent(sandbox.Info, "The data directory of this run is kept in "+stage, "")
	return nil
}

func copyStage(from, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	// Links that the component made must not lead out of the directory.
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range []string{"config.json", "in/state.json", "out/state.json"} {
		if err := hideSecrets(root, name); err != nil {
			return err
		}
	}
	return nil
}

// hideSecrets hides the secrets of a document. It removes a document that is not JSON.
func hideSecrets(root *os.Root, path string) error {
	text, err := readFile(root, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	doc, err := value.Parse(text)
	if err != nil {
		return root.Remove(path)
	}
	if text, err = indentJSON(MaskSecrets(doc, nil)); err != nil {
		return err
	}
	return root.WriteFile(path, text, 0o600)
}
