// Package store keeps the local platform's data in one file: configurations, jobs,
// events and tables. The contents of exported files are in a directory beside it.
//
// A write that returned without an error survives the end of the process at any
// moment. Every write is complete or absent. All methods are safe for concurrent
// use, but functions that are called with records must not write to the store. The
// package knows nothing of HTTP, of running jobs or of the meaning of a
// configuration.
package store

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// ErrNotFound says that a thing does not exist, ErrExists that it exists already,
// ErrNotEmpty that it has contents.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("exists already")
	ErrNotEmpty = errors.New("not empty")
)

// The top-level buckets of the file. Keys are texts, or numbers as eight bytes, big
// endian, so that they sort.
var (
	configurations = []byte("configurations") // component NUL id -> Configuration
	versions       = []byte("versions")       // a history and a number -> version, see version.go
	contents       = []byte("contents")       // the same key -> a document
	metadata       = []byte("metadata")       // object, id -> Metadata
	jobs           = []byte("jobs")           // id -> Job
	unfinished     = []byte("unfinished")     // id of a job -> empty
	events         = []byte("events")         // id -> Event
	eventsOfRun    = []byte("events-of-run")  // length of the run id, run id, event id -> empty
	buckets        = []byte("buckets")        // id -> Bucket
	tables         = []byte("tables")         // id -> tableRecord
	rows           = []byte("rows")           // generation -> a bucket, see generation.go
	ids            = []byte("ids")            // its sequence numbers everything but events
	keys           = []byte("keys")           // encryptionKey -> the key of the ciphers
	files          = []byte("files")          // id -> File
	operations     = []byte("operations")     // id -> Operation
)

// encryptionKey is the name of the only key.
var encryptionKey = []byte("encryption")

const (
	openTimeout = 500 * time.Millisecond
	// batchDelay is how long a write waits for others, to share one sync to disk.
	batchDelay = 2 * time.Millisecond
	// mapped is the address space that is reserved for the file. When a file
	// outgrows it, everyone waits for the slowest reader, once each time its size
	// doubles.
	mapped = 1 << 30
	// keySize is the size of the key in bytes.
	keySize = 32
)

// Store is the open file.
type Store struct {
	db  *bbolt.DB
	now func() time.Time
	// key is the key of this store for what is encrypted.
	key [keySize]byte
	// fileDir is the directory of the contents of files; it is made with the first
	// file.
	fileDir string

	// loading allows one load at a time: each must see the table as the last one
	// left it.
	loading sync.Mutex

	mu      sync.Mutex
	changed chan struct{}
}

// Open opens the file, or creates it. Only one process can have it open: for a
// second one this is a user error. now is the clock of all records.
func Open(path string, now func() time.Time) (*Store, error) {
	db, err := bbolt.Open(path, 0o600, options())
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, failure.Userf("%s is in use by another local platform", path)
	}
	if err != nil {
		return nil, failure.Userf("cannot open the local platform's file %s: %w", path, err)
	}
	db.MaxBatchDelay = batchDelay
	s := &Store{db: db, now: now, fileDir: filepath.Join(filepath.Dir(path), "files"), changed: make(chan struct{})}
	if err := s.prepare(); err != nil {
		return nil, failure.Applicationf("preparing %s: %w", path, errors.Join(err, db.Close()))
	}
	return s, nil
}

func options() *bbolt.Options {
	o := &bbolt.Options{Timeout: openTimeout, FreelistType: bbolt.FreelistMapType, InitialMmapSize: mapped}
	if runtime.GOOS == "windows" {
		// On Windows the file would be as large as the reserved space.
		o.InitialMmapSize = 0
	}
	return o
}

// prepare makes the top-level buckets and the key, and completes what a crash
// interrupted.
func (s *Store) prepare() error {
	err := s.db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{configurations, jobs, unfinished, events, eventsOfRun, buckets, tables, rows, ids, keys, files, operations} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		if err := errors.Join(prepareVersions(tx), s.prepareMetadata(tx)); err != nil {
			return err
		}
		return errors.Join(numberEvents(tx), s.prepareKey(tx))
	})
	if err != nil {
		return err
	}
	return errors.Join(s.recover(), s.recoverFiles())
}

// numberEvents gives events their own numbers, so that they leave no gaps in those of
// jobs and configurations. A file of an earlier version has events with higher numbers.
func numberEvents(tx *bbolt.Tx) error {
	b := tx.Bucket(events)
	last, _ := b.Cursor().Last()
	if last == nil {
		return nil
	}
	return b.SetSequence(max(b.Sequence(), binary.BigEndian.Uint64(last)))
}

// prepareKey reads the key, and makes it the first time.
func (s *Store) prepareKey(tx *bbolt.Tx) error {
	stored := tx.Bucket(keys).Get(encryptionKey)
	if stored == nil {
		rand.Read(s.key[:]) // never fails
		return tx.Bucket(keys).Put(encryptionKey, s.key[:])
	}
	if copy(s.key[:], stored) != keySize {
		return errors.New("the key is damaged")
	}
	return nil
}

// Key is a random key of 32 bytes that belongs to this store, for encryption.
// It is always the same.
func (s *Store) Key() [keySize]byte { return s.key }

// Close waits for running writes and closes the file.
func (s *Store) Close() error { return s.db.Close() }

// Changes is closed by the next write. To follow something, repeat: get the
// channel, read, wait for the channel.
func (s *Store) Changes() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// clock is the time for a new record.
func (s *Store) clock() time.Time { return s.now().UTC().Round(0) }

// NewID is a new decimal number, greater than all before.
func (s *Store) NewID() (string, error) {
	var id uint64
	err := s.write(func(tx *bbolt.Tx) (err error) {
		id, err = nextID(tx)
		return err
	})
	return decimal(id), err
}

// write does its work in one transaction, which is on disk when it returns, and
// reports the change. The work may be done more than once: what it leaves outside
// of the transaction must come from the last time.
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

// read does its work on the current state of the store. The work must not write to
// the store: the write could wait for the end of this read.
func (s *Store) read(work func(*bbolt.Tx) error) error { return s.db.View(work) }

func nextID(tx *bbolt.Tx) (uint64, error) { return tx.Bucket(ids).NextSequence() }

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

// parseID reads an id of the store, or returns ErrNotFound.
func parseID(id string) (uint64, error) {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil || decimal(n) != id {
		return 0, ErrNotFound
	}
	return n, nil
}

func put(tx *bbolt.Tx, bucket, key []byte, record any) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	return tx.Bucket(bucket).Put(key, text)
}

// get reads a record, or returns ErrNotFound.
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

// scan calls each with the records whose keys begin with the prefix, in their
// order.
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

// newest calls keep with the records of a bucket, the last one first, until keep
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
