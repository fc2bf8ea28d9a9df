package datadir

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

// rename calls rename(2). Unlike os.Rename, it can replace an empty directory by a
// directory.
func rename(from, to string) error {
	for {
		err := syscall.Rename(from, to)
		switch err {
		case nil:
			return nil
		case syscall.EINTR:
		default:
			return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
		}
	}
}

// commitSteps are the completed steps of a commit, each with a function that undoes it.
type commitSteps struct {
	fsCalls
	undos []func() error
}

// undo undoes all steps, the last step first.
func (m *commitSteps) undo() error {
	var errs []error
	for _, undo := range slices.Backward(m.undos) {
		errs = append(errs, undo())
	}
	m.undos = nil
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("cannot put back what was there: %w", err)
	}
	return nil
}

// moveDirectory moves a directory to the path of an empty or missing directory, in one
// step. It keeps the mode of the empty directory.
func (m *commitSteps) moveDirectory(from, to string) error {
	ours, err := os.Stat(from)
	if err != nil {
		return err
	}
	old, err := os.Stat(to)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case missing:
		old = ours
	case err != nil:
		return err
	}
	if err := os.Chmod(from, old.Mode()); err != nil {
		return err
	}
	if err := m.rename(from, to); err != nil {
		return errors.Join(err, os.Chmod(from, ours.Mode()))
	}
	m.undos = append(m.undos, func() error {
		err := errors.Join(os.Chmod(to, ours.Mode()), m.rename(to, from))
		if err != nil || missing {
			return err
		}
		return errors.Join(os.Mkdir(to, dirMode), os.Chmod(to, old.Mode()))
	})
	return nil
}

// swapDirectories swaps two directories in one step. Before the swap, it links the
// files that only the old directory has into the new directory. The new directory gets
// the mode of the old one. It reports whether this was possible. If not, nothing has
// changed.
func (m *commitSteps) swapDirectories(from, to string) bool {
	old, err := os.Lstat(to)
	if err != nil || !old.IsDir() { // do not replace a symbolic link
		return false
	}
	ours, err := os.Stat(from)
	if err != nil {
		return false
	}
	linked, err := m.linkMissing(to, from)
	back := func() error {
		errs := []error{os.Chmod(from, ours.Mode())}
		for _, path := range linked {
			errs = append(errs, os.Remove(path))
		}
		return errors.Join(errs...)
	}
	if err == nil {
		err = os.Chmod(from, old.Mode())
	}
	if err == nil {
		err = m.exchange(from, to)
	}
	if err != nil {
		// If back fails, moving the files fails with the same error.
		_ = back()
		return false
	}
	m.undos = append(m.undos, func() error {
		if err := m.exchange(from, to); err != nil {
			return err
		}
		return back()
	})
	return true
}

// linkMissing links the files of one directory into another, except for names that
// exist there. It returns the new paths, also with an error. It returns an error for a
// directory, which cannot have hard links.
func (m *commitSteps) linkMissing(from, to string) (linked []string, err error) {
	entries, err := os.ReadDir(from)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		path := filepath.Join(from, entry.Name())
		if entry.IsDir() {
			return linked, &fs.PathError{Op: "link", Path: path, Err: syscall.EISDIR}
		}
		link := filepath.Join(to, entry.Name())
		switch err := m.link(path, link); {
		case err == nil:
			linked = append(linked, link)
		case !errors.Is(err, fs.ErrExist):
			return linked, err
		}
	}
	return linked, nil
}

// moveFiles moves the files of one directory into another, table by table. It moves
// existing files to replaced. The platform would load a table without its manifest with
// wrong settings, and refuses a manifest without its table. So an old table is moved
// before its manifest, and a new table after its manifest.
func (m *commitSteps) moveFiles(from, to, replaced string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	tables := map[string][]string{}
	for _, entry := range entries {
		if name := entry.Name(); name == pendingState || name == filesJournal {
			continue // the state is moved after the tables, the journal removed
		}
		base := strings.TrimSuffix(entry.Name(), csvtable.ManifestSuffix)
		tables[base] = append(tables[base], entry.Name())
	}
	for _, base := range slices.Sorted(maps.Keys(tables)) {
		files := tables[base] // sorted by os.ReadDir: the manifest, with the longer name, is last
		for _, name := range files {
			if err := m.moveAside(filepath.Join(to, name), filepath.Join(replaced, name)); err != nil {
				return err
			}
		}
		for _, name := range slices.Backward(files) {
			if err := m.moveFile(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *commitSteps) moveAside(path, to string) error {
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a directory, a file is expected there", path)
	default:
		return m.moveFile(path, to)
	}
}

// moveFile moves a file to a path that does not exist.
func (m *commitSteps) moveFile(from, to string) error {
	if err := m.renameOrCopy(from, to); err != nil {
		return err
	}
	m.undos = append(m.undos, func() error { return m.renameOrCopy(to, from) })
	return nil
}

// renameOrCopy renames a file, or copies it if out/tables is on another file system.
func (m *commitSteps) renameOrCopy(from, to string) error {
	err := m.rename(from, to)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	// The file must not be visible under its final name before it is complete.
	part := filepath.Join(filepath.Dir(to), stagePrefix+rand.Text())
	if err = copyFile(from, part); err == nil {
		err = m.rename(part, to)
	}
	if err != nil {
		return errors.Join(err, removeIfThere(part))
	}
	if err := os.Remove(from); err != nil {
		return errors.Join(err, removeIfThere(to))
	}
	return nil
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close() // read only: the error does not matter
	info, err := source.Stat()
	if err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Sync(), target.Close())
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
