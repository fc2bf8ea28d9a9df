package store

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// maxColumns is the maximum number of columns: the description of a table is held
// in memory.
const maxColumns = 10_000

// Load describes the load of one file into a table.
type Load struct {
	// Table is the id; a missing bucket is created.
	Table      string
	Columns    []Column
	PrimaryKey []string
	// Incremental adds the rows to the table; a row replaces an earlier one with
	// the same primary key. Without it the rows are the whole table. In both cases
	// the last of several rows with the same primary key stays, at the position of
	// the first.
	Incremental bool
	// Metadata and ColumnMetadata (by the name of the column) are set on the table.
	Metadata       map[string]string
	ColumnMetadata map[string]map[string]string
	Job            string
	// Next returns the next row, one cell for each column, and io.EOF after the
	// last. The slice is used until the next call only.
	Next func() ([]string, error)
}

// Check returns a user error if no table can take the load.
func (l Load) Check() error {
	if _, _, err := splitTableID(l.Table); err != nil {
		return err
	}
	if len(l.Columns) == 0 {
		return l.userf("there are not columns")
	}
	if err := l.checkWidth(len(l.Columns)); err != nil {
		return err
	}
	names := map[string]bool{}
	for i, c := range l.Columns {
		switch {
		case c.Name == "":
			return l.userf("column %d has no name", i+1)
		case len(c.Name) > maxID:
			return l.userf("column %d has a name of %d bytes, at most %d are possible", i+1, len(c.Name), maxID)
		case strings.EqualFold(c.Name, "_timestamp"):
			return l.userf("the column name %q is reserved", c.Name)
		case names[c.Name]:
			return l.userf("column %q is there twice", c.Name)
		}
		names[c.Name] = true
	}
	for i, name := range l.PrimaryKey {
		if !names[name] {
			return l.userf("column %q of the primary key is none of the columns", name)
		}
		if slices.Contains(l.PrimaryKey[:i], name) {
			return l.userf("the primary key has column %q twice", name)
		}
	}
	return nil
}

func (l Load) checkWidth(columns int) error {
	if columns > maxColumns {
		return l.userf("it would have %d columns, at most %d are possible", columns, maxColumns)
	}
	return nil
}

func (l Load) userf(format string, args ...any) error {
	return failure.Userf("table %q: %s", l.Table, fmt.Sprintf(format, args...))
}

// Load loads rows into a table, all or none, without holding them in memory. It
// returns a user error if the rows do not fit the table, and errors of Next as they
// are. Only one load runs at a time.
func (s *Store) Load(l Load) (Table, error) {
	if err := l.Check(); err != nil {
		return Table{}, err
	}
	s.loading.Lock()
	defer s.loading.Unlock()
	work, err := s.begin(l)
	if err != nil {
		return Table{}, err
	}
	for more := true; more; {
		var batch []loadedRow
		if batch, more, err = work.read(); err == nil {
			err = work.stage(batch)
		}
		if err != nil {
			return Table{}, errors.Join(err, s.discard(work.staged))
		}
	}
	if err := work.publish(); err != nil {
		return Table{}, errors.Join(err, s.discard(work.staged))
	}
	if work.merge {
		err = s.tidy(l.Table)
	} else {
		err = s.discard(work.earlier.Generation, work.earlier.Pending)
	}
	return work.table.Table, err
}

func (s *Store) discard(generations ...uint64) error {
	return s.db.Update(func(tx *bbolt.Tx) error { return remove(tx, generations...) })
}

type load struct {
	store *Store
	Load
	earlier tableRecord // the table before, zero if there was none
	table   tableRecord // the table after the load
	merge   bool        // with the earlier rows
	staged  uint64      // the generation that is being filled

	place []int  // the place of each column in the table
	key   []int  // the places of the primary key in a row
	start []byte // the beginning of each row
	cells []string
	count int // rows so far
}

func (s *Store) begin(l Load) (*load, error) {
	w := &load{store: s, Load: l, start: rowStart(s.clock())}
	err := s.read(func(tx *bbolt.Tx) (err error) {
		w.earlier, err = getTable(tx, l.Table)
		return err
	})
	found := !errors.Is(err, ErrNotFound)
	if err != nil && found {
		return nil, err
	}
	w.table = tableRecord{Table: Table{ID: l.Table, Columns: l.Columns, PrimaryKey: l.PrimaryKey, Created: w.earlier.Created}, Next: 1}
	if w.merge = l.Incremental && found; w.merge {
		// An earlier load may have been unable to do this.
		if err := s.tidy(l.Table); err != nil {
			return nil, err
		}
		if err := w.extend(); err != nil {
			return nil, err
		}
	}
	for _, c := range l.Columns {
		w.place = append(w.place, slices.IndexFunc(w.table.Columns, func(d Column) bool { return c.Name == d.Name }))
	}
	for _, name := range w.table.PrimaryKey {
		w.key = append(w.key, slices.IndexFunc(w.table.Columns, func(c Column) bool { return c.Name == name }))
	}
	w.cells = make([]string, len(w.table.Columns))
	return w, nil
}

