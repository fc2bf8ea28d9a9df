// Package store is what the local platform remembers: configurations, jobs,
// events and tables, in one file.
//
// It promises that a write which returned without an error survives the end of
// the process at any moment, and that every write is whole or not there at all.
// All methods are safe for concurrent use; functions that are given records one
// by one must not write to the store themselves. It knows nothing of HTTP, of running
// jobs or of what a configuration means.
package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"runtime"
	"strconv"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// ErrNotFound says that there is no such thing, ErrExists that there is one
// already.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("exists already")
)

// The top-level buckets of the file. Keys are texts, or numbers as eight bytes,
// the highest first, so that they sort.
var (
	configurations = []byte("configurations") // component NUL id -> Configuration
	jobs           = []byte("jobs")           // id -> Job
	unfinished     = []byte("unfinished")     // id of a job -> nothing
	events         = []byte("events")         // id -> Event
	eventsOfRun    = []byte("events-of-run")  // run, its length in front, and id -> nothing
	buckets        = []byte("buckets")        // id -> Bucket
	tables         = []byte("tables")         // id -> tableRecord
	rows           = []byte("rows")           // generation -> a bucket, see generation.go
	ids            = []byte("ids")            // its sequence gives the ids
)

const (
	openTimeout = 500 * time.Millisecond
	// batchDelay is how long a write waits for others to share its sync to disk.
	batchDelay = 2 * time.Millisecond
	// mapped is how much of the address space is reserved for the file. A file
	// that outgrows it makes all wait for the slowest reader, once each time it
	// has doubled.
	mapped = 1 << 30
)

// Store is the open file.
type Store struct {
	db  *bbolt.DB
	now func() time.Time

	// loading lets one load after the other through: each must know the table as
	// the earlier one left it.
	loading sync.Mutex

	mu      sync.Mutex
	changed chan struct{}
}

// Open opens the file, or makes it when there is none. One process can have it
// open; a second one is a user error. now is the clock of all records.
func Open(path string, now func() time.Time) (*Store, error) {
	db, err := bbolt.Open(path, 0o600, options())
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, failure.Userf("%s is in use by another local platform", path)
	}
	if err != nil {
		return nil, failure.Userf("cannot open the local platform's file %s: %w", path, err)
	}
	db.MaxBatchDelay = batchDelay
	s := &Store{db: db, now: now, changed: make(chan struct{})}
	if err := s.prepare(); err != nil {
		return nil, failure.Applicationf("preparing %s: %w", path, errors.Join(err, db.Close()))
	}
	return s, nil
}

func options() *bbolt.Options {
	o := &bbolt.Options{Timeout: openTimeout, FreelistType: bbolt.FreelistMapType, InitialMmapSize: mapped}
	if runtime.GOOS == "windows" {
		// There a file is as large as what is reserved for it.
		o.InitialMmapSize = 0
	}
	return o
}

// prepare makes the top-level buckets and ends what a crash interrupted.
func (s *Store) prepare() error {
	err := s.db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{configurations, jobs, unfinished, events, eventsOfRun, buckets, tables, rows, ids} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.recover()
}

// Close waits for the writes under way and closes the file.
func (s *Store) Close() error { return s.db.Close() }

// Changes is closed when anything was written after the call. To follow
// something: take the channel, read, wait for the channel, and again.
func (s *Store) Changes() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// clock is the time of a record.
func (s *Store) clock() time.Time { return s.now().UTC().Round(0) }

// NewID is a number never given before, as decimal digits; later ones are
// greater.
func (s *Store) NewID() (string, error) {
	var id uint64
	err := s.write(func(tx *bbolt.Tx) (err error) {
		id, err = nextID(tx)
		return err
	})
	return decimal(id), err
}

// write does its work in one transaction, which is on disk when it returns, and
// tells those who wait for changes. The work may be done more than once: what it
// leaves behind outside the transaction must be what the last time did.
func (s *Store) write(work func(*bbolt.Tx) error) error {
	if err := s.db.Batch(work); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
	return nil
}

// read does its work on the store as it is now. Whatever is called meanwhile
// must not write to the store: it could wait for the end of this very work.
func (s *Store) read(work func(*bbolt.Tx) error) error { return s.db.View(work) }

func nextID(tx *bbolt.Tx) (uint64, error) { return tx.Bucket(ids).NextSequence() }

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func parseNumber(key []byte) uint64 { return binary.BigEndian.Uint64(key) }

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

// parseID reads an id that the store gave; ErrNotFound when it gave none such.
func parseID(id string) (uint64, error) {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil || decimal(n) != id {
		return 0, ErrNotFound
	}
	return n, nil
}

// put stores a record as JSON.
func put(tx *bbolt.Tx, bucket, key []byte, record any) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	return tx.Bucket(bucket).Put(key, text)
}

// get reads a record; ErrNotFound when there is none.
func get[T any](tx *bbolt.Tx, bucket, key []byte) (T, error) {
	var record T
	text := tx.Bucket(bucket).Get(key)
	if text == nil {
		return record, ErrNotFound
	}
	return record, json.Unmarshal(text, &record)
}

// one reads a record in a transaction of its own.
func one[T any](s *Store, bucket, key []byte) (record T, err error) {
	err = s.read(func(tx *bbolt.Tx) error {
		record, err = get[T](tx, bucket, key)
		return err
	})
	return record, err
}

// scan gives the records whose keys begin with the prefix, in their order.
func scan[T any](s *Store, bucket, prefix []byte, each func(T)) error {
	return s.read(func(tx *bbolt.Tx) error {
		cursor := tx.Bucket(bucket).Cursor()
		for key, text := cursor.Seek(prefix); key != nil && bytes.HasPrefix(key, prefix); key, text = cursor.Next() {
			var record T
			if err := json.Unmarshal(text, &record); err != nil {
				return err
			}
			each(record)
		}
		return nil
	})
}

// newest gives the records of a bucket to keep, the last one first, until keep
// returns false.
func newest[T any](cursor *bbolt.Cursor, keep func(T) bool) error {
	for key, text := cursor.Last(); key != nil; key, text = cursor.Prev() {
		var record T
		if err := json.Unmarshal(text, &record); err != nil {
			return err
		}
		if !keep(record) {
			return nil
		}
	}
	return nil
}
