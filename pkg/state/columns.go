package state

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

const keyColumns = "tableColumns"

// Columns stores the columns of tables by file name. It stores them only after Watch:
// otherwise the state equals the state of the original extractor.
type Columns struct {
	watching bool
	broken   bool        // true if the state of the previous run is not readable
	known    value.Value // an object, or null
}

func (c *Columns) load(previous value.Value) {
	c.known = previous.Field(keyColumns).AsObject()
	if c.broken = !c.known.IsNull() && !columnsByTable(c.known); c.broken {
		c.known = value.Value{}
	}
}

func (c *Columns) save() []value.Member {
	if !c.watching || c.known.IsNull() {
		return nil
	}
	return []value.Member{{Name: keyColumns, Value: c.known}}
}

// Watch makes Columns store columns. It calls warn if the columns of the previous run
// cannot be read.
func (c *Columns) Watch(warn func(text string)) {
	if !c.watching && c.broken {
		warn("'" + keyColumns + "' is not an object of lists of columns by tables; all tables are taken as new")
	}
	c.watching = true
}

// Changed stores the columns of a table. It returns the differences from the columns of
// the last run that wrote the table. Tables that this run does not write keep their
// columns.
func (c *Columns) Changed(table string, columns []string) (added, removed []string, changed bool) {
	if !c.watching {
		return nil, nil, false
	}
	before, ok := c.known.Get(table)
	now := value.OfStrings(columns)
	c.known = c.known.With(table, now)
	if !ok || before.Equal(now) {
		return nil, nil, false
	}
	old := make([]string, before.Len())
	for i, item := range before.Items() {
		old[i] = item.Text()
	}
	return missingFrom(columns, old), missingFrom(old, columns), true
}

// columnsByTable reports whether a value is an object of lists of strings.
func columnsByTable(v value.Value) bool {
	for _, m := range v.Members() {
		if m.Value.Kind() != value.Array || slices.ContainsFunc(m.Value.Items(), func(item value.Value) bool { return item.Kind() != value.String }) {
			return false
		}
	}
	return v.Kind() == value.Object
}

// missingFrom returns the items of list that are not in from.
func missingFrom(list, from []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(from, s) })
}
