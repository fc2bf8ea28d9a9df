package store

import (
	"errors"
	"time"

	"go.etcd.io/bbolt"
)

// Column is one column of a table.
type Column struct {
	Name string
	// Type is the base type, e.g. INTEGER; "" if unknown.
	Type string
	// Nullable says that cells may be empty.
	Nullable bool
}

// Table describes a table without its rows.
type Table struct {
	// ID is BUCKET.NAME.
	ID, Bucket, Name string
	Columns          []Column
	PrimaryKey       []string
	Rows             int
	// Bytes is the size of all cells.
	Bytes               int64
	Created, LastImport time.Time
	// Job is the id of the last job that loaded it.
	Job string
}

// tableRecord is a table as it is stored, with the location of its rows.
type tableRecord struct {
	Table
	// Generation contains the rows. Pending contains those of an incremental load
	// that is complete, but not merged into the generation yet; 0 for none.
	Generation, Pending uint64
	// Next is the number of the next new row.
	Next uint64
}

// Tables are the tables of a bucket, or of all buckets if it is "", in the order of
// their ids. A missing bucket has none.
func (s *Store) Tables(bucket string) (found []Table, err error) {
	var prefix []byte
	if bucket != "" {
		prefix = []byte(bucket + ".")
	}
	err = scan(s, tables, prefix, func(r tableRecord) { found = append(found, r.Table) })
	return found, err
}

func (s *Store) Table(id string) (Table, error) {
	r, err := one[tableRecord](s, tables, []byte(id))
	return r.Table, err
}

// Rows calls keep with the rows of a table, in the order they were first loaded,
// until keep returns false. Each row is a new slice with one cell for each column.
func (s *Store) Rows(id string, keep func(cells []string) bool) error {
	return s.TimedRows(id, func(_ time.Time, cells []string) bool { return keep(cells) })
}

// TimedRows is Rows with the time of the last load of each row. It is that of the
// creation of the table for rows of earlier versions of this program.
func (s *Store) TimedRows(id string, keep func(loaded time.Time, cells []string) bool) error {
	return s.read(func(tx *bbolt.Tx) error {
		r, err := getTable(tx, id)
		if err != nil {
			return err
		}
		earlier, later := openGeneration(tx, r.Generation), openGeneration(tx, r.Pending)
		return merged(earlier, later, func(row []byte) (bool, error) {
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

// DeleteTable deletes a table and its rows. It waits for a load.
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

// dropTable removes a table with its rows and its metadata.
func dropTable(tx *bbolt.Tx, r tableRecord) error {
	return errors.Join(
		remove(tx, r.Generation, r.Pending), tx.Bucket(tables).Delete([]byte(r.ID)),
		forgetMetadata(tx, tableObjects(r.ID), none),
	)
}

func getTable(tx *bbolt.Tx, id string) (tableRecord, error) {
	return get[tableRecord](tx, tables, []byte(id))
}
