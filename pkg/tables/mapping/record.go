package mapping

import (
	"math"
	"slices"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// record is one record of a table while its cells are filled.
type record struct {
	cells [][]byte        // shares the memory of the values
	kinds []csvtable.Kind // kinds of the cells; nil unless the table is typed
	// textBooleans is true if booleans are written as true and false.
	textBooleans bool
}

func newRecord(columns int, typed, textBooleans bool) record {
	r := record{cells: make([][]byte, columns), textBooleans: textBooleans}
	if typed {
		r.kinds = make([]csvtable.Kind, columns)
	}
	return r
}

// clear makes all cells empty and absent.
func (r record) clear() {
	clear(r.cells)
	clear(r.kinds)
}

func (r record) set(column int, text []byte, kind csvtable.Kind) {
	r.cells[column] = text
	if r.kinds != nil {
		r.kinds[column] = kind
	}
}

// setValue sets one cell to the text of value v.
func (r record) setValue(column int, text []byte, v value.Packed) {
	if r.textBooleans && v.Kind() == value.Bool {
		r.set(column, booleanText(v), csvtable.True)
		return
	}
	r.cells[column] = text
	if r.kinds != nil {
		r.kinds[column] = kindOf(v)
	}
}

// kind returns the kind of a cell. Only typed tables use it.
func (r record) kind(column int) csvtable.Kind {
	if r.kinds == nil {
		return csvtable.Absent
	}
	return r.kinds[column]
}

// maxShortInteger is the maximum number of characters, sign included, of an integer
// that always fits 64 bits.
const maxShortInteger = 18

// kindOf returns the kind of the cell that a value becomes.
func kindOf(v value.Packed) csvtable.Kind {
	switch v.Kind() {
	case value.Null:
		return csvtable.Absent
	case value.Number:
		return kindOfNumber(v.Raw())
	case value.Bool:
		if v.True() {
			return csvtable.True
		}
		return csvtable.False
	default:
		return csvtable.Text
	}
}

func kindOfNumber(literal []byte) csvtable.Kind {
	if len(literal) <= maxShortInteger && !slices.ContainsFunc(literal, func(c byte) bool { return c == '.' || c > '9' }) {
		return csvtable.Integer
	}
	// ParseInt rejects fractions and exponents.
	if _, err := strconv.ParseInt(string(literal), 10, 64); err == nil {
		return csvtable.Integer
	}
	// ParseFloat returns infinity for a number that is too large.
	if f, _ := strconv.ParseFloat(string(literal), 64); math.Abs(f) < csvtable.MaxNumber {
		return csvtable.Number
	}
	return csvtable.Text
}
