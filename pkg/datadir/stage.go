package datadir

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// stagePrefix begins the names of all files and directories that exist only during a
// run.
const stagePrefix = csvtable.OwnPrefix

// pendingState is the name of a state in out/tables: the state of these tables, before
// it is moved to out/state.json.
const pendingState = stagePrefix + "state.json"

// dirMode is the mode of new directories before the umask. The next run may have
// another user id, and must be able to remove them.
const dirMode = 0o777

// Stage is the private directory of a run, on the file system of out/tables.
type Stage struct {
	dir  *Dir
	path string
	lock *os.File // nil without locks, and after Discard
}

// Stage creates the stage of this run, and the directory out if it is missing. It
// removes the files that killed runs left. It returns an error if another run has a
// stage.
func (d *Dir) Stage() (*Stage, error) {
	if err := os.MkdirAll(d.out(), dirMode); err != nil {
		return nil, failure.Applicationf("cannot make the output directory: %w", err)
	}
	lock, err := d.lockOut()
	if err != nil {
		return nil, err
	}
	// os.MkdirTemp would make the stage unreadable for the user id of the next run.
	s := &Stage{dir: d, path: filepath.Join(d.out(), stagePrefix+rand.Text()), lock: lock}
	if err := s.createDirectories(); err != nil {
		if left := s.Discard(); left != nil {
			err = errors.Join(err, left)
		}
		return nil, err
	}
	return s, nil
}

// createDirectories creates the directories of the stage, and removes the stages of
// killed runs.
func (s *Stage) createDirectories() error {
	d := s.dir
	// The last run may have been killed between its tables and its state.
	if err := d.publishState(d.Tables()); err != nil {
		return failure.Applicationf("cannot write the state of the last run: %w", err)
	}
	if err := d.restoreFiles(); err != nil {
		return failure.Applicationf("cannot remove the files of a killed run: %w", err)
	}
	for _, place := range []string{d.out(), d.Tables(), d.Files()} {
		if err := removeStale(place); err != nil {
			return failure.Applicationf("cannot clear the output directory of earlier runs: %w", err)
		}
	}
	for _, path := range []string{s.path, s.Tables(), s.Files(), s.Temp(), s.replacedDir(), replacedFilesDir(s.path)} {
		if err := os.Mkdir(path, dirMode); err != nil {
			return failure.Applicationf("cannot make a directory for this run: %w", err)
		}
	}
	if err := os.WriteFile(filepath.Join(s.path, processFile), []byte(thisProcess()), 0o666); err != nil {
		return failure.Applicationf("cannot make a directory for this run: %w", err)
	}
	return nil
}

// removeStale removes the stages in a directory, which may not exist.
func removeStale(place string) error {
	entries, err := os.ReadDir(place)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), stagePrefix) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(place, entry.Name())))
		}
	}
	return err
}

// Tables returns the directory for the tables and manifests of this run.
func (s *Stage) Tables() string { return filepath.Join(s.path, "tables") }

// Temp returns the directory for temporary files. It is removed with the stage.
func (s *Stage) Temp() string { return filepath.Join(s.path, "temp") }

// replacedDir returns the directory that keeps the files that a commit replaces until
// the commit succeeds.
func (s *Stage) replacedDir() string { return filepath.Join(s.path, "replaced") }

// Commit makes the results visible: first the files, then the tables and the state in one
// step. A null state leaves out/state.json unchanged.
//
// All tables appear in out/tables at the same time. The state appears with them, under
// the name pendingState, and then moves to out/state.json. If the process is killed in
// between, the next run finds the state, see LastState. The tables replace files with
// the same names; other files stay. If the process is killed before the tables appear,
// the next run removes the files that did, and restores the files that they replaced.
//
// Some file systems do not support this: out/tables is a mount point or a symbolic
// link, or contains directories; there are no hard links, or directories cannot be
// exchanged. Commit then moves one table after another, and the state last. If the
// process is killed in between, it leaves complete tables with their manifests, but
// maybe not all of them, and the old state. The next run then reads the same data again
// and misses nothing.
//
// After an error, all files are moved back and the stage is unchanged.
func (s *Stage) Commit(state value.Value) error {
	if err := s.commit(state); err != nil {
		return failure.Applicationf("cannot write the results: %w", err)
	}
	// The run is complete even if the stage cannot be removed. A second call of Discard
	// tries again and returns the error.
	_ = s.Discard()
	return nil
}

