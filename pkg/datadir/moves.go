package datadir

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// manifestSuffix ends the name of a manifest; the rest is the table's name.
const manifestSuffix = ".manifest"

// rename is rename(2) as it is: unlike os.Rename it puts a directory in the
// place of an empty one.
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

// moves are the steps of a commit, with what undoes each of them.
type moves struct {
	rename func(from, to string) error
	undos  []func() error
}

// undo takes back all steps, the last one first.
func (m *moves) undo() error {
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

// directory moves a directory to the place of one that is empty or missing, in
// one step. The mode of the old one is kept.
func (m *moves) directory(from, to string) error {
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
		return errors.Join(os.Mkdir(to, anyUser), os.Chmod(to, old.Mode()))
	})
	return nil
}

// files moves the files of one directory into another, each manifest after its
// table. Files in the way go to replaced.
func (m *moves) files(from, to, replaced string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return cmp.Or(
			cmp.Compare(strings.TrimSuffix(a.Name(), manifestSuffix), strings.TrimSuffix(b.Name(), manifestSuffix)),
			cmp.Compare(len(a.Name()), len(b.Name())))
	})
	for _, entry := range entries {
		target := filepath.Join(to, entry.Name())
		switch info, err := os.Lstat(target); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case info.IsDir():
			return fmt.Errorf("%s is a directory, a file is expected there", target)
		default:
			if err := m.file(target, filepath.Join(replaced, entry.Name())); err != nil {
				return err
			}
		}
		if err := m.file(filepath.Join(from, entry.Name()), target); err != nil {
			return err
		}
	}
	return nil
}

// file moves one file to a place where there is none.
func (m *moves) file(from, to string) error {
	if err := m.move(from, to); err != nil {
		return err
	}
	m.undos = append(m.undos, func() error { return m.move(to, from) })
	return nil
}

// move renames a file, or copies it where out/tables is another file system.
func (m *moves) move(from, to string) error {
	err := m.rename(from, to)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	// Under its own name the file must never be seen half.
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
	defer source.Close() // was only read
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
