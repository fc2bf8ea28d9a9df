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
	cells [][]byte        // shared with the values they come from
	kinds []csvtable.Kind // what the cells were; nil unless the table is typed
}

func newRecord(columns int, typed bool) record {
	r := record{cells: make([][]byte, columns)}
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

// set fills one cell.
func (r record) set(column int, text []byte, kind csvtable.Kind) {
	r.cells[column] = text
	if r.kinds != nil {
		r.kinds[column] = kind
	}
}

// setValue fills one cell with the text of a value.
func (r record) setValue(column int, text []byte, v value.Packed) {
	r.cells[column] = text
	if r.kinds != nil {
		r.kinds[column] = kindOf(v)
	}
}

// kind is what a cell was; no one asks but for a typed table.
func (r record) kind(column int) csvtable.Kind {
	if r.kinds == nil {
		return csvtable.Absent
	}
	return r.kinds[column]
}

// maxShort is how many characters, a sign included, an integer may have that surely
// fits 64 bits.
const maxShortInteger = 18

// kindOf is the kind of the cell that a value becomes.
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
	// Neither a fraction nor an exponent can be read as an integer.
	if _, err := strconv.ParseInt(string(literal), 10, 64); err == nil {
		return csvtable.Integer
	}
	// A number always is a double; a huge one is infinite.
	if f, _ := strconv.ParseFloat(string(literal), 64); math.Abs(f) < csvtable.MaxNumber {
		return csvtable.Number
	}
	return csvtable.Text
}
