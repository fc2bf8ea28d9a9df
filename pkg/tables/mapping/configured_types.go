package mapping

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// These are the settings of the type of a column.
var (
	ColumnType = field.Text("type", "Data type", "Data type of the column, for projects of the platform with types. Every cell is checked before the tables are written, with and without such a project; see [typed tables](../how-to/typed-tables.md#declare-the-types). Without it, the type is derived from the cells.").
			Typed(&field.Type{Kinds: []string{"string"}, Choices: []field.Choice{
			{Name: "STRING", AlsoCalled: []string{"text", "varchar", "char", "character"}},
			{Name: "INTEGER", AlsoCalled: []string{"int", "bigint", "int64", "long"}},
			{Name: "NUMERIC", AlsoCalled: []string{"number", "decimal", "money"}},
			{Name: "FLOAT", AlsoCalled: []string{"double", "real", "float64"}},
			{Name: "BOOLEAN", AlsoCalled: []string{"bool"}},
			{Name: "DATE"},
			{Name: "TIMESTAMP", AlsoCalled: []string{"datetime", "timestampntz", "timestamptz"}},
		}}).Example(`"NUMERIC"`)
	columnLength   = field.Text("length", "Length", "Types `NUMERIC` (`P,S`: the number of all digits, and how many of them follow the decimal point) and `STRING` (the number of characters): the length of the column. Without it, the platform stores a `NUMERIC` with 29 digits before the point and 9 after it, and rounds the rest.").Example(`"12,2"`)
	columnNullable = field.Flag("nullable", "Nullable", "With `type`: cells may be empty, which is null. False for a column of the primary key, which always needs a value.").Typed(field.BooleanType).Default(true).Example(`false`)
	onMismatch     = field.Text("onMismatch", "Cells that do not fit", "With `type`: what to do if cells do not fit it. `fail` ends the run with an error and without tables, `warn` warns and writes them; the platform may then refuse the table.").Typed(&field.Type{Kinds: []string{"string"}, Choices: field.Choices("fail", warnMismatch)}).Default("fail").Example(`"warn"`)
)

// warnMismatch is a value of `onMismatch`.
const warnMismatch = "warn"

// columnType is the declared type of a setting.
type columnType struct {
	csvtable.ColumnType
	warn bool // `onMismatch` is `warn`
}

// declaredType compiles the type in the column m of a setting.
func (c *mappingCompiler) declaredType(m config.Section, primary bool) columnType {
	t := columnType{warn: onMismatch.Of(m) == warnMismatch}
	at := ColumnType.In(m)
	if !at.Present() {
		for _, other := range []string{columnLength.Name, columnNullable.Name, onMismatch.Name} {
			if s := m.Get(other); !s.Value.IsNull() {
				s.Fault(failure.InvalidMapping, `unexpected key: it is only for columns with a "type"`, `add "type", or remove the key`)
			}
		}
		return t
	}
	base := ColumnType.Of(m)
	if !slices.Contains(csvtable.BaseTypes(), base) {
		at.Fault(failure.InvalidMapping, "expected one of "+field.List(csvtable.BaseTypes()), "")
		return t
	}
	t.Base, t.Nullable = base, columnNullable.Of(m) && !primary
	length, nullable := columnLength.In(m), columnNullable.In(m)
	if !length.Value.IsNull() && length.Value.IsScalar() {
		var fault string
		if t.Length, fault = csvtable.ParseLength(base, length.Value.Text()); fault != "" {
			hint := failure.Text("")
			if csvtable.HasLength(base) {
				hint = `for example "12,2" for a NUMERIC, "255" for a STRING`
			}
			length.Fault(failure.InvalidMapping, failure.Part(fault), hint)
		}
	}
	switch {
	case primary && nullable.Value.True():
		nullable.Fault(failure.InvalidMapping, "expected false, because a column of the primary key needs a value", "remove the key")
	case t.IsBoolean() && !t.Nullable && !c.textBooleans:
		faulty := nullable
		if primary {
			faulty = at
		}
		faulty.Fault(failure.InvalidMapping, "expected a column that may be empty: false is an empty cell", `write "booleans": "text" in "config" to write true and false`)
	}
	return t
}

// typeLinks gives the columns that link child rows to their parent the type of the
// parent's key. Parents come before their child tables.
func (c *mappingCompiler) typeLinks() {
	for _, t := range c.tables {
		for _, s := range t.settings {
			if s.kind == typeTable && s.linked && s.child != nil && s.child.link != none && len(t.key) == 1 && t.types != nil {
				s.child.setType(s.child.link, t.types[t.key[0]])
				s.child.setLenient(s.child.link, t.lenient != nil && t.lenient[t.key[0]])
			}
		}
	}
}

// setType sets the declared type of a column.
func (t *mappedTable) setType(column int, declared csvtable.ColumnType) {
	if declared.Base == "" || column >= len(t.columns) {
		return
	}
	if t.types == nil {
		t.types = make([]csvtable.ColumnType, len(t.columns))
	}
	t.types[column] = declared
}

func (t *mappedTable) setLenient(column int, lenient bool) {
	if !lenient || column >= len(t.columns) {
		return
	}
	if t.lenient == nil {
		t.lenient = make([]bool, len(t.columns))
	}
	t.lenient[column] = true
}

// typeColumns sets the types of the columns of settings, and compiles their checks.
func (t *mappedTable) typeColumns() {
	for i := range t.settings {
		s := &t.settings[i]
		if s.column == none || s.kind == typeTable || s.declared.Base == "" {
			continue
		}
		t.setType(s.column, s.declared.ColumnType)
		t.setLenient(s.column, s.declared.warn)
		if check, all := s.declared.Check(); !all {
			t.checks = append(t.checks, cellCheck{check, s.column, i})
		}
	}
}

