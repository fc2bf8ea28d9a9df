// Package store keeps the data of the local platform: configurations, jobs, events and
// tables in one file, and the rows of tables and exported files in directories beside it.
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
	ids            = []byte("ids")            // its sequence numbers all records except events
	keys           = []byte("keys")           // encryptionKey, formatKey
	files          = []byte("files")          // id -> File
	operations     = []byte("operations")     // id -> Operation
)

// The keys in the bucket keys: of the key of the ciphers, and of the format of the data.
var encryptionKey, formatKey = []byte("encryption"), []byte("format")

// format is the version of the format of the data. There are no migrations.
const format = "2"

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
	// fileDir is the directory of the contents of files, and rowsDir the directory of the
	// rows of tables. They are created with the first file or table.
	fileDir, rowsDir string

	// loading is held during a load, because each load must see the table as the previous
	// load left it.
	loading sync.Mutex
	// opening is held while rows are opened or deleted. discarded are the directories of
	// rows to delete.
	opening   sync.RWMutex
	discarded []string

	mu      sync.Mutex
	changed chan struct{}
	// expired is the time of the last search for old files.
	expiry  sync.Mutex
	expired time.Time
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
	dir := filepath.Dir(path)
	s := &Store{db: db, now: now, fileDir: filepath.Join(dir, "files"), rowsDir: filepath.Join(dir, "tables"), changed: make(chan struct{})}
	if err := s.prepare(); err != nil {
		return nil, failure.Wrap("preparing "+path, "", errors.Join(err, db.Close()))
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
// interrupted. It refuses data of another format.
func (s *Store) prepare() error {
	err := s.db.Update(func(tx *bbolt.Tx) error {
		first, _ := tx.Cursor().First()
		for _, name := range [][]byte{configurations, jobs, unfinished, events, eventsOfRun, buckets, tables, ids, keys, files, operations, versions, contents, metadata} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		known := tx.Bucket(keys)
		if first == nil {
			rand.Read(s.key[:]) // never fails
			return errors.Join(known.Put(formatKey, []byte(format)), known.Put(encryptionKey, s.key[:]))
		}
		switch {
		case string(known.Get(formatKey)) != format:
			return failure.Userf("the data was written by another version of this program: start that version, or choose another data directory")
		case copy(s.key[:], known.Get(encryptionKey)) != keySize:
			return failure.Applicationf("the key is damaged")
		default:
			return nil
		}
	})
	if err != nil {
		return err
	}
	return errors.Join(s.recoverRows(), s.recoverFiles())
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

func get[T any](tx *bbolt.Tx, bucket, key []byte) (T, error) {
	var record T
	text := tx.Bucket(bucket).Get(key)
	if text == nil {
		return record, ErrNotFound
	}
	return record, json.Unmarshal(text, &record)
}

func readOne[T any](s *Store, bucket, key []byte) (record T, err error) {
	err = s.read(func(tx *bbolt.Tx) error {
		record, err = get[T](tx, bucket, key)
		return err
	})
	return record, err
}

func readID[T any](s *Store, bucket []byte, id string) (record T, err error) {
	n, err := parseID(id)
	if err != nil {
		return record, err
	}
	return readOne[T](s, bucket, number(n))
}

// scan calls each with the records that have a key with the prefix, sorted by key.
func scan[T any](s *Store, bucket, prefix []byte, each func(T)) error {
	return s.read(func(tx *bbolt.Tx) error { return scanIn(tx, bucket, prefix, each) })
}

func scanIn[T any](tx *bbolt.Tx, bucket, prefix []byte, each func(T)) error {
	cursor := tx.Bucket(bucket).Cursor()
	for key, text := cursor.Seek(prefix); key != nil && bytes.HasPrefix(key, prefix); key, text = cursor.Next() {
		var record T
		if err := json.Unmarshal(text, &record); err != nil {
			return err
		}
		each(record)
	}
	return nil
}

// newest calls keep with the records of a bucket, last first, until keep returns false.
func newest[T any](s *Store, bucket []byte, keep func(T) bool) error {
	return s.read(func(tx *bbolt.Tx) error {
		cursor := tx.Bucket(bucket).Cursor()
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
	})
}
