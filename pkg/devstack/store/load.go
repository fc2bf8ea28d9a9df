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

// maxColumns is the maximum number of columns of a table. The description of a table is
// held in memory.
const maxColumns = 10_000

// Load describes the load of a file into a table.
type Load struct {
	// Table is the id of the table. If its bucket does not exist, it is created.
	Table      string
	Columns    []Column
	PrimaryKey []string
	// Incremental adds the rows to the table. A row replaces an earlier row with the same
	// primary key. Without Incremental the rows replace the whole table. In both cases, if
	// several rows have the same primary key, the last row is kept, at the position of the
	// first.
	Incremental bool
	// Metadata is set on the table and ColumnMetadata on the columns, by their names.
	Metadata       map[string]string
	ColumnMetadata map[string]map[string]string
	Job            string
	// Next returns the next row with one cell for each column, and io.EOF after the last
	// row. The slice is valid until the next call.
	Next func() ([]string, error)
}

// Check returns a user error if the load cannot succeed for any table.
func (l Load) Check() error {
	if _, _, err := splitTableID(l.Table); err != nil {
		return err
	}
	if len(l.Columns) == 0 {
		return l.userf("the table has no columns")
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

// Load loads rows into a table, either all or none of them. It does not hold all rows in
// memory. It returns a user error if the rows do not fit the table, and returns errors of
// Next unchanged. Only one load runs at a time; other loads wait.
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
		err = s.mergePending(l.Table)
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
	earlier tableRecord // the table before the load, zero if it is new
	table   tableRecord // the table after the load
	merge   bool        // whether to merge the rows with the rows of the earlier table
	staged  uint64      // the generation that the load writes to, 0 before the first batch

	columnIndexes []int  // index of each loaded column in the table
	key           []int  // indexes of the primary key in a row of the table
	start         []byte // the beginning of each stored row
	cells         []string
	count         int // rows read so far
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
		// The previous load may have failed to do this.
		if err := s.mergePending(l.Table); err != nil {
			return nil, err
		}
		if err := w.extend(); err != nil {
			return nil, err
		}
	}
	for _, c := range l.Columns {
		w.columnIndexes = append(w.columnIndexes, slices.IndexFunc(w.table.Columns, func(d Column) bool { return c.Name == d.Name }))
	}
	for _, name := range w.table.PrimaryKey {
		w.key = append(w.key, slices.IndexFunc(w.table.Columns, func(c Column) bool { return c.Name == name }))
	}
	w.cells = make([]string, len(w.table.Columns))
	return w, nil
}

// extend computes the description of the table after an incremental load.
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

// loadedRow is a row to be stored. key is nil if the table has no primary key.
type loadedRow struct{ key, row []byte }

// read reads a batch of rows. It returns false after the last row.
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
		if len(given) != len(l.columnIndexes) {
			return nil, false, l.userf("row %d has %d cells, not one for each of the %d columns", l.count, len(given), len(l.columnIndexes))
		}
		for i, cell := range given {
			l.cells[l.columnIndexes[i]] = cell
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

// put stores a row under the number of the row that it replaces, or under a new number.
func (l *load) put(staged, earlier generation, r loadedRow) error {
	var rowNumber []byte
	if r.key != nil {
		if rowNumber = staged.key(r.key); rowNumber == nil {
			rowNumber = earlier.key(r.key)
		}
	}
	if rowNumber != nil {
		replaced := staged.cell(rowNumber)
		if replaced == nil {
			replaced = earlier.cell(rowNumber)
		}
		l.table.Bytes -= rowBytes(replaced)
		rowNumber = slices.Clone(rowNumber)
	} else {
		rowNumber = number(l.table.Next)
		l.table.Next++
		l.table.Rows++
		if r.key != nil {
			if err := staged.keys.Put(r.key, rowNumber); err != nil {
				return err
			}
		}
	}
	l.table.Bytes += rowBytes(r.row)
	return staged.cells.Put(rowNumber, r.row)
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
