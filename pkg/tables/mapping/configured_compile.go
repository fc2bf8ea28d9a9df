package mapping

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Mappings is `config.mappings` compiled: which data types are mapped, and how.
// It does not change, so several collectors can share it. The zero value maps
// nothing.
type Mappings struct {
	// tables in the order of their definition: a data type's own table, then
	// its child tables, depth first.
	tables []*mappedTable
	roots  map[string]*mappedTable // the data types' own
	typed  bool
}

// mappedTable is one table of a mapping. Several of them may have one name.
type mappedTable struct {
	number   int // its index in Mappings.tables
	name     string
	prefix   string // path from items of the data type to items of the table, ending with a dot; "" for the table of the data type
	pointer  string
	settings []entry
	columns  []string
	key      []int // columns of the primary key
	link     int   // column that links to the parent, or none
}

// none is the number of a column that does not exist.
const none = -1

// The types of settings.
const (
	typeColumn = "column"
	typeUser   = "user"
	typeTable  = "table"
)

// entry is one entry of a mapping.
type entry struct {
	kind         string // one of the types above
	path         string
	delimiter    string
	pathSegments segments // what path and delimiter say
	// or is the path of a column's value if there is none at the first one; "" for none.
	or         string
	orSegments segments
	pointer    string
	column     int // where its cell is, or none
	primary    bool
	asJSON     bool // lists and objects become JSON text
	// optional is true if the value may be missing. An optional child table has no row for
	// an empty value.
	optional bool
	// Of child tables:

	child  *mappedTable
	linked bool // to the row they are found in

	destination string // name of the column or the child table
}

// link is the column by which a child table refers to its parent.
type link struct {
	name    string
	pointer string
	primary bool
	on      bool
}

// Has reports whether a data type is mapped.
func (m Mappings) Has(dataType string) bool { return m.roots[dataType] != nil }

// CompileMappings reads `config.mappings`. What is wrong becomes problems of the
// section; with any, the result is good for nothing. For typed tables, see
// csvtable.Table, all columns get stored names.
func CompileMappings(s config.Section, typed bool) Mappings {
	c := mappingCompiler{problems: s.Problems()}
	c.roots, c.typed = map[string]*mappedTable{}, typed
	if s.Present() && s.Value.Kind() != value.Object {
		s.Fault(failure.InvalidMapping, "expected an object of mappings", "")
	}
	for _, m := range s.Value.Members() {
		mapping := s.Get(m.Name)
		c.roots[m.Name] = c.table(m.Name, mapping.Pointer, mapping, link{})
	}
	return c.Mappings
}

// mappingCompiler compiles the mappings of one document.
type mappingCompiler struct {
	Mappings
	problems *failure.Problems
}

func (c *mappingCompiler) problem(pointer string, expected failure.Text) {
	c.problems.Add(failure.Problem{Code: failure.InvalidMapping, Pointer: pointer, Expected: expected})
}

// table compiles the mapping of one table, whose name is at a pointer of its
// own. A list is a mapping too: its paths are the indexes. A table that cannot be a
// file is reported, and has no columns.
func (c *mappingCompiler) table(name, namePointer string, s config.Section, parent link) *mappedTable {
	t := c.columns(name, s, parent)
	if err := (csvtable.Table{Name: name}).CheckName(); err != nil {
		c.problem(namePointer, failure.Part(err.Error()))
		t.columns, t.key = nil, nil
	}
	return t
}

// columns compiles what the columns and child tables of a table are.
func (c *mappingCompiler) columns(name string, s config.Section, parent link) *mappedTable {
	t := &mappedTable{number: len(c.tables), name: name, pointer: s.Pointer, link: none}
	c.tables = append(c.tables, t)
	if s.Value.Len() == 0 {
		s.Fault(failure.InvalidMapping, "expected a mapping with at least one path", "")
	}
	if isSingleTable(s.Value) {
		s.Fault(failure.InvalidMapping, "expected paths with their settings", "this looks like one setting of a table: move what is in its tableMapping here")
		// Where no job has the data type, that is only a warning: the child table is
		// written without rows, as in the original.
		if TableMapping.In(s).Present() {
			c.child(entry{kind: typeTable, pointer: s.Pointer}, t, s)
		}
		return t
	}
	members := s.Value.Members()
	for i, item := range s.Items() {
		path := strconv.Itoa(i)
		if members != nil {
			path = members[i].Name
		}
		if compiled, ok := c.setting(t, path, item); ok {
			compiled.pathSegments, compiled.orSegments = segmentsOf(compiled, compiled.path), segmentsOf(compiled, compiled.or)
			t.settings = append(t.settings, compiled)
		}
	}
	c.arrange(t, parent)
	return t
}

// setting compiles one entry; false when there is a problem with it.
func (c *mappingCompiler) setting(t *mappedTable, path string, s config.Section) (entry, bool) {
	compiled := entry{path: path, pointer: s.Pointer, kind: typeColumn, delimiter: ".", column: none}
	switch s.Value.Kind() {
	case value.String, value.Number:
		if !s.Present() {
			s.Fault(failure.InvalidMapping, "expected the name of a column", "")
		}
		compiled.destination = s.Value.Text()
		return compiled, s.Present()
	case value.Object:
	default:
		s.Fault(failure.InvalidMapping, "expected the name of a column or a mapping setting", "")
		return compiled, false
	}
	compiled.kind = Kind.Of(s)
	compiled.delimiter = Delimiter.Of(s)
	switch compiled.kind {
	case typeColumn, typeUser:
		return c.column(compiled, s)
	case typeTable:
		return c.child(compiled, t, s)
	default:
		Kind.In(s).Fault(failure.InvalidMapping, `expected one of "column", "user", "table"`, "")
		return compiled, false
	}
}

