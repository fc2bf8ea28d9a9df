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

// Mappings is the compiled `config.mappings`. It does not change, so several mappers
// can share it. The zero value maps no data type.
type Mappings struct {
	// tables are in the order of their definition: the table of a data type, then its
	// child tables, depth first.
	tables []*mappedTable
	roots  map[string]*mappedTable // tables of the data types, by data type
	typed  bool
	// textBooleans is true if booleans are written as true and false.
	textBooleans bool
}

// mappedTable is one table of a mapping. Several of them may have the same name.
type mappedTable struct {
	number   int // its index in Mappings.tables
	name     string
	prefix   string // path from items of the data type to items of the table, ending with a dot; "" for the table of the data type
	pointer  string
	settings []entry
	columns  []string
	types    []csvtable.ColumnType // declared types of the columns; nil without any
	checks   []cellCheck           // checks of the columns
	lenient  []bool                // columns with `onMismatch: warn`; nil without any
	key      []int                 // columns of the primary key
	link     int                   // column that links to the parent, or none
	// template is the table with the settings of a table that BatchNamed added.
	template *mappedTable
}

// none is the index of a missing column.
const none = -1

// These are the types of settings.
const (
	typeColumn = "column"
	typeUser   = "user"
	typeTable  = "table"
)

// entry is one setting of a mapping.
type entry struct {
	kind         string // typeColumn, typeUser or typeTable
	path         string
	delimiter    string
	pathSegments []string // segments of path, see value.Segments; an empty path is the item
	// or is the path of a column's value if the value at path is missing, null or an
	// empty text. It is "" without such a path.
	or         string
	orSegments []string
	pointer    string
	column     int // index of the column, or none
	primary    bool
	declared   columnType
	asJSON     bool // lists and objects become JSON text
	// optional is true if the value may be missing. An optional child table has no row
	// for an empty value.
	optional bool
	// These fields belong to child tables.

	child  *mappedTable
	linked bool // true if rows have a link to their parent row

	destination string // name of the column or the child table
}

// link is the column of a child table that refers to the parent.
type link struct {
	name    string
	pointer string
	primary bool
	on      bool
}

// Has reports whether a data type is mapped.
func (m Mappings) Has(dataType string) bool { return m.roots[dataType] != nil }

// CompileMappings compiles `config.mappings`. It adds mistakes to the problems of the
// section; the result must not be used if there are any. If typed is true (see
// csvtable.Table), all columns get stored names. If textBooleans is true, booleans are
// written as true and false.
func CompileMappings(s config.Section, typed, textBooleans bool) Mappings {
	c := mappingCompiler{problems: s.Problems()}
	c.roots, c.typed, c.textBooleans = map[string]*mappedTable{}, typed, textBooleans
	if s.Present() && s.Value.Kind() != value.Object {
		s.Fault(failure.InvalidMapping, "expected an object of mappings", "")
	}
	for _, m := range s.Value.Members() {
		mapping := s.Get(m.Name)
		c.roots[m.Name] = c.table(m.Name, mapping.Pointer, mapping, link{})
	}
	c.typeLinks()
	c.checkSameTypes()
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

// table compiles the mapping of one table. namePointer is the JSON pointer of its name.
// A list is a mapping, too, with its indexes as paths. A table that cannot be a file is
// a problem, and has no columns.
func (c *mappingCompiler) table(name, namePointer string, s config.Section, parent link) *mappedTable {
	t := &mappedTable{number: len(c.tables), name: name, pointer: s.Pointer, link: none}
	c.tables = append(c.tables, t)
	c.columns(t, s, parent)
	if err := (csvtable.Table{Name: name}).CheckName(); err != nil {
		c.problem(namePointer, failure.Part(err.Error()))
		t.columns, t.types, t.checks, t.lenient, t.key = nil, nil, nil, nil, nil
	}
	return t
}

// columns compiles the columns and child tables of a table.
func (c *mappingCompiler) columns(t *mappedTable, s config.Section, parent link) {
	if s.Value.Len() == 0 {
		s.Fault(failure.InvalidMapping, "expected a mapping with at least one path", "")
	}
	if isSingleTable(s.Value) {
		s.Fault(failure.InvalidMapping, "expected paths with their settings", "this looks like a setting of the type \"table\": move the content of its tableMapping here")
		// The problem is only a warning if no job has the data type. The child table is
		// then written without rows, as the original extractor does.
		if TableMapping.In(s).Present() {
			c.child(entry{kind: typeTable, pointer: s.Pointer}, t, s)
		}
		return
	}
	members := s.Value.Members()
	for i, item := range s.Items() {
		path := strconv.Itoa(i)
		if members != nil {
			path = members[i].Name
		}
		if compiled, ok := c.setting(t, path, item); ok {
			separator := compiled.delimiter
			if compiled.kind == typeUser {
				separator = "/" // the names of user and parent columns may contain dots
			}
			compiled.pathSegments = slices.Collect(value.Segments(compiled.path, separator))
			compiled.orSegments = slices.Collect(value.Segments(compiled.or, separator))
			t.settings = append(t.settings, compiled)
		}
	}
	c.arrange(t, parent)
}

// setting compiles one entry. If the entry has a problem, setting reports it and
// returns false.
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

// column compiles the keys that only settings of columns have.
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
	compiled.declared = c.declaredType(m, compiled.primary)
	if compiled.kind == typeColumn {
		compiled.or = OtherPath.Of(s)
	} else {
		rejectOtherPath(s)
	}
	compiled.asJSON = compiled.kind == typeColumn && ForceType.Of(s)
	var ok bool
	compiled.destination, ok = c.requiredText(m, ColumnName, "the name of the column")
	return compiled, ok
}

