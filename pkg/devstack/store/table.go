package store

import (
	"time"

	"go.etcd.io/bbolt"
)

// Column is a column of a table.
type Column struct {
	Name string
	// Type is the base type, for example INTEGER. It is empty if unknown.
	Type string
	// Length is the length in the schema of the manifest, or "".
	Length string
	// Nullable is true if cells may be empty.
	Nullable bool
}

// Table describes a table without its rows.
type Table struct {
	// ID is BUCKET.NAME.
	ID, Bucket, Name string
	Columns          []Column
	PrimaryKey       []string
	// Typed is true if the columns have native types, see Load.Typed.
	Typed bool
	Rows  int
	// Bytes is the total size of all cells, in bytes.
	Bytes               int64
	Created, LastImport time.Time
	// Job is the id of the last job that loaded the table.
	Job string
}

// tableRecord is the stored record of a table.
type tableRecord struct {
	Table
	// Dir is the name of the directory with the rows.
	Dir string
}

// Tables returns the tables of a bucket, or of all buckets if bucket is "", sorted by id. A
// missing bucket has no tables.
func (s *Store) Tables(bucket string) (found []Table, err error) {
	var prefix []byte
	if bucket != "" {
		prefix = []byte(bucket + ".")
	}
	err = scan(s, tables, prefix, func(r tableRecord) { found = append(found, r.Table) })
	return found, err
}

func (s *Store) Table(id string) (Table, error) {
	r, err := readOne[tableRecord](s, tables, []byte(id))
	return r.Table, err
}

// DeleteTable deletes a table and its rows. It waits until no load is running.
func (s *Store) DeleteTable(id string) error {
	s.loading.Lock()
	defer s.loading.Unlock()
	var gone tableRecord
	err := s.write(func(tx *bbolt.Tx) (err error) {
		if gone, err = get[tableRecord](tx, tables, []byte(id)); err != nil {
			return err
		}
		return dropTable(tx, id)
	})
	if err == nil {
		s.discardRows(gone)
	}
	return err
}
