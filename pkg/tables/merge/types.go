package merge

import (
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

// columnCheck is the check of a column of the merged table.
type columnCheck struct {
	csvtable.CellCheck
	column   int
	declared csvtable.ColumnType
}

// typeColumns determines the types of the merged table: the types that this run declares,
// and the types of columns that only the earlier table has. The types of other columns follow from
// the cells of both tables.
func (m *merger) typeColumns() {
	types := make([]csvtable.ColumnType, len(m.columns))
	known := false
	indexes := map[string]int{} // a map, as the earlier table may have any number of columns
	for i, name := range m.columns {
		indexes[name] = i
	}
	set := func(column string, t csvtable.ColumnType) int {
		at, ok := indexes[column]
		if !ok || t.Base == "" {
			return -1
		}
		types[at], known = t, true
		return at
	}
	current := map[string]bool{}
	for _, name := range m.current().columns {
		current[name] = true
	}
	for i, column := range m.before.Columns {
		if t := m.before.Types[i]; !current[column] {
			t.Nullable = true // rows of this run have no value
			set(column, t)
		}
	}
	if declared := m.dirs.Declared[m.name]; declared.Types != nil {
		for i, column := range declared.Columns {
			at := set(column, declared.Types[i])
			if at < 0 || declared.Lenient != nil && declared.Lenient[i] {
				continue
			}
			if check, all := types[at].Check(); !all {
				m.checks = append(m.checks, columnCheck{check, at, types[at]})
			}
		}
	}
	if known {
		m.types = types
	}
}

// checkRow returns a user error if a row of the earlier table does not fit the declared
// types.
func (m *merger) checkRow(cells []string) error {
	for i := range m.checks {
		c := &m.checks[i]
		m.cell = append(m.cell[:0], cells[c.column]...)
		if c.Fits(m.cell) {
			continue
		}
		found := "does not fit"
		if len(m.cell) == 0 {
			found = "is empty, which does not fit"
		}
		// The cell is not shown: it may be a secret of the earlier run.
		return earlierError(m.sources[0].path, failure.Userf("line %d: the cell of column %q %s the type %s that the mapping declares", m.sources[0].records.Line(), m.columns[c.column], found, c.declared))
	}
	return nil
}

// rowError returns the error of a written row. A user error is about the earlier table and
// does not change.
func (m *merger) rowError(err error) error {
	if failure.KindOf(err) == failure.User {
		return err
	}
	return m.fileError(err)
}
