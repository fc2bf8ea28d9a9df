package store

import (
	"errors"
	"time"

	"go.etcd.io/bbolt"
)

// Column is a column of a table.
type Column struct {
	Name string
	// Type is the base type, for example INTEGER. It is empty if unknown.
	Type string
	// Nullable is true if cells may be empty.
	Nullable bool
}

// Table describes a table without its rows.
type Table struct {
	// ID is BUCKET.NAME.
	ID, Bucket, Name string
	Columns          []Column
	PrimaryKey       []string
	Rows             int
	// Bytes is the total size of all cells, in bytes.
	Bytes               int64
	Created, LastImport time.Time
	// Job is the id of the last job that loaded the table.
	Job string
}

// tableRecord is the stored record of a table, with the location of its rows.
type tableRecord struct {
	Table
	// Generation is the id of the generation with the rows. Pending is the generation of an
	// incremental load that is complete but not merged into Generation yet. It is 0 if all
	// loads are merged.
	Generation, Pending uint64
	// Next is the number of the next new row.
	Next uint64
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

// Rows calls keep with the rows of a table, in the order they were first loaded, until keep
// returns false. Each row is a new slice with one cell for each column.
func (s *Store) Rows(id string, keep func(cells []string) bool) error {
	return s.TimedRows(id, func(_ time.Time, cells []string) bool { return keep(cells) })
}

// TimedRows is like Rows and also passes the time of the last load of each row. For rows of
// earlier versions of this program it passes the creation time of the table.
func (s *Store) TimedRows(id string, keep func(loaded time.Time, cells []string) bool) error {
	return s.read(func(tx *bbolt.Tx) error {
		r, err := getTable(tx, id)
		if err != nil {
			return err
		}
		earlier, later := openGeneration(tx, r.Generation), openGeneration(tx, r.Pending)
		return mergeRows(earlier, later, func(row []byte) (bool, error) {
			cells, err := decodeRow(row, len(r.Columns))
			if err != nil {
				return false, err
			}
			loaded := r.Created
			if seconds, _ := splitRow(row); seconds > 0 {
				loaded = time.Unix(seconds, 0)
			}
			return keep(loaded, cells), nil
		})
	})
}

// DeleteTable deletes a table and its rows. It waits until no load is running.
func (s *Store) DeleteTable(id string) error {
	s.loading.Lock()
	defer s.loading.Unlock()
	return s.write(func(tx *bbolt.Tx) error {
		r, err := getTable(tx, id)
		if err != nil {
			return err
		}
		return dropTable(tx, r)
	})
}

func dropTable(tx *bbolt.Tx, r tableRecord) error {
	return errors.Join(
		remove(tx, r.Generation, r.Pending), tx.Bucket(tables).Delete([]byte(r.ID)),
		removeMetadata(tx, tableObjects(r.ID), keepNone),
	)
}

func getTable(tx *bbolt.Tx, id string) (tableRecord, error) {
	return get[tableRecord](tx, tables, []byte(id))
}