// extend computes the table as it will be after an incremental load.
func (l *load) extend() error {
	t := l.earlier
	t.Pending = 0
	t.Columns = slices.Clone(t.Columns)
	var missing []string
	for i, c := range t.Columns {
		j := slices.IndexFunc(l.Columns, func(d Column) bool { return d.Name == c.Name })
		switch {
		case j < 0:
			missing = append(missing, fmt.Sprintf("%q", c.Name))
		case l.Columns[j].Type != "":
			t.Columns[i] = l.Columns[j]
		}
	}
	if len(missing) > 0 {
		return l.userf("columns of the table are missing in an incremental load: %s", strings.Join(missing, ", "))
	}
	if !slices.Equal(slices.Sorted(slices.Values(t.PrimaryKey)), slices.Sorted(slices.Values(l.PrimaryKey))) {
		return l.userf("the primary key of an incremental load is %s, that of the table is %s", keyText(l.PrimaryKey), keyText(t.PrimaryKey))
	}
	for _, c := range l.Columns {
		if !slices.ContainsFunc(t.Columns, func(d Column) bool { return d.Name == c.Name }) {
			t.Columns = append(t.Columns, c)
		}
	}
	l.table = t
	return l.checkWidth(len(t.Columns))
}

func keyText(columns []string) string {
	if len(columns) == 0 {
		return "none"
	}
	return fmt.Sprintf("%q", columns)
}

// loadedRow is a row about to be stored; key is nil without a primary key.
type loadedRow struct{ key, row []byte }

// read takes a batch of rows, and reports whether there may be more.
func (l *load) read() (batch []loadedRow, more bool, err error) {
	for size := 0; len(batch) < batchRows && size < batchBytes; {
		given, err := l.Next()
		if errors.Is(err, io.EOF) {
			return batch, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		l.count++
		if len(given) != len(l.place) {
			return nil, false, l.userf("row %d has %d cells, not one for each of the %d columns", l.count, len(given), len(l.place))
		}
		for i, cell := range given {
			l.cells[l.place[i]] = cell
		}
		r := loadedRow{row: slices.Clone(l.start)}
		for _, cell := range l.cells {
			r.row = appendCell(r.row, cell)
		}
		if len(l.key) > 0 {
			r.key = rowKey(l.cells, l.key)
		}
		batch, size = append(batch, r), size+len(r.row)
	}
	return batch, true, nil
}

// stage stores a batch in the generation of this load.
func (l *load) stage(batch []loadedRow) error {
	return l.store.db.Update(func(tx *bbolt.Tx) (err error) {
		if l.staged == 0 {
			if l.staged, err = createGeneration(tx); err != nil {
				return err
			}
		}
		staged, earlier := openGeneration(tx, l.staged), generation{}
		if l.merge {
			earlier = openGeneration(tx, l.earlier.Generation)
		}
		staged.cells.FillPercent = fillPercent
		for _, r := range batch {
			if err := l.put(staged, earlier, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// put stores a row under the number of the row that it replaces, or a new number.
func (l *load) put(staged, earlier generation, r loadedRow) error {
	var place []byte
	if r.key != nil {
		if place = staged.key(r.key); place == nil {
			place = earlier.key(r.key)
		}
	}
	if place != nil {
		replaced := staged.cell(place)
		if replaced == nil {
			replaced = earlier.cell(place)
		}
		l.table.Bytes -= rowBytes(replaced)
		place = slices.Clone(place)
	} else {
		place = number(l.table.Next)
		l.table.Next++
		l.table.Rows++
		if r.key != nil {
			if err := staged.keys.Put(r.key, place); err != nil {
				return err
			}
		}
	}
	l.table.Bytes += rowBytes(r.row)
	return staged.cells.Put(place, r.row)
}

func (l *load) publish() error {
	bucket, name, err := splitTableID(l.Table)
	if err != nil {
		return err
	}
	t := &l.table
	t.Bucket, t.Name, t.LastImport = bucket, name, l.store.clock()
	t.Job = l.Job
	if t.Created.IsZero() {
		t.Created = t.LastImport
	}
	if l.merge {
		t.Pending = l.staged
	} else {
		t.Generation = l.staged
	}
	return l.store.write(func(tx *bbolt.Tx) error {
		if err := l.store.ensureBucket(tx, bucket); err != nil {
			return err
		}
		if err := l.store.describe(tx, t.Table, providerOf(tx, l.Job), l.Metadata, l.ColumnMetadata); err != nil {
			return err
		}
		return put(tx, tables, []byte(t.ID), t)
	})
}
