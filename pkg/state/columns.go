package state

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

const keyColumns = "tableColumns"

// Columns remembers the columns of tables by their file names. It does so only
// when it is asked to: other runs leave the state as the original does.
type Columns struct {
	watching bool
	broken   bool        // what the previous run left is not what Changed leaves
	known    value.Value // an object, or null
}

func (c *Columns) Keys() []string { return []string{keyColumns} }

func (c *Columns) Load(previous value.Value) {
	c.known = previous.Field(keyColumns)
	if c.broken = !c.known.IsNull() && !columnsByTable(c.known); c.broken {
		c.known = value.Value{}
	}
}

func (c *Columns) Save() []value.Member {
	if !c.watching || c.known.IsNull() {
		return nil
	}
	return []value.Member{{Name: keyColumns, Value: c.known}}
}

// Watch begins to remember columns. warn is called once if those that the previous
// run left cannot be read.
func (c *Columns) Watch(warn func(text string)) {
	if !c.watching && c.broken {
		warn("'" + keyColumns + "' is no object of lists of columns by tables; all tables are taken as new")
	}
	c.watching = true
}

// Changed remembers the columns of a table, and reports how they differ from those
// of the last run that wrote it. Tables that this run does not write stay as they
// are known.
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
	return lacking(columns, old), lacking(old, columns), true
}

// columnsByTable reports whether a value is what Changed leaves.
func columnsByTable(v value.Value) bool {
	for _, m := range v.Members() {
		if m.Value.Kind() != value.Array || slices.ContainsFunc(m.Value.Items(), func(item value.Value) bool { return item.Kind() != value.String }) {
			return false
		}
	}
	return v.Kind() == value.Object
}

// lacking is what the first list has and the second one lacks.
func lacking(list, from []string) (lacking []string) {
	for _, s := range list {
		if !slices.Contains(from, s) {
			lacking = append(lacking, s)
		}
	}
	return lacking
}
