package store

import (
	"context"
	"errors"
	"fmt"
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
	// Typed makes a new table typed. A load into a typed table must fit its columns.
	// After a load without Typed, the table is not typed.
	Typed bool
	// Begin is called before the first call of Next, with the columns of a typed table in
	// the order of Columns, or with nil for another table. It may be nil.
	Begin func(typed []Column)
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
func (s *Store) Load(ctx context.Context, l Load) (Table, error) {
	if err := l.Check(); err != nil {
		return Table{}, err
	}
	s.loading.Lock()
	defer s.loading.Unlock()
	before, err := readOne[tableRecord](s, tables, []byte(l.Table))
	found := !errors.Is(err, ErrNotFound)
	if err != nil && found {
		return Table{}, err
	}
	err = nil
	after := tableRecord{Table: Table{ID: l.Table, Columns: l.Columns, PrimaryKey: l.PrimaryKey, Created: before.Created}}
	switch {
	case l.Typed && (!found || before.Typed):
		after.Table, err = s.forTypes(l, before.Table, found)
	case l.Incremental && found:
		after.Table, err = l.extend(before.Table)
		after.Typed = false
	}
	if err != nil {
		return Table{}, err
	}
	l.begin(after.Table)
	if after.Typed && !l.Incremental {
		l = l.inOrder(after.Columns)
	}
	if err := s.writeRows(ctx, l, before, &after); err != nil {
		s.discardRows(after)
		return Table{}, err
	}
	after.Bucket, after.Name, _ = splitTableID(l.Table) // checked above
	after.LastImport, after.Job = s.clock(), l.Job
	if !found {
		after.Created = after.LastImport
	}
	err = s.write(func(tx *bbolt.Tx) error {
		if err := s.ensureBucket(tx, after.Bucket); err != nil {
			return err
		}
		if err := s.describe(tx, after.Table, providerOf(tx, l.Job), l.Metadata, l.ColumnMetadata); err != nil {
			return err
		}
		return put(tx, tables, []byte(after.ID), after)
	})
	if err != nil {
		s.discardRows(after)
		return Table{}, err
	}
	s.discardRows(before)
	return after.Table, nil
}

// extend returns the description of a table after an incremental load.
func (l Load) extend(t Table) (Table, error) {
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
		return t, l.userf("columns of the table are missing in an incremental load: %s", strings.Join(missing, ", "))
	}
	if !slices.Equal(slices.Sorted(slices.Values(t.PrimaryKey)), slices.Sorted(slices.Values(l.PrimaryKey))) {
		return t, l.keyChange(t)
	}
	for _, c := range l.Columns {
		if !slices.ContainsFunc(t.Columns, func(d Column) bool { return d.Name == c.Name }) {
			t.Columns = append(t.Columns, c)
		}
	}
	return t, l.checkWidth(len(t.Columns))
}

// inOrder returns the load with its columns in another order. All columns must be columns
// of the load.
func (l Load) inOrder(columns []Column) Load {
	from := make([]int, len(columns))
	for i, c := range columns {
		from[i] = slices.IndexFunc(l.Columns, func(d Column) bool { return d.Name == c.Name })
	}
	next, cells := l.Next, make([]string, len(columns))
	width := len(l.Columns)
	l.Columns = columns
	l.Next = func() ([]string, error) {
		row, err := next()
		if err != nil || len(row) != width {
			return row, err
		}
		for i, at := range from {
			cells[i] = row[at]
		}
		return cells, nil
	}
	return l
}

func (l Load) keyChange(t Table) error {
	return l.userf("the primary key of an incremental load is %s, that of the table is %s", keyText(l.PrimaryKey), keyText(t.PrimaryKey))
}

// begin calls Begin with the columns of the table.
func (l Load) begin(t Table) {
	if l.Begin == nil {
		return
	}
	var columns []Column
	for _, c := range l.Columns {
		if at := slices.IndexFunc(t.Columns, func(d Column) bool { return d.Name == c.Name }); t.Typed && at >= 0 {
			columns = append(columns, t.Columns[at])
		}
	}
	l.Begin(columns)
}

func keyText(columns []string) string {
	if len(columns) == 0 {
		return "none"
	}
	return fmt.Sprintf("%q", columns)
}
