package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// filesJournal is the name of the journal of a commit with files. It is in the staged
// tables and leaves the stage together with them. While it is in the stage of a killed
// run, the tables of that run never appeared, so the next run moves its files back.
//
// Each line is the name of a file of the run, after replacesFile if the file replaces a
// file in out/files, otherwise after addsFile.
const filesJournal = stagePrefix + "files"

const (
	addsFile     = "+"
	replacesFile = "="
)

// Files returns the directory for the files and manifests of this run.
func (s *Stage) Files() string { return filepath.Join(s.path, "files") }

// Files returns the directory of the files, including files of earlier runs. It may not
// exist.
func (d *Dir) Files() string { return filepath.Join(d.out(), "files") }

// replacedFilesDir returns the directory of the files that a commit replaces.
func replacedFilesDir(stage string) string { return filepath.Join(stage, "replaced-files") }

// moveFilesOut moves the files of the run to out/files, before its tables appear. It
// leaves out/files unchanged if the run has no files. Files with the same names are
// replaced; other files stay.
//
// The files appear one after another: out/files may be a mount point or contain
// directories, and a run may have very many files. The journal lets the next run undo a
// commit that was killed.
func (s *Stage) moveFilesOut(m *commitSteps) error {
	entries, err := os.ReadDir(s.Files())
	if err != nil || len(entries) == 0 {
		return err
	}
	if err := s.openFilesDir(m); err != nil {
		return err
	}
	var journal strings.Builder
	var replaced []string
	for _, entry := range entries {
		mark := addsFile
		switch info, err := os.Lstat(filepath.Join(s.dir.Files(), entry.Name())); {
		case err == nil && info.IsDir():
			return fmt.Errorf("%s is a directory, a file is expected there", filepath.Join(s.dir.Files(), entry.Name()))
		case err == nil:
			mark, replaced = replacesFile, append(replaced, entry.Name())
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		journal.WriteString(mark + entry.Name() + "\n")
	}
	if err := writeSynced(s.journalPath(), []byte(journal.String())); err != nil {
		return err
	}
	for _, name := range replaced {
		if err := m.moveFile(filepath.Join(s.dir.Files(), name), filepath.Join(replacedFilesDir(s.path), name)); err != nil {
			return err
		}
	}
	for _, entry := range entries {
		if err := m.moveFile(filepath.Join(s.Files(), entry.Name()), filepath.Join(s.dir.Files(), entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stage) journalPath() string { return filepath.Join(s.Tables(), filesJournal) }

// openFilesDir creates out/files if it is missing.
func (s *Stage) openFilesDir(m *commitSteps) error {
	err := os.Mkdir(s.dir.Files(), dirMode)
	switch {
	case err == nil:
		m.undos = append(m.undos, func() error { return os.Remove(s.dir.Files()) })
	case errors.Is(err, fs.ErrExist):
		err = nil
	}
	return err
}

// restoreFiles undoes the moves of files of killed runs if their tables did not appear.
// It may be killed, too, and be called again.
func (d *Dir) restoreFiles() error {
	entries, err := os.ReadDir(d.out())
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), stagePrefix) {
			err = errors.Join(err, d.restoreFilesOf(filepath.Join(d.out(), entry.Name())))
		}
	}
	return err
}

func (d *Dir) restoreFilesOf(stage string) error {
	journal, err := os.ReadFile(filepath.Join(stage, "tables", filesJournal))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || isNoDirectory(err) {
			return nil // no file was moved yet, or all tables appeared
		}
		return err
	}
	moves := commitSteps{fsCalls: d.fsCalls}
	for line := range strings.Lines(string(journal)) {
		entry, complete := strings.CutSuffix(line, "\n")
		if !complete || len(entry) < 2 || filepath.Base(entry[1:]) != entry[1:] {
			break // killed while it wrote the journal: no file was moved
		}
		path, old := filepath.Join(d.Files(), entry[1:]), filepath.Join(replacedFilesDir(stage), entry[1:])
		switch entry[:1] {
		case addsFile:
			err = removeIfThere(path)
		case replacesFile:
			if _, missing := os.Lstat(old); missing == nil { // otherwise the old file is still there, or there again
				err = moves.renameOrCopy(old, path)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