func (s *Stage) commit(state value.Value) error {
	// Write everything that needs space before the first move.
	staged := filepath.Join(s.Tables(), pendingState)
	if !state.IsNull() {
		if err := writeSynced(staged, state.AppendEscapedJSON(nil)); err != nil {
			return errors.Join(err, removeIfThere(staged))
		}
	}
	moves := commitSteps{fsCalls: s.dir.fsCalls}
	err := s.moveFilesOut(&moves)
	if err == nil {
		err = s.moveTables(&moves)
	}
	if err == nil {
		err = s.dir.publishState(s.dir.Tables(), s.Tables())
	}
	if err != nil {
		err = errors.Join(err, moves.undo(), removeIfThere(staged))
		return errors.Join(err, removeIfThere(s.journalPath())) // last: until then a kill needs it
	}
	// The results are complete. The next run removes the journal if this fails.
	_ = removeIfThere(filepath.Join(s.dir.Tables(), filesJournal))
	return nil
}

// publishState moves pendingState to out/state.json, from the first of the directories
// that has it. pendingState may be missing in all of them.
func (d *Dir) publishState(dirs ...string) error {
	for _, dir := range dirs {
		pending := filepath.Join(dir, pendingState)
		switch _, err := os.Lstat(pending); {
		case err == nil:
			return d.rename(pending, filepath.Join(d.out(), "state.json"))
		case !errors.Is(err, fs.ErrNotExist) && !isNoDirectory(err):
			return err
		}
	}
	return nil
}

// isNoDirectory reports whether a file has the path of a directory.
func isNoDirectory(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// moveTables moves the tables to out/tables, all at once if possible.
func (s *Stage) moveTables(m *commitSteps) error {
	before, err := os.ReadDir(s.dir.Tables())
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return err
	}
	if len(before) == 0 {
		if err := m.moveDirectory(s.Tables(), s.dir.Tables()); err == nil || missing {
			return err
		}
		// A mount point or a symbolic link cannot be replaced, only filled.
	} else if m.swapDirectories(s.Tables(), s.dir.Tables()) {
		return nil
	}
	if err := m.moveFiles(s.Tables(), s.dir.Tables(), s.replacedDir()); err != nil {
		return err
	}
	return removeIfThere(s.journalPath())
}

// KeepState writes out/state.json at once. The state is on disk when KeepState returns,
// and stays there unless Commit writes another state. If the process is killed, the
// file has either the old state or the new state.
func (s *Stage) KeepState(state value.Value) error {
	staged := filepath.Join(s.path, "kept.json")
	err := writeSynced(staged, state.AppendEscapedJSON(nil))
	if err == nil {
		err = s.dir.rename(staged, filepath.Join(s.dir.out(), "state.json"))
	}
	if err != nil {
		return failure.Applicationf("cannot write the state: %w", errors.Join(err, os.Remove(staged)))
	}
	// The name in the directory must be on disk, too, if the system supports it.
	if f, err := os.Open(s.dir.out()); err == nil {
		_ = errors.Join(f.Sync(), f.Close())
	}
	return nil
}

// Discard removes the rest of the stage and unlocks the output directory. It may be
// called again.
func (s *Stage) Discard() error {
	err := os.RemoveAll(s.path)
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
		s.lock = nil
	}
	if err != nil {
		return failure.Applicationf("cannot remove the temporary files of this run: %w", err)
	}
	return nil
}

func writeSynced(path string, text []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}
