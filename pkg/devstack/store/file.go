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

// MaxFileAge is the maximum age of a file that is not permanent. AddFile deletes older
// files.
const MaxFileAge = 15 * 24 * time.Hour

// expireEvery is the time between two searches for old files: a job may add very many
// files.
const expireEvery = time.Minute

// File describes a file: an export, or a file of a component. The contents are stored outside the database: in the
// directory files beside it, in a file with the id as name.
type File struct {
	// ID is a decimal number, greater than the ids of earlier files.
	ID      string
	Created time.Time
	// Name is a display name for people and downloads. It is never used as a path.
	Name string
	Kind string // media type
	Tags []string
	// RunID is the id of the run that created the file. It may be empty.
	RunID string
	// Size is in bytes.
	Size int64
	// Permanent files are never deleted because of their age.
	Permanent bool
}

// Operation is a job of the storage API, such as an export. Only complete operations are
// stored.
type Operation struct {
	// ID is a decimal number, greater than the ids of earlier operations.
	ID string
	// Name is the kind of the operation. Table is the id of its table and may be empty.
	Name, Table string
	// Params and Results are JSON objects.
	Params, Results json.RawMessage
	RunID           string
	Created, Ended  time.Time
}

// AddFile writes a file and stores its record with a new id. After an error neither exists.
// AddFile deletes files older than MaxFileAge first.
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
	if err == nil {
		err = s.write(func(tx *bbolt.Tx) error { return put(tx, files, number(n), f) })
	}
	if err != nil {
		return f, errors.Join(err, s.removeContents(id))
	}
	return f, nil
}

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
	return size, errors.Join(syncDir(s.fileDir), syncDir(filepath.Dir(s.fileDir)))
}

// syncDir makes the names in a directory survive a crash of the machine, on systems that
// support it.
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

// File returns the record of a file.
func (s *Store) File(id string) (File, error) { return readID[File](s, files, id) }

// OpenFile opens the contents of a file. The caller closes it.
func (s *Store) OpenFile(id string) (File, *os.File, error) {
	f, err := s.File(id)
	if err != nil {
		return f, nil, err
	}
	contents, err := os.Open(filepath.Join(s.fileDir, f.ID))
	if errors.Is(err, os.ErrNotExist) {
		err = ErrNotFound // deleted since its record was read
	}
	return f, contents, err
}

// Files calls keep with all files, newest first, until keep returns false.
func (s *Store) Files(keep func(File) bool) error {
	return newest(s, files, keep)
}

// DeleteFile deletes a file. It deletes the record first: Open deletes contents without a
// record.
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

func (s *Store) expireFiles() error {
	now := s.now()
	s.expiry.Lock()
	due := s.expired.IsZero() || now.Sub(s.expired).Abs() >= expireEvery
	if due {
		s.expired = now
	}
	s.expiry.Unlock()
	if !due {
		return nil
	}
	var old []string
	err := s.Files(func(f File) bool {
		if !f.Permanent && now.Sub(f.Created) > MaxFileAge {
			old = append(old, f.ID)
		}
		return true
	})
	for _, id := range old {
		if deleted := s.DeleteFile(id); !errors.Is(deleted, ErrNotFound) { // another goroutine may have deleted it
			err = errors.Join(err, deleted)
		}
	}
	return err
}

// recoverFiles deletes contents without a record, which are left over from a crash.
func (s *Store) recoverFiles() error {
	entries, err := os.ReadDir(s.fileDir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if _, other := parseID(entry.Name()); other != nil {
			continue // not created by this program
		}
		_, missing := s.File(entry.Name())
		if errors.Is(missing, ErrNotFound) {
			missing = s.removeContents(entry.Name())
		}
		err = errors.Join(err, missing)
	}
	return err
}

// AddOperation stores a complete operation with a new id.
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

func (s *Store) Operation(id string) (Operation, error) { return readID[Operation](s, operations, id) }

// Operations calls keep with all operations, newest first, until keep returns false.
func (s *Store) Operations(keep func(Operation) bool) error {
	return newest(s, operations, keep)
}