// column compiles what only columns have.
func (c *mappingCompiler) column(compiled entry, s config.Section) (entry, bool) {
	m := ColumnSetting.In(s)
	compiled.optional = optional.Of(s)
	if m.Value.IsNull() {
		var hint failure.Text
		if ColumnName.In(s).Present() {
			hint = `write "mapping": {"destination": …} around it`
		}
		c.problems.Add(failure.Problem{Code: failure.InvalidMapping, Pointer: s.Pointer, Expected: `expected the key "mapping" with the name of the column as "destination"`, Hint: hint})
		return compiled, false
	}
	compiled.primary = PrimaryKey.Of(m)
	if compiled.kind == typeColumn {
		compiled.or = OtherPath.Of(s)
	} else {
		rejectColumnKeys(s)
	}
	compiled.asJSON = compiled.kind == typeColumn && ForceType.Of(s)
	var ok bool
	compiled.destination, ok = c.requiredText(m, ColumnName, "the name of the column")
	return compiled, ok
}

// onlyOfColumns reports what a setting of another type has of a column.
func rejectColumnKeys(s config.Section) {
	if other := OtherPath.In(s); other.Present() {
		other.Fault(failure.InvalidMapping, `expected no such key: it is for settings of the type "column"`, "remove the key")
	}
}

// required is a text that must be there.
func (c *mappingCompiler) requiredText(s config.Section, key field.Setting[string], what failure.Text) (string, bool) {
	m := key.In(s)
	switch {
	case s.Value.Kind() != value.Object:
		s.Fault(failure.InvalidMapping, "expected an object", "")
	case !m.Present():
		c.problem(s.Pointer, "expected the key "+failure.Text(strconv.Quote(key.Name))+", "+what)
	default:
		text := key.Of(s)
		return text, text != ""
	}
	return "", false
}

// child compiles what only child tables have. Of several settings of one table
// that name the same child table, the first one says what its rows are.
func (c *mappingCompiler) child(compiled entry, t *mappedTable, s config.Section) (entry, bool) {
	name, ok := c.requiredText(s, childTable, "the name of the child table")
	if !ok {
		return compiled, false
	}
	rejectColumnKeys(s)
	key := parentKey.In(s)
	compiled.destination = name
	compiled.linked, compiled.optional = !noLink.Of(key), optional.Of(s)
	if name == t.name {
		compiled.child = t
		return compiled, c.checkSelfReference(compiled)
	}
	below := TableMapping.In(s)
	if below.Value.IsNull() {
		c.problem(s.Pointer, `expected the key "tableMapping", what the rows of the child table are`)
		return compiled, false
	}
	first := slices.IndexFunc(t.settings, func(o entry) bool { return o.kind == typeTable && o.destination == name })
	if first >= 0 {
		compiled.child = t.settings[first].child
		return compiled, true
	}
	parent := link{name: cmp.Or(linkColumn.Of(key), t.name+"_pk"), pointer: s.Pointer, primary: linkPrimary.Of(key), on: compiled.linked}
	compiled.child = c.table(name, childTable.In(s).Pointer, below, parent)
	compiled.child.prefix = t.prefix + compiled.path + "."
	return compiled, true
}

// checkOwn checks a table whose children are rows of the table itself.
func (c *mappingCompiler) checkSelfReference(compiled entry) bool {
	switch {
	case compiled.linked:
		c.problem(compiled.pointer, `expected "parentKey" with "disable": true, for the child table is the table itself`)
	case compiled.path == "" || compiled.path == compiled.delimiter:
		c.problem(compiled.pointer, "expected a path to something in the item, for the child table is the table itself, and an item cannot be in itself")
	default:
		return true
	}
	return false
}

// table is one of the tables as it is written.
func (m Mappings) csvTable(t *mappedTable, d Defaults) csvtable.Table {
	key := make([]string, len(t.key))
	for i, column := range t.key {
		key[i] = t.columns[column]
	}
	return csvtable.Table{Name: t.name, Bucket: d.Bucket, Columns: t.columns, PrimaryKey: key, Incremental: d.Incremental, Typed: m.typed}
}

// Without are the mappings but those of some data types. They are for WriteMissing
// only.
func (m Mappings) Without(dataTypes []string) Mappings {
	if len(dataTypes) == 0 {
		return m
	}
	dropped := map[*mappedTable]bool{} // of the data types' own tables, whether it is one of these
	for name, t := range m.roots {
		dropped[t] = slices.Contains(dataTypes, name)
	}
	var left []*mappedTable
	drop := false
	for _, t := range m.tables {
		if root, ok := dropped[t]; ok {
			drop = root // child tables follow
		}
		if !drop {
			left = append(left, t)
		}
	}
	m.tables = left
	return m
}

// WriteMissing writes all tables that are not there yet, without rows: the tables of
// a mapping exist regardless of the data. A table without columns is not written.
func (m Mappings) WriteMissing(out Output, d Defaults) error {
	for _, t := range m.tables {
		if len(t.columns) == 0 {
			continue
		}
		missing := m.csvTable(t, d)
		if out.Has(missing) {
			continue
		}
		if _, err := out.Create(missing); err != nil {
			return failure.Wrap(fmt.Sprintf("mapping of table %q", t.name), t.pointer, err)
		}
	}
	return nil
}
