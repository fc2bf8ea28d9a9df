package store

import (
	"bytes"
	"encoding/binary"
	"errors"

	"go.etcd.io/bbolt"
)

// A generation is a bucket below rows. It contains the rows of one full load and of
// the incremental loads after it. A load fills a new generation, which is invisible
// at first. A full load becomes visible when the table points at its generation. An
// incremental load becomes visible as pending: its rows replace those of the same
// number. They are merged later, which may stop at any moment and be continued. So
// a load of any size is either complete or absent.

// The contents of a generation's bucket.
var (
	cellsOf = []byte("cells") // number of the row -> row
	keysOf  = []byte("keys")  // primary key -> number of the row
)

const (
	// A transaction takes at most so many rows or bytes of rows. This is the memory
	// that a load needs.
	batchRows  = 5000
	batchBytes = 4 << 20
	// Rows are written in the order of their numbers, so pages can be filled.
	fillPercent = 0.95
)

// generation is the open buckets of a generation, nil if there is none.
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

// remove deletes generations. Those that do not exist are skipped.
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

// merged calls keep with the rows of two generations, in the order of their
// numbers, until keep returns false. Of two rows with the same number the later one
// is used.
func merged(earlier, later generation, keep func(row []byte) (bool, error)) error {
	first, second := newWalk(earlier), newWalk(later)
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

// walk is a position among the rows of a generation; number is nil at the end.
type walk struct {
	cursor      *bbolt.Cursor
	number, row []byte
}

func newWalk(g generation) *walk {
	if g.cells == nil {
		return &walk{}
	}
	w := &walk{cursor: g.cells.Cursor()}
	w.number, w.row = w.cursor.First()
	return w
}

func (w *walk) next() { w.number, w.row = w.cursor.Next() }

// compare orders two positions; the end comes last.
func (w *walk) compare(other *walk) int {
	switch {
	case w.number == nil:
		return 1
	case other.number == nil:
		return -1
	default:
		return bytes.Compare(w.number, other.number)
	}
}

// tidy merges the pending rows of a table into its generation.
func (s *Store) tidy(id string) error {
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

// move moves a batch of entries from one bucket to another, and reports whether
// nothing is left.
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

// recover completes what a crash interrupted: it merges pending rows and deletes
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
		if err := s.tidy(id); err != nil {
			return err
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return s.db.Update(func(tx *bbolt.Tx) error { return remove(tx, lost...) })
}
