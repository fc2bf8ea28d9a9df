package mapping

import (
	"bytes"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// ConfiguredBatch is the rows of one page.
type ConfiguredBatch struct {
	owner   *ConfiguredMapper
	table   *mappedTable
	columns value.Packed // user and parent columns
	origin  any
}

// Row adds one row and all rows of child tables in it; nothing of it is kept. A
// value that does not fit its column is a user error; the collector must not be
// used afterwards.
func (b *ConfiguredBatch) Row(row value.Packed) error { return b.writeRow(b.table, row, linkCell{}) }

// linkCell is the cell by which the rows of a child table refer to their
// parent.
type linkCell struct {
	text []byte
	kind csvtable.Kind
}

// row writes one row of a table, after the rows of its child tables: they may
// belong to the same table. The link is the key of the parent.
func (b *ConfiguredBatch) writeRow(t *mappedTable, row value.Packed, link linkCell) error {
	r := b.owner.emptyRecord(t)
	if row.Kind() == value.Object {
		for parts := row.Parts(); parts.More(); {
			name := parts.Name()
			r.members = append(r.members, packedMember{name, parts.Value()})
		}
	}
	for i := range t.settings {
		s := &t.settings[i]
		if s.kind == typeTable {
			continue
		}
		v := b.find(t, i, row, r.members)
		if s.or != "" && blank(v) {
			v = otherValue(s, row)
		}
		if k := v.Kind(); (k == value.Array || k == value.Object) && !s.asJSON {
			return t.cellError(s, k)
		}
		r.setValue(s.column, cellText(v), v)
	}
	if t.link != none {
		r.set(t.link, link.text, link.kind)
	}
	if err := b.writeChildren(t, row, r); err != nil {
		return err
	}
	if !blank(row) { // a blank row stands for a missing item
		b.collectGaps(t, row, r)
	}
	return b.owner.store(t, r)
}

// blank reports whether a value is missing, null or an empty text.
func blank(v value.Packed) bool {
	k := v.Kind()
	return k == value.Null || k == value.String && len(v.Raw()) == 0
}

// find is the value that a setting of a table requests, null when there is none.
// The members are those of the row, if it is an object.
func (b *ConfiguredBatch) find(t *mappedTable, setting int, row value.Packed, members []packedMember) value.Packed {
	s := &t.settings[setting]
	if s.kind == typeUser {
		return s.pathSegments.find(b.columns)
	}
	k := row.Kind()
	if s.path == "" && k != value.Null && k != value.Array && k != value.Object {
		return row
	}
	if k != value.Object || len(s.pathSegments) == 0 {
		return s.pathSegments.find(row)
	}
	// Rows mostly have their members in one order, so the last index is tried first.
	at := &b.owner.rows[t.number].found[setting]
	if *at >= len(members) || string(members[*at].name) != s.pathSegments[0] {
		*at = max(0, indexOf(members, s.pathSegments[0]))
	}
	if *at < len(members) && string(members[*at].name) == s.pathSegments[0] {
		if found, ok := members[*at].value.Walk(s.pathSegments[1:]); ok {
			return found
		}
	}
	if len(s.pathSegments) == 1 {
		return nil
	}
	if whole := indexOf(members, s.path); whole >= 0 { // the whole path is a name
		return members[whole].value
	}
	return nil
}

// other is the value at the other path of a setting, null when there is none.
func otherValue(s *entry, row value.Packed) value.Packed {
	if found, ok := row.Walk(s.orSegments); ok {
		return found
	}
	found, _ := row.Member(s.or)
	return found
}

// indexOf is the place of the member of that name, -1 for none.
func indexOf(members []packedMember, name string) int {
	return slices.IndexFunc(members, func(m packedMember) bool { return string(m.name) == name })
}

// refused is the error of a list or an object that came for a column. It shows
// nothing of the value.
func (t *mappedTable) cellError(s *entry, k value.Kind) error {
	fix := `set "forceType" to true to store it as JSON text, or give it a table of its own with "type": "table"`
	if s.kind == typeUser {
		fix = `name a single value in it, with "/" between the names`
	}
	return failure.Userf("column %q of table %q cannot hold an %s: %s", s.destination, t.name, k, fix).At(s.pointer)
}

// children writes the rows of the child tables in a row. The row's own cells
// are there already, because they may be the key that the children refer to.
func (b *ConfiguredBatch) writeChildren(t *mappedTable, row value.Packed, r mappedRecord) error {
	var key linkCell
	known, looked := false, false
	for i := range t.settings {
		s := &t.settings[i]
		if s.kind != typeTable {
			continue
		}
		v := b.find(t, i, row, r.members)
		if beside := len(s.pathSegments) == 1; v.Kind() == value.Array && !(beside && looked) {
			b.checkTruncated(t, i, row) // a flag belongs to the first of several lists beside it
			looked = looked || beside
		}
		if !t.hasItems(s, v) {
			continue
		}
		var link linkCell
		if s.linked {
			if !known {
				key, known = b.linkKey(t, row, r), true
			}
			link = key
		}
		if s.column != none {
			r.set(s.column, key.text, key.kind)
		}
		if err := b.writeItems(s.child, v, link); err != nil {
			return err
		}
	}
	return nil
}

// hasItems reports whether there are rows of a child table in a value: the items
// of a list, or the value itself. Empty values are none, but they have a child row
// all the same where the parent has a primary key, unless the table is optional. A table
// that is its own child has no such rows, for each of them would bring the next one.
func (t *mappedTable) hasItems(s *entry, v value.Packed) bool {
	k := v.Kind()
	if s.optional && (k == value.Null || v.Empty()) {
		return false
	}
	switch k {
	case value.Array:
		items := v.Parts()
		return items.More()
	case value.Object:
		return true
	default:
		return len(t.key) > 0 && s.child != t || !v.Value().Empty()
	}
}

// items writes the rows of a child table in a value.
func (b *ConfiguredBatch) writeItems(child *mappedTable, v value.Packed, link linkCell) error {
	if v.Kind() != value.Array {
		return b.writeRow(child, v, link)
	}
	for items := v.Parts(); items.More(); {
		if err := b.writeRow(child, items.Value(), link); err != nil {
			return err
		}
	}
	return nil
}

// key is what the rows of child tables refer to their parent by: its primary
// key, or a hash of the row. A key of one column has the same kind on both sides,
// so that the two can be joined.
func (b *ConfiguredBatch) linkKey(t *mappedTable, row value.Packed, r mappedRecord) linkCell {
	switch len(t.key) {
	case 0:
		return linkCell{b.owner.hasher.key(row, b.columns), csvtable.Text}
	case 1:
		return linkCell{r.cells[t.key[0]], r.kind(t.key[0])}
	}
	parts := make([][]byte, len(t.key))
	for i, column := range t.key {
		parts[i] = r.cells[column]
	}
	return linkCell{bytes.Join(parts, []byte(",")), csvtable.Text}
}
