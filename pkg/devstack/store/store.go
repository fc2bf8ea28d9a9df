// Package store keeps the data of the local platform in one file: configurations, jobs,
// events and tables. The contents of exported files are in a directory beside the file.
//
// A write that returned without an error survives the end of the process at any time. Every
// write is complete or absent. All methods are safe for concurrent use, but callbacks that
// receive records must not write to the store. The package does not deal with HTTP, with
// running jobs or with the meaning of a configuration.
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

// ErrNotFound, ErrExists and ErrNotEmpty report that an object does not exist, already
// exists, or still has contents.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("exists already")
	ErrNotEmpty = errors.New("not empty")
)

// The top-level buckets of the file. Keys are texts, or numbers as eight bytes in
// big-endian order, which sort by value.
var (
	configurations = []byte("configurations") // component NUL id -> Configuration
	versions       = []byte("versions")       // history and number -> version, see version.go
	contents       = []byte("contents")       // history and number -> a document
	metadata       = []byte("metadata")       // object, id -> Metadata
	jobs           = []byte("jobs")           // id -> Job
	unfinished     = []byte("unfinished")     // id of a job -> empty
	events         = []byte("events")         // id -> Event
	eventsOfRun    = []byte("events-of-run")  // length of the run id, run id, event id -> empty
	buckets        = []byte("buckets")        // id -> Bucket
	tables         = []byte("tables")         // id -> tableRecord
	rows           = []byte("rows")           // generation -> a bucket, see generation.go
	ids            = []byte("ids")            // its sequence numbers all records except events
	keys           = []byte("keys")           // encryptionKey -> the key of the ciphers
	files          = []byte("files")          // id -> File
	operations     = []byte("operations")     // id -> Operation
)

// encryptionKey is the name of the only key.
var encryptionKey = []byte("encryption")

const (
	openTimeout = 500 * time.Millisecond
	// batchDelay is the time that a write waits for other writes, to share one sync to
	// disk.
	batchDelay = 2 * time.Millisecond
	// mapped is the size, in bytes, of the address space that is reserved for the file.
	// Each time a file outgrows it, the mapping doubles, and all operations wait for the
	// slowest reader.
	mapped = 1 << 30
	// keySize is the size of the key, in bytes.
	keySize = 32
)

// Store is an open store.
type Store struct {
	db  *bbolt.DB
	now func() time.Time
	// key is the encryption key of this store.
	key [keySize]byte
	// fileDir is the directory of the contents of files. It is created with the first file.
	fileDir string

	// loading is held during a load, because each load must see the table as the previous
	// load left it.
	loading sync.Mutex

	mu      sync.Mutex
	changed chan struct{}
}

// Open opens the file, or creates it. Only one process can have the file open; in a second
// process Open returns a user error. now returns the current time for all records.
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
		// On Windows the file would have the size of the reserved address space.
		o.InitialMmapSize = 0
	}
	return o
}

// prepare creates the top-level buckets and the key, and completes operations that a crash
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

// numberEvents sets the sequence of event ids. Events have a sequence of their own, so that
// they leave no gaps between the ids of jobs and configurations. In files of earlier
// versions the sequence is shared, so events have higher ids.
func numberEvents(tx *bbolt.Tx) error {
	b := tx.Bucket(events)
	last, _ := b.Cursor().Last()
	if last == nil {
		return nil
	}
	return b.SetSequence(max(b.Sequence(), binary.BigEndian.Uint64(last)))
}

// prepareKey reads the encryption key. It creates the key if the file has none.
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

// Key returns the random encryption key of this store. It never changes.
func (s *Store) Key() [keySize]byte { return s.key }

// Close waits for running transactions and closes the file.
func (s *Store) Close() error { return s.db.Close() }

// Changes returns a channel that the next write closes. To follow the store, repeat: get
// the channel, read, wait for the channel.
func (s *Store) Changes() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// clock returns the current time for a new record.
func (s *Store) clock() time.Time { return s.now().UTC().Round(0) }

// NewID returns a new decimal number, greater than all earlier ids.
func (s *Store) NewID() (string, error) {
	var id uint64
	err := s.write(func(tx *bbolt.Tx) (err error) {
		id, err = nextID(tx)
		return err
	})
	return decimal(id), err
}

// write calls work in a transaction, waits until the transaction is on disk, and closes the
// channel of Changes. It may call work more than once: variables outside the transaction
// must have the values of the last call.
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

// read calls work in a read transaction. work must not write to the store: the write could
// wait for the end of the read.
func (s *Store) read(work func(*bbolt.Tx) error) error { return s.db.View(work) }

func nextID(tx *bbolt.Tx) (uint64, error) { return tx.Bucket(ids).NextSequence() }

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

// parseID parses a decimal id. It returns ErrNotFound if the text is not an id that the
// store generates.
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

// get reads a record. It returns ErrNotFound if the record does not exist.
func get[T any](tx *bbolt.Tx, bucket, key []byte) (T, error) {
	var record T
	text := tx.Bucket(bucket).Get(key)
	if text == nil {
		return record, ErrNotFound
	}
	return record, json.Unmarshal(text, &record)
}

// readOne reads a record in a transaction of its own.
func readOne[T any](s *Store, bucket, key []byte) (record T, err error) {
	err = s.read(func(tx *bbolt.Tx) error {
		record, err = get[T](tx, bucket, key)
		return err
	})
	return record, err
}

// scan calls each with the records that have a key with the prefix, sorted by key.
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

// newest calls keep with the records of a bucket, last first, until keep returns false.
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
