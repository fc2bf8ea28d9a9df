package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Manifest is the manifest of a file: how the platform stores the file.
type Manifest struct {
	Tags      []string
	Permanent bool
}

func (m Manifest) text() []byte {
	var tags []value.Value
	for _, tag := range m.Tags {
		tags = append(tags, value.OfString(tag))
	}
	return value.OfMembers(
		value.Member{Name: "is_permanent", Value: value.OfBool(m.Permanent)},
		value.Member{Name: "tags", Value: value.OfItems(tags...)},
	).AppendJSON(nil)
}

// Directory is the directory of the files of one run. It keeps no list of its files in
// memory, because a run may have very many of them.
type Directory struct{ path string }

// NewDirectory returns a directory at a path. The directory must exist before the first
// file is added.
func NewDirectory(path string) *Directory { return &Directory{path} }

// Add writes a file and its manifest, and returns the name of the file. name is a result
// of SafeName or SafeText. If files with this name exist, the name gets a number: a.pdf,
// a-2.pdf, a-3.pdf. All errors are application errors.
func (d *Directory) Add(name string, contents io.Reader, m Manifest) (string, error) {
	name, err := d.unused(name)
	if err == nil {
		err = d.write(name, contents)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(d.path, name+csvtable.ManifestSuffix), m.text(), 0o644)
	}
	if err != nil {
		return "", failure.Applicationf("cannot write a file: %w", err)
	}
	return name, nil
}

// RemoveAll removes the files of the run with their manifests. All errors are application
// errors.
func (d *Directory) RemoveAll() error {
	f, err := os.Open(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return failure.Applicationf("cannot remove files: %w", err)
	}
	defer f.Close()
	for { // in parts, because there may be very many
		names, err := f.Readdirnames(1000)
		for _, name := range names {
			if err := os.Remove(filepath.Join(d.path, name)); err != nil {
				return failure.Applicationf("cannot remove a file: %w", err)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return failure.Applicationf("cannot remove files: %w", err)
		}
	}
}

func (d *Directory) write(name string, contents io.Reader) error {
	f, err := os.OpenFile(filepath.Join(d.path, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, contents)
	return errors.Join(err, f.Close())
}

// unused returns the name with the first number that is free, as far as a search in steps
// that double can find it: with very many equal names, looking at each number would take
// too long.
func (d *Directory) unused(name string) (string, error) {
	taken, free := 0, 1
	for {
		exists, err := d.has(numbered(name, free))
		if err != nil {
			return "", err
		}
		if !exists {
			break
		}
		taken, free = free, 2*free
	}
	for free-taken > 1 {
		middle := (taken + free) / 2
		exists, err := d.has(numbered(name, middle))
		if err != nil {
			return "", err
		}
		if exists {
			taken = middle
		} else {
			free = middle
		}
	}
	return numbered(name, free), nil
}

func (d *Directory) has(name string) (bool, error) {
	_, err := os.Lstat(filepath.Join(d.path, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
