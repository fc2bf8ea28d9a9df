package mapping

import (
	"slices"
	"strings"
	"unicode"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Gap is a column that no item of a run filled, or a primary key with empty values.
type Gap struct {
	Table, Pointer string
	// Column and Path belong to a setting with a path that no item has. Near is a
	// similar path that items have, or "".
	Column, Path, Near string
	// Key is the primary key. It is nil for a gap of a column.
	Key []string
	// Rows is the number of rows with an empty value in the primary key. It is 0 for a
	// gap of a column.
	Rows int
	// Origin is the origin of the first item of the table, or of the first row with an
	// empty key.
	Origin any
}

// gaps collects the gaps of one table.
type gaps struct {
	*columnGaps
	// unkeyedRows is the number of rows with an empty value in the primary key.
	unkeyedRows   int
	unkeyedOrigin any // origin of the first of these rows
}

// columnGaps collects the gaps of the columns of one mapping.
type columnGaps struct {
	items  int
	origin any // origin of the first item
	// found is true, for each setting, if an item had a value at its path.
	found []bool
	// missing is the number of settings with found set to false.
	missing int
	// near holds, for each setting, names that items have instead of the missing name.
	near []nearNames
}

// nearNames holds the names of members of the object that a path ends in.
type nearNames struct {
	depth int // number of segments before the missing one
	names []string
}

// Names are collected from the first items, and then from some items only.
const (
	firstItems      = 100
	sampleInterval  = 64
	maxNearNames    = 200 // names for one path
	maxNearNameSize = 200 // bytes
)

func newGaps(t *mappedTable) gaps {
	g := gaps{columnGaps: &columnGaps{found: make([]bool, len(t.settings)), near: make([]nearNames, len(t.settings))}}
	for i := range t.settings {
		if s := &t.settings[i]; s.kind == typeUser || len(s.pathSegments) == 0 {
			g.found[i] = true // it is not a path into the item
		} else {
			g.missing++
		}
	}
	return g
}

// collectGaps collects the gaps of an item. All cells of its row r are set.
func (b *ConfiguredBatch) collectGaps(t *mappedTable, row value.Packed, r mappedRecord) {
	g := &b.owner.rows[t.number].gaps
	if g.items++; g.items == 1 {
		g.origin = b.origin
	}
	if g.missing > 0 {
		b.collectFound(t, row, r)
	}
	for _, column := range t.key {
		if len(r.cells[column]) == 0 && b.lacksKey(t, column, row, r.members) {
			if g.unkeyedRows == 0 {
				g.unkeyedOrigin = b.origin
			}
			g.unkeyedRows++
			return
		}
	}
}

// collectFound looks for values of settings that no earlier item had.
func (b *ConfiguredBatch) collectFound(t *mappedTable, row value.Packed, r mappedRecord) {
	g := &b.owner.rows[t.number].gaps
	for i := range t.settings {
		if g.found[i] {
			continue
		}
		s := &t.settings[i]
		found := s.kind == typeColumn && len(r.cells[s.column]) > 0 || b.find(t, i, row, r.members) != nil
		if found || s.or != "" && otherValue(s, row) != nil {
			g.found[i] = true
			g.missing--
		}
	}
	if g.missing > 0 && (g.items <= firstItems || g.items%sampleInterval == 0) {
		g.collectNames(t, row)
	}
}

// lacksKey reports whether the value of a key column is missing. The cell is empty; so
// is the cell of false, which is not missing.
func (b *ConfiguredBatch) lacksKey(t *mappedTable, column int, row value.Packed, members []packedMember) bool {
	at := slices.IndexFunc(t.settings, func(s entry) bool { return s.kind != typeTable && s.column == column })
	if at < 0 || t.settings[at].optional {
		return false // a link to a parent with an empty key
	}
	s := &t.settings[at]
	v := b.find(t, at, row, members)
	if s.or != "" && blank(v) {
		v = otherValue(s, row)
	}
	return blank(v)
}

// collectNames collects names of members of an item for the settings without a value.
func (g *columnGaps) collectNames(t *mappedTable, row value.Packed) {
	for i := range t.settings {
		if g.found[i] {
			continue
		}
		at, depth, path := row, 0, t.settings[i].pathSegments
		for ; depth < len(path)-1; depth++ {
			inner, ok := at.Member(path[depth])
			if !ok {
				break
			}
			at = inner
		}
		near := &g.near[i]
		if at.Kind() != value.Object || depth < near.depth {
			continue
		}
		if depth > near.depth {
			*near = nearNames{depth: depth}
		}
		for members := at.Parts(); members.More(); members.Skip() {
			name := members.Name()
			if len(name) <= maxNearNameSize && len(near.names) < maxNearNames && !slices.ContainsFunc(near.names, func(known string) bool { return known == string(name) }) {
				near.names = append(near.names, string(name))
			}
		}
	}
}

// Gaps returns the gaps so far: columns in the order of the mapping, then keys.
func (c *ConfiguredMapper) Gaps() []Gap {
	var columns, keys []Gap
	for i, t := range c.tables {
		g := &c.rows[i].gaps
		if g.items == 0 {
			continue
		}
		for n := range t.settings {
			if s := &t.settings[n]; t.template == nil && !g.found[n] && !s.optional {
				columns = append(columns, Gap{Table: t.name, Pointer: s.pointer, Column: s.destination, Path: s.path, Near: t.nearestPath(n, g.near[n]), Origin: g.origin})
			}
		}
		if g.unkeyedRows > 0 {
			keys = append(keys, Gap{Table: t.name, Pointer: t.pointer, Key: c.mappings.csvTable(t, Defaults{}).PrimaryKey, Rows: g.unkeyedRows, Origin: g.unkeyedOrigin})
		}
	}
	return append(columns, keys...)
}

// nearestPath returns the path that a setting probably means, or "". It ignores names
// that another setting reads.
func (t *mappedTable) nearestPath(number int, near nearNames) string {
	s := &t.settings[number]
	missing, before := s.pathSegments[near.depth], s.pathSegments[:near.depth]
	reads := func(at []string, name string) bool {
		return len(at) > len(before) && slices.Equal(at[:len(before)], before) && at[len(before)] == name
	}
	best := ""
	for _, name := range near.names {
		read := slices.ContainsFunc(t.settings, func(other entry) bool { return reads(other.pathSegments, name) || reads(other.orSegments, name) })
		if !read && similarNames(missing, name) && (best == "" || failure.Distance(missing, name) < failure.Distance(missing, best)) {
			best = name
		}
	}
	if best == "" {
		return ""
	}
	return strings.Join(append(slices.Clone(before), best), s.delimiter)
}

// similarNames reports whether one name may be a typing error for the other: they are
// equal except for case and punctuation, or differ in one or two letters. Names that
// differ in a digit are different.
func similarNames(a, b string) bool {
	if a == b || digitsOf(a) != digitsOf(b) {
		return false
	}
	isLetter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	if strings.EqualFold(filterRunes(a, isLetter), filterRunes(b, isLetter)) {
		return true
	}
	const short, long = 4, 8
	shortest := min(len(a), len(b))
	switch failure.Distance(a, b) {
	case 1:
		return shortest >= short
	case 2:
		return shortest >= long && a[0] == b[0]
	default:
		return false
	}
}

func digitsOf(name string) string { return filterRunes(name, unicode.IsDigit) }

func filterRunes(name string, keep func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if keep(r) {
			return r
		}
		return -1
	}, name)
}
