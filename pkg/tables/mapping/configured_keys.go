package mapping

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Keyless is a table of a mapping that has no primary key.
type Keyless struct {
	Table   string
	Pointer string // JSON pointer of the mapping of the table
}

// Keyless returns the tables of a data type that have no primary key, its child tables
// included. It returns nil if the data type has no mapping.
func (m Mappings) Keyless(dataType string) []Keyless {
	if !m.Has(dataType) {
		return nil
	}
	var all []Keyless
	var visit func(t *mappedTable)
	visit = func(t *mappedTable) {
		if len(t.key) == 0 {
			all = append(all, Keyless{t.name, t.pointer})
		}
		for i, s := range t.settings {
			known := slices.ContainsFunc(t.settings[:i], func(o entry) bool { return o.child == s.child })
			if s.child != nil && s.child != t && !known {
				visit(s.child)
			}
		}
	}
	visit(m.roots[dataType])
	return all
}

// AppendKey appends the values of an item in the primary key of its table, in a form that
// is equal for equal keys. If the item lacks them all, it appends the whole item. User
// and parent columns are left out, because they are the same for all items of a job run.
func (m Mappings) AppendKey(dst []byte, dataType string, item value.Packed) []byte {
	if !m.Has(dataType) {
		return append(dst, item...)
	}
	start := len(dst)
	filled := false
	for _, s := range m.roots[dataType].settings {
		if s.kind != typeColumn || !s.primary {
			continue
		}
		v, _ := item.At(s.path, s.delimiter)
		if s.or != "" && v.IsBlank() {
			v, _ = item.At(s.or, s.delimiter)
		}
		filled = filled || !v.IsBlank()
		dst = append(append(dst, v.JSON()...), ',')
	}
	if !filled {
		return append(dst[:start], item...)
	}
	return dst
}
