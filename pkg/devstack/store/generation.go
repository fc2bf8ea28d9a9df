package store

import (
	"bytes"
	"encoding/binary"
	"errors"

	"go.etcd.io/bbolt"
)

// A generation is a bucket below rows. It contains the rows of a full load and of the
// incremental loads after it. A load writes to a new generation, which is invisible at
// first. A full load becomes visible when the table points to its generation. An
// incremental load becomes visible as pending: its rows replace rows with the same number.
// Pending rows are merged into the generation later. The merge can be interrupted at any
// time and continues the next time. As a result, a load of any size is either complete or
// absent.

// The buckets in the bucket of a generation.
var (
	cellsOf = []byte("cells") // number of the row -> row
	keysOf  = []byte("keys")  // primary key -> number of the row
)

const (
	// batchRows and batchBytes limit the rows of a transaction, and with them the memory
	// that a load needs.
	batchRows  = 5000
	batchBytes = 4 << 20
	// fillPercent is the fill level of database pages. Rows are written in the order of
	// their numbers, so pages need little free space.
	fillPercent = 0.95
)

// generation is the open buckets of a generation. They are nil if the generation does not
// exist.
type generation struct{ cells, keys *bbolt.Bucket }

func openGeneration(tx *bbolt.Tx, id uint64) generation {
	b := tx.Bucket(rows).Bucket(number(id))
	if b == nil {
		return generation{}
	}
	return generation{b.Bucket(cellsOf), b.Bucket(keysOf)}
}

func createGeneration(tx *bbolt.Tx) (id uint64, err error) {
	if id, err = tx.Bucket(rows).NextSequence(); err != nil {
		return 0, err
	}
	b, err := tx.Bucket(rows).CreateBucket(number(id))
	if err != nil {
		return 0, err
	}
	_, cellsErr := b.CreateBucket(cellsOf)
	_, keysErr := b.CreateBucket(keysOf)
	return id, errors.Join(cellsErr, keysErr)
}

func (g generation) cell(number []byte) []byte {
	if g.cells == nil {
		return nil
	}
	return g.cells.Get(number)
}

func (g generation) key(key []byte) []byte {
	if g.keys == nil {
		return nil
	}
	return g.keys.Get(key)
}

// remove deletes generations and skips those that do not exist.
func remove(tx *bbolt.Tx, generations ...uint64) error {
	for _, id := range generations {
		if tx.Bucket(rows).Bucket(number(id)) == nil {
			continue
		}
		if err := tx.Bucket(rows).DeleteBucket(number(id)); err != nil {
			return err
		}
	}
	return nil
}

// mergeRows calls keep with the rows of two generations, sorted by number, until keep
// returns false. If both generations have a row with the same number, the row of the later
// generation is used.
func mergeRows(earlier, later generation, keep func(row []byte) (bool, error)) error {
	first, second := newRowCursor(earlier), newRowCursor(later)
	for first.number != nil || second.number != nil {
		row := second.row
		order := first.compare(second)
		if order < 0 {
			row = first.row
		}
		if more, err := keep(row); err != nil || !more {
			return err
		}
		if order <= 0 {
			first.next()
		}
		if order >= 0 {
			second.next()
		}
	}
	return nil
}

// rowCursor is a position among the rows of a generation. number is nil at the end.
type rowCursor struct {
	cursor      *bbolt.Cursor
	number, row []byte
}

func newRowCursor(g generation) *rowCursor {
	if g.cells == nil {
		return &rowCursor{}
	}
	w := &rowCursor{cursor: g.cells.Cursor()}
	w.number, w.row = w.cursor.First()
	return w
}

func (w *rowCursor) next() { w.number, w.row = w.cursor.Next() }

// compare orders two positions. The end comes last.
func (w *rowCursor) compare(other *rowCursor) int {
	switch {
	case w.number == nil:
		return 1
	case other.number == nil:
		return -1
	default:
		return bytes.Compare(w.number, other.number)
	}
}

// mergePending merges the pending rows of a table into its generation.
func (s *Store) mergePending(id string) error {
	for {
		var done bool
		err := s.db.Update(func(tx *bbolt.Tx) error {
			r, err := getTable(tx, id)
			if done = r.Pending == 0; err != nil || done {
				return err
			}
			from, to := openGeneration(tx, r.Pending), openGeneration(tx, r.Generation)
			to.cells.FillPercent = fillPercent
			cellsDone, err := move(from.cells, to.cells)
			if err != nil || !cellsDone {
				return err
			}
			if done, err = move(from.keys, to.keys); err != nil || !done {
				return err
			}
			if err := remove(tx, r.Pending); err != nil {
				return err
			}
			r.Pending = 0
			return put(tx, tables, []byte(id), r)
		})
		if err != nil || done {
			return err
		}
	}
}

// move moves a batch of entries to another bucket. It returns true when from is empty.
func move(from, to *bbolt.Bucket) (done bool, err error) {
	var moved [][]byte
	size, cursor := 0, from.Cursor()
	for key, text := cursor.First(); key != nil; key, text = cursor.Next() {
		if len(moved) == batchRows || size > batchBytes {
			break
		}
		key = bytes.Clone(key)
		if err := to.Put(key, bytes.Clone(text)); err != nil {
			return false, err
		}
		moved, size = append(moved, key), size+len(text)
	}
	for _, key := range moved {
		if err := from.Delete(key); err != nil {
			return false, err
		}
	}
	key, _ := from.Cursor().First()
	return key == nil, nil
}

// recover completes operations that a crash interrupted: it merges pending rows and deletes
// generations that belong to no table.
func (s *Store) recover() error {
	known, pending := map[uint64]bool{}, []string{}
	var lost []uint64
	err := s.read(func(tx *bbolt.Tx) error {
		err := tx.Bucket(tables).ForEach(func(key, _ []byte) error {
			r, err := getTable(tx, string(key))
			known[r.Generation], known[r.Pending] = true, true
			if r.Pending != 0 {
				pending = append(pending, r.ID)
			}
			return err
		})
		if err != nil {
			return err
		}
		return tx.Bucket(rows).ForEachBucket(func(key []byte) error {
			if id := binary.BigEndian.Uint64(key); !known[id] {
				lost = append(lost, id)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	for _, id := range pending {
		if err := s.mergePending(id); err != nil {
			return err
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return s.db.Update(func(tx *bbolt.Tx) error { return remove(tx, lost...) })
}
