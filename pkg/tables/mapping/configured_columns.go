package mapping

import (
	"slices"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

// arrange numbers the columns: settings in their order, then the link to the parent.
// The setting of a linked child table has a column only if the table has no primary
// key: it holds the key that the child rows refer to. Settings of the same child table
// share a column.
func (c *mappingCompiler) arrange(t *mappedTable, parent link) {
	keyed := parent.on && parent.primary || slices.ContainsFunc(t.settings, func(s entry) bool { return s.primary })
	takenBy := map[string]*entry{}
	for i := range t.settings {
		s := &t.settings[i]
		if s.kind == typeTable && (keyed || !s.linked) {
			continue
		}
		name, ok := c.columnName(s.destination, s.pointer)
		switch other := takenBy[name]; {
		case !ok:
		case other == nil:
			takenBy[name] = s
			s.column = t.add(name, s.primary)
		case other.kind == typeTable && s.kind == typeTable && other.destination == s.destination:
			s.column = other.column
		default:
			c.reportTaken(t, s.destination, other.destination, s.pointer)
		}
	}
	defer t.typeColumns()
	if !parent.on {
		return
	}
	name, ok := c.columnName(parent.name, parent.pointer)
	switch other := takenBy[name]; {
	case !ok:
	case other != nil:
		c.reportTaken(t, parent.name, other.destination, parent.pointer)
	default:
		t.link = t.add(name, parent.primary)
	}
}

// columnName returns the name of a column as it is written. If a typed table cannot
// have the name, columnName reports a problem and returns false.
func (c *mappingCompiler) columnName(name, pointer string) (string, bool) {
	if !c.typed {
		return name, true
	}
	stored, err := csvtable.StoredName(name)
	if err != nil {
		c.problem(pointer, "expected another name: "+failure.Part(err.Error()))
	}
	return stored, err == nil
}

// add appends a column and returns its index.
func (t *mappedTable) add(name string, primary bool) int {
	column := len(t.columns)
	t.columns = append(t.columns, name)
	if primary {
		t.key = append(t.key, column)
	}
	return column
}

// reportTaken reports that another column has the name of a column, or the same stored
// name.
func (c *mappingCompiler) reportTaken(t *mappedTable, column, other, pointer string) {
	text := failure.Text("a column with this name")
	if column != other {
		text = "the column " + quotedName(other) + ", and both would be stored under one name"
	}
	c.problem(pointer, "expected another name for the column "+quotedName(column)+": table "+quotedName(t.name)+" already has "+text)
}

func quotedName(name string) failure.Text { return failure.Part(strconv.Quote(name)) }
