package mapping

import (
	"fmt"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// parentColumn links a row of an array to the row or object that holds the
// array.
const parentColumn = "JSON_parentId"

// tableLayout is one logical table: the rows of a data type, or the items of all
// arrays at one path. Several tables may share a file.
type tableLayout struct {
	element *node
	// extra are the columns that do not come from the item: user and parent
	// columns of a data type, the parent's id of an array.
	extra []extraColumn
	file  *tableFile // nil for rows without any column

	rows   int    // of a data type that were converted so far
	record record // that is being filled; borrowed from file where that is shared

	// Reused from record to record:

	fixed  []fixedCell    // of the extra columns
	hashed []hashedMember // the extra columns under their raw names
}

// fixedCell is a cell that is the same for all rows of a batch or an array.
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
	name   string         // as given
	kinds  csvtable.Kinds // of its values
	raw    string         // as hashed: another one where the item has a property of that name
	header string
	column int
	warned bool // that its values are not scalars
}

// tableFile is one file: columns of all tables that share it, matched by name.
type tableFile struct {
	name    string
	tables  []*tableLayout
	columns []string
	kinds   []csvtable.Kinds // of the values in each column
	byName  map[string]int   // the numbers of the columns
	writer  Writer
	typed   bool
	records []record // to be used again
}

func (f *tableFile) shared() bool { return len(f.tables) > 1 }

// borrow is a record without cells. There are as many as rows are being filled
// at once, not as tables: thousands of tables with columns of their own may
// share a file.
func (f *tableFile) borrow() record {
	last := len(f.records) - 1
	if last < 0 {
		return newRecord(len(f.columns), f.typed)
	}
	r := f.records[last]
	f.records = f.records[:last]
	r.clear()
	return r
}

// giveBack ends the use of a record.
func (f *tableFile) putBack(r record) { f.records = append(f.records, r) }

// column is the number of the column of that name, a new one when it is not there
// yet. It gets values of these kinds.
func (f *tableFile) column(name string, kinds csvtable.Kinds) int {
	at, ok := f.byName[name]
	if !ok {
		at = len(f.columns)
		f.byName[name] = at
		f.columns, f.kinds = append(f.columns, name), append(f.kinds, 0)
	}
	f.kinds[at] |= kinds
	return at
}

// layout decides, now that the structure is final, which tables there are and
// which columns they have.
type layout struct {
	named  func(text, name string) (secret bool)
	roots  []*tableLayout // of the data types, by their number
	files  []*tableFile
	byName map[string]*tableFile
	// renamed are the user and parent columns that had to give way to a property
	// of some data type. In the data types after it they keep their new name,
	// conflict or not: existing tables of the original have these columns.
	renamed map[string]bool
}

func (a *AutomaticMapper) layout() *layout {
	l := &layout{named: a.named, byName: map[string]*tableFile{}, renamed: map[string]bool{}}
	for _, t := range a.order {
		l.roots = append(l.roots, l.addTable(t.root.element, newNameBuilder(t.root.name), l.reportName(t.root.name, "", ""), t.extra, l.renamed))
	}
	for _, f := range l.files {
		f.arrange(a.typed)
		if f.shared() {
			a.warn(f.name, sharedTableWarning(f))
		}
	}
	return l
}

// addTable makes the table of an array's elements and those of the arrays
// below. The safe name of the path is the table's name, above one of the
// path that holds a secret, if any; renamed is what addExtra takes.
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

// report reports the name that is made of a text and of those above it. It returns one
// of them that holds a secret, "" for none: all names below are made of it, too.
func (l *layout) reportName(text, above, name string) string {
	if l.named(text, name) {
		return text
	}
	if above != "" {
		l.named(above, name)
	}
	return above
}

// addTables makes the tables of the arrays in an object; above is as in addTable.
func (l *layout) addTables(object *node, path nameBuilder, above string) {
	for _, c := range object.children {
		above := l.reportName(c.name, above, c.header)
		switch {
		case c.isFlat():
			l.addTables(c, path.child(c.name), above)
		case c.kind == kindArray:
			c.table = l.addTable(c.element, path.child(c.name), above, []extraColumn{{name: parentColumn, kinds: csvtable.KindsOf(csvtable.Text)}}, map[string]bool{})
		}
	}
}

// addExtra names the extra columns. One that has the name of a property gets
// another, both as it is hashed and as it is written; the property keeps its
// own. renamed are the names that did so before, in other tables; it learns the
// ones that do now.
func (t *tableLayout) addExtra(used usedNames, extra []extraColumn, renamed map[string]bool) {
	for _, x := range extra {
		x.raw = firstFree(x.name, func(free string) bool {
			isOther := func(other extraColumn) bool { return other.name == free }
			return t.hasProperty(free) || free == x.name && renamed[x.name] || free != x.name && slices.ContainsFunc(extra, isOther)
		})
		renamed[x.name] = renamed[x.name] || x.raw != x.name
		x.header = used.reserveUnique(columnName(x.raw))
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

// arrange numbers the columns: those of the items first, then the extra ones.
func (f *tableFile) arrange(typed bool) {
	for _, t := range f.tables {
		if t.element.hasData() {
			t.element.column = f.column(dataColumn, t.element.kinds)
		}
		t.element.eachProperty(func(p *node) {
			if !p.isFlat() {
				p.column = f.column(p.header, p.columnKinds())
			}
		})
	}
	for _, t := range f.tables {
		for i := range t.extra {
			t.extra[i].column = f.column(t.extra[i].header, t.extra[i].kinds)
		}
	}
	f.typed = typed
	if !f.shared() {
		f.tables[0].record = newRecord(len(f.columns), typed)
	}
}

// storedColumns are the columns of a file under their stored names. Two that
// would become one are a user error. named is that of Options.
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
			return nil, failure.Userf("the columns %q and %q of table %q would both be stored as %q: name them apart with a mapping",
				other, column, f.name, stored[i])
		}
		takenBy[stored[i]] = column
	}
	return stored, nil
}

func sharedTableWarning(f *tableFile) string {
	return fmt.Sprintf("%q and %q are one table, because their names become the same; columns are matched by name",
		f.tables[0].element.path(), f.tables[1].element.path())
}
