package store

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
)

// MaxFileAge is how long a file is kept.
const MaxFileAge = 15 * 24 * time.Hour

// File is an exported file. Its contents are in a file of the operating system, with
// the id as name, in the directory files beside the store.
type File struct {
	// ID is a decimal number, greater than the ids of earlier files.
	ID      string
	Created time.Time
	// Name is for people and for the download; it is no path.
	Name string
	Kind string // media type
	Tags []string
	// RunID is the id of the run that made the file, "" for none.
	RunID string
	// Size is in bytes.
	Size int64
}

// Operation is a job of the storage, such as an export. It is complete when it is
// stored.
type Operation struct {
	// ID is a decimal number, greater than the ids of earlier operations.
	ID string
	// Name is the kind of the operation; Table its table, "" for none.
	Name, Table string
	// Params and Results are JSON objects.
	Params, Results json.RawMessage
	RunID           string
	Created, Ended  time.Time
}

// AddFile writes a file and stores its record, with a new id. It is complete or
// absent. Files that are older than MaxFileAge are deleted first.
func (s *Store) AddFile(f File, write func(io.Writer) error) (File, error) {
	if err := s.expireFiles(); err != nil {
		return f, err
	}
	id, err := s.NewID()
	if err != nil {
		return f, err
	}
	f.ID, f.Created = id, s.clock()
	if f.Size, err = s.writeFile(id, write); err != nil {
		return f, errors.Join(err, s.removeContents(id))
	}
	n, err := parseID(id)
	if err != nil {
		return f, err
	}
	return f, s.write(func(tx *bbolt.Tx) error { return put(tx, files, number(n), f) })
}

// writeFile writes the contents of a file to the disk.
func (s *Store) writeFile(id string, write func(io.Writer) error) (size int64, err error) {
	if err := os.MkdirAll(s.fileDir, 0o700); err != nil {
		return 0, err
	}
	out, err := os.OpenFile(filepath.Join(s.fileDir, id), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	err = write(out)
	if err == nil {
		err = out.Sync()
	}
	if info, statErr := out.Stat(); statErr == nil {
		size = info.Size()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return 0, err
	}
	return size, syncDir(s.fileDir)
}

// syncDir makes the names in a directory survive a crash of the machine, where the
// system can do that.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	_ = dir.Sync() // some systems cannot sync a directory
	return dir.Close()
}

func (s *Store) removeContents(id string) error {
	err := os.Remove(filepath.Join(s.fileDir, id))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// File is the record of a file.
func (s *Store) File(id string) (File, error) {
	n, err := parseID(id)
	if err != nil {
		return File{}, err
	}
	return one[File](s, files, number(n))
}

// OpenFile opens the contents of a file.
func (s *Store) OpenFile(id string) (File, *os.File, error) {
	f, err := s.File(id)
	if err != nil {
		return f, nil, err
	}
	contents, err := os.Open(filepath.Join(s.fileDir, f.ID))
	if errors.Is(err, os.ErrNotExist) {
		err = ErrNotFound // it was deleted since
	}
	return f, contents, err
}

// Files calls keep with all files, the newest first, until keep returns false.
func (s *Store) Files(keep func(File) bool) error {
	return s.read(func(tx *bbolt.Tx) error { return newest(tx.Bucket(files).Cursor(), keep) })
}

// DeleteFile deletes a file. Its record goes first: a file without a record is
// deleted when the store is opened.
func (s *Store) DeleteFile(id string) error {
	n, err := parseID(id)
	if err != nil {
		return err
	}
	err = s.write(func(tx *bbolt.Tx) error {
		if tx.Bucket(files).Get(number(n)) == nil {
			return ErrNotFound
		}
		return tx.Bucket(files).Delete(number(n))
	})
	if err != nil {
		return err
	}
	return s.removeContents(id)
}

// expireFiles deletes the files that are too old.
func (s *Store) expireFiles() error {
	var old []string
	err := s.Files(func(f File) bool {
		if s.now().Sub(f.Created) > MaxFileAge {
			old = append(old, f.ID)
		}
		return true
	})
	for _, id := range old {
		if deleted := s.DeleteFile(id); !errors.Is(deleted, ErrNotFound) { // another export may have been faster
			err = errors.Join(err, deleted)
		}
	}
	return err
}

// recoverFiles deletes contents without a record, which a crash left.
func (s *Store) recoverFiles() error {
	entries, err := os.ReadDir(s.fileDir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if _, other := parseID(entry.Name()); other != nil {
			continue // not made by this program
		}
		_, missing := s.File(entry.Name())
		if errors.Is(missing, ErrNotFound) {
			missing = s.removeContents(entry.Name())
		}
		err = errors.Join(err, missing)
	}
	return err
}

// AddOperation stores a complete operation, with a new id.
func (s *Store) AddOperation(o Operation) (Operation, error) {
	err := s.write(func(tx *bbolt.Tx) error {
		id, err := nextID(tx)
		if err != nil {
			return err
		}
		o.ID, o.Ended = decimal(id), s.clock()
		return put(tx, operations, number(id), o)
	})
	return o, err
}

func (s *Store) Operation(id string) (Operation, error) {
	n, err := parseID(id)
	if err != nil {
		return Operation{}, err
	}
	return one[Operation](s, operations, number(n))
}

// Operations calls keep with all operations, the newest first, until keep returns
// false.
func (s *Store) Operations(keep func(Operation) bool) error {
	return s.read(func(tx *bbolt.Tx) error { return newest(tx.Bucket(operations).Cursor(), keep) })
}