// checkSameTypes reports columns with different types in tables of the same name: the rows
// go to one table.
func (c *mappingCompiler) checkSameTypes() {
	first := map[string]*mappedTable{}
	for _, t := range c.tables {
		other := first[t.name]
		if other == nil {
			first[t.name] = t
			continue
		}
		c.checkTypes(other, t)
	}
}

// CheckTypes reports columns of other mappings that are written to the same tables with
// other types.
func (m Mappings) CheckTypes(other Mappings, problems *failure.Problems) {
	c := mappingCompiler{problems: problems}
	for _, t := range other.tables {
		for _, first := range m.tables {
			if first.name == t.name {
				c.checkTypes(first, t)
			}
		}
	}
}

func (c *mappingCompiler) checkTypes(first, second *mappedTable) {
	for i, name := range second.columns {
		at := slices.Index(first.columns, name)
		if at < 0 {
			continue
		}
		a, b := first.declaredType(at), second.declaredType(i)
		if a == b {
			continue
		}
		c.problem(second.pointerOf(i), "expected the column "+quotedName(name)+" of table "+quotedName(second.name)+" to have the same type in both mappings, found "+
			failure.Part(csvtable.TypeText(b))+" here and "+failure.Part(csvtable.TypeText(a))+" at "+failure.Part(first.pointerOf(at)))
	}
}

func (t *mappedTable) declaredType(column int) csvtable.ColumnType {
	if t.types == nil {
		return csvtable.ColumnType{}
	}
	return t.types[column]
}

// pointerOf returns the pointer of the setting of a column.
func (t *mappedTable) pointerOf(column int) string {
	for i := range t.settings {
		if s := &t.settings[i]; s.column == column {
			return s.pointer
		}
	}
	return t.pointer
}

// IsBoolean reports whether the column of a setting is a BOOLEAN.
func IsBoolean(setting config.Section) bool {
	return csvtable.ColumnType{Base: ColumnType.In(ColumnSetting.In(setting)).Value.Text()}.IsBoolean()
}

// cellCheck checks the cells of one column.
type cellCheck struct {
	csvtable.CellCheck
	column, setting int
}

// Mismatch is a column with cells that do not fit its declared type.
type Mismatch struct {
	Table, Column, Pointer string
	Type                   csvtable.ColumnType
	// Warn is true if the mismatch is only a warning.
	Warn  bool
	Cells int
	First []MismatchedCell
}

// MismatchedCell is a cell that does not fit.
type MismatchedCell struct {
	Text string
	// Size is the size of a text, in bytes, that is too long to be kept. Text is "" then.
	Size int
	// Secret is true if the value is a secret. Text is "" then.
	Secret bool
	// Origin is the origin of the item.
	Origin any
}

const (
	maxMismatches = 3
	// maxMismatchSize is the maximum size, in bytes, of a cell that is kept. A longer
	// cell would have to be cut, and the piece of a secret cannot be masked.
	maxMismatchSize = 1 << 10
)

// mismatches counts the cells of a column that do not fit.
type mismatches struct {
	cells int
	first []MismatchedCell
}

// check checks the cells of a record.
func (b *ConfiguredBatch) check(t *mappedTable, done mappedRecord) {
	for i := range t.checks {
		if check := &t.checks[i]; !check.Fits(done.cells[check.column]) {
			b.mismatch(t, i, done.cells[check.column])
		}
	}
}

func (b *ConfiguredBatch) mismatch(t *mappedTable, number int, cell []byte) {
	r := &b.owner.rows[t.number]
	if r.mismatches == nil {
		r.mismatches = make([]mismatches, len(t.checks))
	}
	m := &r.mismatches[number]
	if m.cells++; m.cells > maxMismatches {
		return
	}
	found := MismatchedCell{Origin: b.origin}
	switch s := &t.settings[t.checks[number].setting]; {
	case s.kind == typeUser && b.isSecret(s.pathSegments):
		found.Secret = true
	case len(cell) > maxMismatchSize:
		found.Size = len(cell)
	default:
		found.Text = string(cell)
	}
	m.first = append(m.first, found)
}

// isSecret reports whether the user or parent column at a path holds a secret.
func (b *ConfiguredBatch) isSecret(path []string) bool {
	return slices.ContainsFunc(b.given, func(c Column) bool {
		return len(path) > 0 && c.Name == path[0] && c.Value.Secret()
	})
}

// Mismatches returns the columns with cells that do not fit so far, in the order of the
// mapping.
func (c *ConfiguredMapper) Mismatches() []Mismatch {
	var all []Mismatch
	for i, t := range c.tables {
		for n, m := range c.rows[i].mismatches {
			if m.cells == 0 {
				continue
			}
			s := &t.settings[t.checks[n].setting]
			all = append(all, Mismatch{Table: t.name, Column: s.destination, Pointer: s.pointer, Type: s.declared.ColumnType, Warn: s.declared.warn, Cells: m.cells, First: m.first})
		}
	}
	return all
}

// Tables returns the tables of the mappings.
func (m Mappings) Tables(d Defaults) []csvtable.Table {
	var all []csvtable.Table
	for _, t := range m.tables {
		if len(t.columns) > 0 {
			all = append(all, m.csvTable(t, d))
		}
	}
	return all
}

// The cells of booleans with `booleans: text`. They never change.
var trueText, falseText = []byte("true"), []byte("false")

// booleanText returns the cell of a boolean with `booleans: text`.
func booleanText(v value.Packed) []byte {
	if v.True() {
		return trueText
	}
	return falseText
}
