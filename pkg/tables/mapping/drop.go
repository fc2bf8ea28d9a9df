package mapping

import "slices"

// TableNames returns the names of the tables of a data type. A data type
// without a mapping has only the name of its own table.
func (m Mappings) TableNames(dataType string) []string {
	if !m.Has(dataType) {
		return []string{TableName(dataType)}
	}
	var names []string
	for _, t := range m.tablesOf(dataType) {
		names = append(names, t.name)
	}
	return names
}

// tablesOf returns the tables of a data type that is mapped: its own table, followed by
// its child tables.
func (m Mappings) tablesOf(dataType string) []*mappedTable {
	roots := map[*mappedTable]bool{}
	for _, t := range m.roots {
		roots[t] = true
	}
	first := slices.Index(m.tables, m.roots[dataType])
	if first < 0 {
		return nil
	}
	end := first + 1
	for end < len(m.tables) && !roots[m.tables[end]] {
		end++ // child tables follow
	}
	return m.tables[first:end]
}

// Drop removes the rows of a data type, and of all tables of BatchNamed with its mapping.
// The data type must not get rows afterwards.
func (c *ConfiguredMapper) Drop(dataType string) {
	if !c.Has(dataType) {
		return
	}
	tables := slices.Clone(c.mappings.tablesOf(dataType))
	for key, t := range c.named {
		if key.mapping == dataType {
			tables = append(tables, t)
		}
	}
	for _, t := range tables {
		if w := c.rows[t.number].writer; w != nil {
			w.Discard()
		}
		c.rows[t.number] = newOutput(t, newGaps(t))
	}
	c.truncated = nil
}

// Drop removes the rows of a data type. Their records stay in the spool and are skipped.
// The data type must not get rows afterwards.
func (a *AutomaticMapper) Drop(dataType string) {
	t := a.types[dataType]
	if t == nil || t.dropped {
		return
	}
	t.dropped = true
	a.properties -= t.properties
	a.names -= t.names
	a.flags = a.flags[:0]
}

// TableNames returns the names of the tables that a data type may have: its own, and the
// names for lists in its items, also of earlier runs and after Drop.
func (a *AutomaticMapper) TableNames(dataType string) []string {
	names := []string{TableName(dataType)}
	root := a.known[dataType]
	if t := a.types[dataType]; t != nil {
		root = t.root
	}
	if root == nil {
		return names
	}
	var add func(n *node, path nameBuilder)
	add = func(n *node, path nameBuilder) {
		for _, c := range n.children {
			below := path.child(c.name)
			switch {
			case c.isFlat():
				add(c, below)
			case c.kind == kindArray:
				names = append(names, below.name())
				add(c.element, below)
			}
		}
	}
	add(root.element, newNameBuilder(dataType))
	return names
}
