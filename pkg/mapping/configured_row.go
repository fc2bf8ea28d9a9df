package mapping

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/table"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// userSeparator parts the segments of paths to user and parent columns; their
// names may hold dots.
const userSeparator = "/"

// ConfiguredBatch is the rows of one page.
type ConfiguredBatch struct {
	owner   *Configured
	table   *mapped
	columns value.Value // user and parent columns
}

// Row adds one row and all rows of child tables in it. A value that does not fit
// its column is a user error; the collector is of no use then.
func (b *ConfiguredBatch) Row(row value.Value) error { return b.row(b.table, row, reference{}) }

// reference is the cell by which the rows of a child table refer to their
// parent.
type reference struct {
	text string
	kind table.Kind
}

// row writes one row of a table, after the rows of its child tables: they may
// belong to the same table. The link is the key of the parent.
func (b *ConfiguredBatch) row(t *mapped, row value.Value, link reference) error {
	r := b.owner.record(t)
	for i := range t.settings {
		s := &t.settings[i]
		if s.kind == typeTable {
			continue
		}
		v := b.find(s, row)
		if !v.IsScalar() && !v.IsNull() && !s.asJSON {
			return t.refused(s, v)
		}
		r.setValue(s.column, text(v), v)
	}
	if t.link != none {
		r.set(t.link, link.text, link.kind)
	}
	if err := b.children(t, row, r); err != nil {
		return err
	}
	return b.owner.store(t, r)
}

// find is the value a setting asks for, null when there is none.
func (b *ConfiguredBatch) find(s *setting, row value.Value) value.Value {
	if s.kind == typeUser {
		v, _ := b.columns.At(s.path, userSeparator)
		return v
	}
	if s.path == "" && row.IsScalar() {
		return row
	}
	v, _ := row.At(s.path, s.delimiter)
	return v
}

// refused is the error of a list or an object that came for a column. It shows
// nothing of the value.
func (t *mapped) refused(s *setting, v value.Value) error {
	mend := `set "forceType" to true to store it as JSON text, or give it a table of its own with "type": "table"`
	if s.kind == typeUser {
		mend = `name a single value in it, with "/" between the names`
	}
	return failure.Userf("column %q of table %q cannot hold an %s: %s", s.destination, t.name, v.Kind(), mend).At(s.pointer)
}

// children writes the rows of the child tables in a row. The row's own cells
// are there already, for they may be the key that the children refer to.
func (b *ConfiguredBatch) children(t *mapped, row value.Value, r record) error {
	var key reference
	known := false
	for i := range t.settings {
		s := &t.settings[i]
		if s.kind != typeTable {
			continue
		}
		items := t.items(s, b.find(s, row))
		if len(items) == 0 {
			continue
		}
		var link reference
		if s.linked {
			if !known {
				key, known = b.key(t, row, r), true
			}
			link = key
		}
		if s.column != none {
			r.set(s.column, key.text, key.kind)
		}
		for _, item := range items {
			if err := b.row(s.child, item, link); err != nil {
				return err
			}
		}
	}
	return nil
}

// items are the rows of a child table in a value: the items of a list, or the
// value itself. Empty values are none, but a child row tells even of them where
// the parent has a primary key. A table that is its own child has no such rows,
// for each of them would bring the next one.
func (t *mapped) items(s *setting, v value.Value) []value.Value {
	switch {
	case v.Kind() == value.Array:
		return v.Items()
	case v.Kind() != value.Object && v.Empty() && (len(t.key) == 0 || s.child == t):
		return nil
	default:
		return []value.Value{v}
	}
}

// key is what the rows of child tables refer to their parent by: its primary
// key, or a hash of the row. A key of one column has the same kind on both sides,
// so that the two can be joined.
func (b *ConfiguredBatch) key(t *mapped, row value.Value, r record) reference {
	switch len(t.key) {
	case 0:
		return reference{b.owner.hasher.key(row, b.columns), table.Text}
	case 1:
		return reference{r.cells[t.key[0]], r.kind(t.key[0])}
	}
	parts := make([]string, len(t.key))
	for i, place := range t.key {
		parts[i] = r.cells[place]
	}
	return reference{strings.Join(parts, ","), table.Text}
}
