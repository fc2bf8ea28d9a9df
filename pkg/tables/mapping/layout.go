package mapping

import (
	"fmt"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// parentColumn links a row of an array to the row or object that contains the array.
const parentColumn = "JSON_parentId"

// tableLayout is one logical table: the rows of a data type, or the items of all arrays
// at one path. Several tables may share a file.
type tableLayout struct {
	element *node
	// extra are the columns that do not come from the item: the user and parent columns
	// of a data type, and the id of the parent for an array.
	extra []extraColumn
	file  *tableFile // nil for a table without columns

	rows   int    // converted rows of a data type
	record record // record being filled; borrowed from file if the file is shared

	// These buffers are reused from record to record.

	fixed  []fixedCell    // cells of the extra columns
	hashed []hashedMember // extra columns under their raw names
}

// fixedCell is a cell that all rows of a batch or an array have.
type fixedCell struct {
	column int
	text   []byte
	kind   csvtable.Kind
}

// link sets the id of the parent for the rows of an array.
func (t *tableLayout) link(id value.Packed) {
	x := &t.extra[0]
	t.fixed = append(t.fixed[:0], fixedCell{x.column, id.Raw(), csvtable.Text})
	t.hashed = append(t.hashed[:0], hashedMember{x.raw, id})
}

// extraColumn is a column that does not come from the item.
type extraColumn struct {
	name   string // name as given
	raw    string // name as hashed; differs from name if a property of the item has that name
	header string
	column int
	warned bool // true after the warning about values that are not scalars
}

// tableFile is one file. It has the columns of all tables that share it, matched by
// name.
type tableFile struct {
	name    string
	tables  []*tableLayout
	columns []string
	byName  map[string]int // index of each column by its name
	writer  *csvtable.Writer
	typed   bool
	// textBooleans is true if booleans are written as true and false.
	textBooleans bool
	records      []record // free records
}

func (f *tableFile) shared() bool { return len(f.tables) > 1 }

// borrow returns an empty record, to be put back into records. A file has as many
// records as rows are filled at the same time, not one for each table: thousands of
// tables with columns of their own may share a file.
func (f *tableFile) borrow() record {
	last := len(f.records) - 1
	if last < 0 {
		return newRecord(len(f.columns), f.typed, f.textBooleans)
	}
	r := f.records[last]
	f.records = f.records[:last]
	r.clear()
	return r
}

// column returns the index of the named column. It adds the column if it is missing.
func (f *tableFile) column(name string) int {
	at, ok := f.byName[name]
	if !ok {
		at = len(f.columns)
		f.byName[name] = at
		f.columns = append(f.columns, name)
	}
	return at
}

// layout is the decision about tables and their columns, made when the structure is
// final.
type layout struct {
	named  func(text, name string) (secret bool)
	roots  []*tableLayout // tables of the data types, by the number of the data type; nil if it was dropped
	files  []*tableFile
	byName map[string]*tableFile
	// renamed are the user and parent columns that were renamed because a property of
	// some data type has the name. Later data types use the new name even without a
	// conflict: existing tables of the original extractor have these columns.
	renamed map[string]bool
}

func (a *AutomaticMapper) layout() *layout {
	l := &layout{named: a.named, byName: map[string]*tableFile{}, renamed: map[string]bool{}}
	for _, t := range a.order {
		if t.dropped {
			l.roots = append(l.roots, nil)
			continue
		}
		l.roots = append(l.roots, l.addTable(t.root.element, newNameBuilder(t.root.name), l.reportName(t.root.name, "", ""), t.extra, l.renamed))
	}
	for _, f := range l.files {
		f.arrange(a.typed, a.textBooleans)
		if f.shared() {
			a.warn(f.name, sharedTableWarning(f))
		}
	}
	return l
}

// addTable adds the table of an array's elements and the tables of the arrays below.
// path is the path that the table is named for. above is a name on the path that holds
// a secret, or "". addExtra documents renamed.
func (l *layout) addTable(element *node, path nameBuilder, above string, extra []extraColumn, renamed map[string]bool) *tableLayout {
	t := &tableLayout{element: element}
	t.addExtra(element.nameColumns(), extra, renamed)
	if element.hasRow && t.hasColumns() {
		t.file = l.file(path.name())
		t.file.tables = append(t.file.tables, t)
		l.reportName("", above, t.file.name)
	}
	for _, x := range t.extra {
		l.named(x.raw, x.header)
	}
	l.addTables(element, path, above)
	return t
}

// reportName calls named for the name of a column or a table, so that messages mask a name
// with a part of a secret. The name is made from text and from the texts above it. above is
// the nearest of these that holds a secret, or "". reportName returns the same for the names
// below: text if it holds a secret, otherwise above.
func (l *layout) reportName(text, above, name string) string {
	if l.named(text, name) {
		return text
	}
	if above != "" {
		l.named(above, name)
	}
	return above
}

// addTables adds the tables of the arrays in an object. above is the same as in
// addTable.
func (l *layout) addTables(object *node, path nameBuilder, above string) {
	for _, c := range object.children {
		above := l.reportName(c.name, above, c.header)
		switch {
		case c.isFlat():
			l.addTables(c, path.child(c.name), above)
		case c.kind == kindArray:
			c.table = l.addTable(c.element, path.child(c.name), above, []extraColumn{{name: parentColumn}}, map[string]bool{})
		}
	}
}

// addExtra names the extra columns. If a property has the same name, the extra column
// gets a suffix, in the header and in the hash, and the property keeps its name.
// renamed has the columns that were renamed in other tables; addExtra adds the columns
// that it renames.
func (t *tableLayout) addExtra(used usedNames, extra []extraColumn, renamed map[string]bool) {
	for _, x := range extra {
		x.raw = firstFree(x.name, func(free string) bool {
			isOther := func(other extraColumn) bool { return other.name == free }
			return t.hasProperty(free) || free == x.name && renamed[x.name] || free != x.name && slices.ContainsFunc(extra, isOther)
		})
		renamed[x.name] = renamed[x.name] || x.raw != x.name
		path := columnNameBuilder().child(x.raw)
		x.header = used.reserveUnique(path.name())
		t.extra = append(t.extra, x)
	}
}

func (t *tableLayout) hasProperty(name string) bool {
	if t.element.hasData() && name == dataColumn {
		return true
	}
	_, ok := t.element.index[name]
	return ok
}

func (t *tableLayout) hasColumns() bool {
	found := len(t.extra) > 0 || t.element.hasData()
	t.element.eachProperty(func(p *node) { found = found || !p.isFlat() })
	return found
}

func (l *layout) file(name string) *tableFile {
	f, ok := l.byName[name]
	if !ok {
		f = &tableFile{name: name, byName: map[string]int{}}
		l.byName[name] = f
		l.files = append(l.files, f)
	}
	return f
}

// arrange numbers the columns: first the columns of the items, then the extra columns.
func (f *tableFile) arrange(typed, textBooleans bool) {
	for _, t := range f.tables {
		if t.element.hasData() {
			t.element.column = f.column(dataColumn)
		}
		t.element.eachProperty(func(p *node) {
			if !p.isFlat() {
				p.column = f.column(p.header)
			}
		})
	}
	for _, t := range f.tables {
		for i := range t.extra {
			t.extra[i].column = f.column(t.extra[i].header)
		}
	}
	f.typed, f.textBooleans = typed, textBooleans
	if !f.shared() {
		f.tables[0].record = newRecord(len(f.columns), typed, textBooleans)
	}
}

// storedColumns returns the columns of a file under their stored names. It returns a
// user error if two columns would have the same stored name. It calls named (see
// Options) for each column.
func (f *tableFile) storedColumns(named func(text, name string) bool) ([]string, error) {
	stored := make([]string, len(f.columns))
	takenBy := map[string]string{}
	for i, column := range f.columns {
		var err error
		if stored[i], err = csvtable.StoredName(column); err != nil {
			return nil, err
		}
		named(column, stored[i])
		if other, taken := takenBy[stored[i]]; taken {
			return nil, failure.Userf("the columns %q and %q of table %q would both be stored as %q: give them different names with a mapping",
				other, column, f.name, stored[i])
		}
		takenBy[stored[i]] = column
	}
	return stored, nil
}

func sharedTableWarning(f *tableFile) string {
	return fmt.Sprintf("%q and %q are stored in one table, because their table names are the same; columns are matched by name",
		f.tables[0].element.path(), f.tables[1].element.path())
}
