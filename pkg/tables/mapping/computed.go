package mapping

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// checkComputed returns a user error if a data type with a computed name shares its table
// with another data type or with a list. Columns of different data would be mixed.
func (a *AutomaticMapper) checkComputed(l *layout) error {
	for i, t := range a.order {
		if t.dropped {
			continue
		}
		file := l.roots[i].file
		if t.pointer == "" || file == nil || !file.shared() {
			continue
		}
		other := file.tables[0]
		if other == l.roots[i] {
			other = file.tables[1]
		}
		return failure.Userf("the data type %q has the name of the table for %q; make another name, such as with a prefix", t.root.name, other.element.path()).At(t.pointer)
	}
	return nil
}

// Names returns the names of all tables of the mappings: data types, child tables and
// tables below these.
func (m Mappings) Names() []string {
	names := make([]string, len(m.tables))
	for i, t := range m.tables {
		names[i] = t.name
	}
	return names
}

// WithoutTemplates returns the mappings without the tables of the given data types, but
// with their child tables. The result may be used only for WriteMissing.
func (m Mappings) WithoutTemplates(dataTypes []string) Mappings {
	m.tables = slices.DeleteFunc(slices.Clone(m.tables), func(t *mappedTable) bool {
		return slices.ContainsFunc(dataTypes, func(name string) bool { return m.roots[name] == t })
	})
	return m
}

// BatchNamed begins the rows of one page of a table that has a mapping under another
// name. All tables of the mapping have the same columns, and share its child tables.
func (c *ConfiguredMapper) BatchNamed(mapping, table string, columns []Column) *ConfiguredBatch {
	key := tableOf{mapping, table}
	t := c.named[key]
	if t == nil {
		if c.named == nil {
			c.named = map[tableOf]*mappedTable{}
		}
		t = c.addNamed(c.mappings.roots[mapping], table)
		c.named[key] = t
	}
	c.rows[t.number].reached = true
	return &ConfiguredBatch{owner: c, table: t, columns: packColumns(columns), given: columns}
}

// tableOf is a table with the name of the mapping that it has.
type tableOf struct{ mapping, table string }

// addNamed adds a table with the settings of a template.
func (c *ConfiguredMapper) addNamed(template *mappedTable, name string) *mappedTable {
	t := *template
	t.number, t.name, t.template = len(c.tables), name, template
	t.settings = slices.Clone(template.settings)
	for i := range t.settings {
		if t.settings[i].child == template {
			t.settings[i].child = &t
		}
	}
	c.tables = append(c.tables, &t)
	// A path is not missing if one table has it, so the tables share
	// what is known about paths.
	c.rows = append(c.rows, newOutput(&t, gaps{columnGaps: c.rows[template.number].gaps.columnGaps}))
	return &t
}
