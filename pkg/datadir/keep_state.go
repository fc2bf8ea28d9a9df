package datadir

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// KeepState writes out/state.json at once. The state is on disk when KeepState returns,
// and stays there unless Commit writes another state. If the process is killed, the
// file has either the old state or the new state.
func (s *Stage) KeepState(state value.Value) error {
	if err := s.keepState(state); err != nil {
		return failure.Applicationf("cannot write the state: %w", err)
	}
	return nil
}

func (s *Stage) keepState(state value.Value) error {
	staged := filepath.Join(s.path, "kept.json")
	if err := writeSynced(staged, state.AppendEscapedJSON(nil)); err != nil {
		return errors.Join(err, os.Remove(staged))
	}
	if err := s.dir.rename(staged, filepath.Join(s.dir.out(), "state.json")); err != nil {
		return errors.Join(err, os.Remove(staged))
	}
	syncDirectory(s.dir.out())
	return nil
}

// syncDirectory writes the names in a directory to disk, if the system supports it. The
// caller has synced the file itself.
func syncDirectory(path string) {
	if f, err := os.Open(path); err == nil {
		_ = errors.Join(f.Sync(), f.Close())
	}
}
