package mapping

import (
	"bytes"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// ConfiguredBatch adds the rows of one page.
type ConfiguredBatch struct {
	owner   *ConfiguredMapper
	table   *mappedTable
	columns value.Packed // user and parent columns
	given   []Column     // the same columns, before packing
	origin  any
}

// Row adds one row and all rows of child tables in it. It does not keep the memory of
// row. A value that does not fit its column is a user error; the mapper must not be
// used after an error.
func (b *ConfiguredBatch) Row(row value.Packed) error { return b.writeRow(b.table, row, linkCell{}) }

// linkCell is the cell of a child row that refers to the parent row.
type linkCell struct {
	text []byte
	kind csvtable.Kind
}

// writeRow writes one row of a table, after the rows of its child tables, which may
// belong to the same table. link is the key of the parent.
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
	b.check(t, r)
	return b.owner.store(t, r)
}

// blank reports whether a value is missing, null or an empty text.
func blank(v value.Packed) bool {
	k := v.Kind()
	return k == value.Null || k == value.String && len(v.Raw()) == 0
}

// find returns the value at the path of a setting, or null. If the row is an object,
// members are its members.
func (b *ConfiguredBatch) find(t *mappedTable, setting int, row value.Packed, members []packedMember) value.Packed {
	s := &t.settings[setting]
	if s.kind == typeUser {
		found, _ := b.columns.Walk(s.pathSegments)
		return found
	}
	k := row.Kind()
	if s.path == "" && k != value.Null && k != value.Array && k != value.Object {
		return row
	}
	if k != value.Object || len(s.pathSegments) == 0 {
		found, _ := row.Walk(s.pathSegments)
		return found
	}
	// Rows mostly have their members in the same order: try the last index first.
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

// otherValue returns the value at the other path of a setting, or null.
func otherValue(s *entry, row value.Packed) value.Packed {
	if found, ok := row.Walk(s.orSegments); ok {
		return found
	}
	found, _ := row.Member(s.or)
	return found
}

func indexOf(members []packedMember, name string) int {
	return slices.IndexFunc(members, func(m packedMember) bool { return string(m.name) == name })
}

// cellError returns the error for a list or an object in a column. The message does not
// show the value.
func (t *mappedTable) cellError(s *entry, k value.Kind) error {
	fix := `set "forceType" to true to store it as JSON text, or give it a table of its own with "type": "table"`
	if s.kind == typeUser {
		fix = `name a single value in it, with "/" between the names`
	}
	return failure.Userf("column %q of table %q cannot hold an %s: %s", s.destination, t.name, k, fix).At(s.pointer)
}

// writeChildren writes the rows of the child tables in a row. The row's own cells must
// be set, because they may be the key that the children refer to.
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
			b.checkTruncated(t, i, row) // a flag belongs to the first list beside it
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

// hasItems reports whether a value has rows of a child table: the items of a list, or
// the value itself. An empty value has one row if the parent has a primary key, unless
// the child table is optional. The exception is a table that is its own child, because
// each such row would have another one.
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

// linkKey returns the cell by which child rows refer to their parent: its primary key,
// or a hash of the row. A key of one column has the same kind on both sides, so that
// the two columns can be joined.
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