func rejectOtherPath(s config.Section) {
	if other := OtherPath.In(s); other.Present() {
		other.Fault(failure.InvalidMapping, `unexpected key: it is only for settings of the type "column"`, "remove the key")
	}
}

// requiredText returns the text of a required key. If the key is missing or has no
// text, it reports a problem and returns false.
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

// child compiles the keys that only settings of child tables have. If several settings
// of a table name the same child table, the first one defines its rows.
func (c *mappingCompiler) child(compiled entry, t *mappedTable, s config.Section) (entry, bool) {
	name, ok := c.requiredText(s, childTable, "the name of the child table")
	if !ok {
		return compiled, false
	}
	rejectOtherPath(s)
	key := parentKey.In(s)
	compiled.destination = name
	compiled.linked, compiled.optional = !noLink.Of(key), optional.Of(s)
	if name == t.name {
		compiled.child = t
		return compiled, c.checkSelfReference(compiled)
	}
	below := TableMapping.In(s)
	if below.Value.IsNull() {
		c.problem(s.Pointer, `expected the key "tableMapping", the mapping of the child table`)
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

// checkSelfReference checks a setting for children that are rows of the table itself.
func (c *mappingCompiler) checkSelfReference(compiled entry) bool {
	switch {
	case compiled.linked:
		c.problem(compiled.pointer, `expected "parentKey" with "disable": true, because the child table is the table itself`)
	case compiled.path == "" || compiled.path == compiled.delimiter:
		c.problem(compiled.pointer, "expected a path to a value in the item, because the child table is the table itself, and an item cannot contain itself")
	default:
		return true
	}
	return false
}

// csvTable returns the description of a table for the output.
func (m Mappings) csvTable(t *mappedTable, d Defaults) csvtable.Table {
	key := make([]string, len(t.key))
	for i, column := range t.key {
		key[i] = t.columns[column]
	}
	return csvtable.Table{Name: t.name, Bucket: d.Bucket, Columns: t.columns, Types: t.types, Lenient: t.lenient, PrimaryKey: key, Incremental: d.Incremental, Typed: m.typed}
}

// Without returns the mappings without the given data types. The result may be used
// only for WriteMissing.
func (m Mappings) Without(dataTypes []string) Mappings {
	if len(dataTypes) == 0 {
		return m
	}
	dropped := map[*mappedTable]bool{} // tables of data types; true if the data type is dropped
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

// WriteMissing writes all tables that do not exist yet, without rows: the tables of a
// mapping exist regardless of the data. It does not write tables without columns.
func (m Mappings) WriteMissing(out *csvtable.Set, d Defaults) error {
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
