package mapping

import (
	"fmt"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/table"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// parentColumn links a row of an array to the row or object that holds the
// array.
const parentColumn = "JSON_parentId"

// sheet is one logical table: the rows of a data type, or the items of all
// arrays at one path. Several sheets may share a file.
type sheet struct {
	element *node
	// extra are the columns that do not come from the item: user and parent
	// columns of a data type, the parent's id of an array.
	extra []extraColumn
	out   *output // nil for rows without any column

	rows   int    // of a data type that were converted so far
	record record // that is being filled; borrowed from out where that is shared

	// Reused from record to record:

	fixed  []fixedCell    // of the extra columns
	hashed []hashedMember // the extra columns under their raw names
}

// fixedCell is a cell that is the same for all rows of a batch or an array.
type fixedCell struct {
	column int
	text   []byte
	kind   table.Kind
}

// link sets the id of the parent for the rows of an array.
func (s *sheet) link(id value.Packed) {
	x := &s.extra[0]
	s.fixed = append(s.fixed[:0], fixedCell{x.column, id.Raw(), table.Text})
	s.hashed = append(s.hashed[:0], hashedMember{x.raw, id})
}

// extraColumn is a column that does not come from the item.
type extraColumn struct {
	name   string      // as given
	kinds  table.Kinds // of its values
	raw    string      // as hashed: another one where the item has a property of that name
	header string
	column int
	warned bool // that its values are no scalars
}

// output is one file: columns of all sheets that share it, matched by name.
type output struct {
	name    string
	sheets  []*sheet
	columns []string
	kinds   []table.Kinds  // of the values in each column
	byName  map[string]int // the numbers of the columns
	writer  Writer
	typed   bool
	records []record // to be used again
}

func (o *output) shared() bool { return len(o.sheets) > 1 }

// borrow is a record without cells. There are as many as rows are being filled
// at once, not as sheets: thousands of sheets with columns of their own may
// share a file.
func (o *output) borrow() record {
	last := len(o.records) - 1
	if last < 0 {
		return newRecord(len(o.columns), o.typed)
	}
	r := o.records[last]
	o.records = o.records[:last]
	r.clear()
	return r
}

// giveBack ends the use of a record.
func (o *output) giveBack(r record) { o.records = append(o.records, r) }

// column is the number of the column of that name, a new one when it is not there
// yet. It gets values of these kinds.
func (o *output) column(name string, kinds table.Kinds) int {
	at, ok := o.byName[name]
	if !ok {
		at = len(o.columns)
		o.byName[name] = at
		o.columns, o.kinds = append(o.columns, name), append(o.kinds, 0)
	}
	o.kinds[at] |= kinds
	return at
}

// layout decides, now that the structure is final, which tables there are and
// which columns they have.
type layout struct {
	named   func(text, name string) (secret bool)
	roots   []*sheet // of the data types, by their number
	outputs []*output
	byName  map[string]*output
	// renamed are the user and parent columns that had to give way to a property
	// of some data type. In the data types after it they keep their new name,
	// conflict or not: existing tables of the original have these columns.
	renamed map[string]bool
}

func (a *Automatic) layout() *layout {
	l := &layout{named: a.named, byName: map[string]*output{}, renamed: map[string]bool{}}
	for _, t := range a.order {
		l.roots = append(l.roots, l.addSheet(t.root.element, trailOf(t.root.name), l.tell(t.root.name, "", ""), t.extra, l.renamed))
	}
	for _, o := range l.outputs {
		o.arrange(a.typed)
		if o.shared() {
			a.warn(o.name, sharing(o))
		}
	}
	return l
}

// addSheet makes the sheet of an array's elements and those of the arrays
// below. The safe name of the path is the table's name, above one of the
// path that holds a secret, if any; renamed is what addExtra takes.
func (l *layout) addSheet(element *node, path trail, above string, extra []extraColumn, renamed map[string]bool) *sheet {
	s := &sheet{element: element}
	s.addExtra(element.nameColumns(), extra, renamed)
	if element.seen && s.hasColumns() {
		s.out = l.output(path.name())
		s.out.sheets = append(s.out.sheets, s)
		l.tell("", above, s.out.name)
	}
	for _, x := range s.extra {
		l.named(x.raw, x.header)
	}
	l.addSheets(element, path, above)
	return s
}

// tell tells the name that is made of a text and of those above it. It gives one
// of them that holds a secret, "" for none: all names below are made of it, too.
func (l *layout) tell(text, above, name string) string {
	if l.named(text, name) {
		return text
	}
	if above != "" {
		l.named(above, name)
	}
	return above
}

// addSheets makes the sheets of the arrays in an object; above is as in addSheet.
func (l *layout) addSheets(object *node, path trail, above string) {
	for _, c := range object.children {
		above := l.tell(c.name, above, c.header)
		switch {
		case c.isFlat():
			l.addSheets(c, path.below(c.name), above)
		case c.kind == kindArray:
			c.sheet = l.addSheet(c.element, path.below(c.name), above, []extraColumn{{name: parentColumn, kinds: table.KindsOf(table.Text)}}, map[string]bool{})
		}
	}
}

// addExtra names the extra columns. One that has the name of a property gets
// another, both as it is hashed and as it is written; the property keeps its
// own. renamed are the names that did so before, in other sheets; it learns the
// ones that do now.
func (s *sheet) addExtra(used names, extra []extraColumn, renamed map[string]bool) {
	for _, x := range extra {
		x.raw = firstFree(x.name, func(free string) bool {
			isOther := func(other extraColumn) bool { return other.name == free }
			return s.hasProperty(free) || free == x.name && renamed[x.name] || free != x.name && slices.ContainsFunc(extra, isOther)
		})
		renamed[x.name] = renamed[x.name] || x.raw != x.name
		x.header = used.take(columnName(x.raw))
		s.extra = append(s.extra, x)
	}
}

func (s *sheet) hasProperty(name string) bool {
	if s.element.hasData() && name == dataColumn {
		return true
	}
	_, ok := s.element.index[name]
	return ok
}

func (s *sheet) hasColumns() bool {
	found := len(s.extra) > 0 || s.element.hasData()
	s.element.eachProperty(func(p *node) { found = found || !p.isFlat() })
	return found
}

func (l *layout) output(name string) *output {
	o, ok := l.byName[name]
	if !ok {
		o = &output{name: name, byName: map[string]int{}}
		l.byName[name] = o
		l.outputs = append(l.outputs, o)
	}
	return o
}

// arrange numbers the columns: those of the items first, then the extra ones.
func (o *output) arrange(typed bool) {
	for _, s := range o.sheets {
		if s.element.hasData() {
			s.element.column = o.column(dataColumn, s.element.kinds)
		}
		s.element.eachProperty(func(p *node) {
			if !p.isFlat() {
				p.column = o.column(p.header, p.columnKinds())
			}
		})
	}
	for _, s := range o.sheets {
		for i := range s.extra {
			s.extra[i].column = o.column(s.extra[i].header, s.extra[i].kinds)
		}
	}
	o.typed = typed
	if !o.shared() {
		o.sheets[0].record = newRecord(len(o.columns), typed)
	}
}

// storedColumns are the columns of a file under their stored names. Two that
// would become one are a user error. named is that of Options.
func (o *output) storedColumns(named func(text, name string) bool) ([]string, error) {
	stored := make([]string, len(o.columns))
	takenBy := map[string]string{}
	for i, column := range o.columns {
		var err error
		if stored[i], err = table.StoredName(column); err != nil {
			return nil, err
		}
		named(column, stored[i])
		if other, taken := takenBy[stored[i]]; taken {
			return nil, failure.Userf("the columns %q and %q of table %q would both be stored as %q: name them apart with a mapping",
				other, column, o.name, stored[i])
		}
		takenBy[stored[i]] = column
	}
	return stored, nil
}

func sharing(o *output) string {
	return fmt.Sprintf("%q and %q are one table, because their names become the same; columns are matched by name",
		o.sheets[0].element.path(), o.sheets[1].element.path())
}
