package platformapi

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/tables/extsort"
)

// selection selects rows and columns of a table, and the order of the rows.
type selection struct {
	names      []string // selected columns
	indexes    []int    // indexes of the selected cells in a row
	conditions []condition
	// since and until are the bounds of the time of the load. A zero bound is open; until
	// is exclusive.
	since, until time.Time
	// search is a lower-case text that at least one cell must contain.
	search string
	order  []orderKey
	limit  int // 0 is no limit
}

// condition compares a column with values.
type condition struct {
	column   string
	index    int
	operator string
	numeric  bool
	// values are texts, or the keys of numbers if numeric is true.
	values []string
	set    map[string]bool // the values, for eq and ne
}

type orderKey struct {
	column              string
	index               int
	descending, numeric bool
}

func selectionParameters() []string {
	return []string{
		"limit", "columns[]", "changedSince", "changedUntil", "whereColumn", "whereOperator", "whereValues[]", "whereFilters[]",
		"orderBy[]", "fulltextSearch",
	}
}

// Limits of a selection: each row is compared with every condition and order, and every
// selected column is written.
const (
	maxSelected = 10_000 // columns
	maxFilters  = 100    // conditions, and also sort keys
)

func numericTypes() []string { return []string{"INTEGER", "DOUBLE", "BIGINT", "REAL", "DECIMAL"} }

// selectionOf reads a selection of table t. It leaves errors in f.
func selectionOf(f *fields, t store.Table, limit, maxLimit int, now time.Time) selection {
	s := selection{
		limit: f.number("limit", limit, 0, maxLimit), since: f.timestamp("changedSince", now), until: f.timestamp("changedUntil", now),
		search: strings.ToLower(f.text("fulltextSearch")),
	}
	if s.limit == 0 { // some clients send 0 for the default
		s.limit = limit
	}
	s.names, s.indexes = f.selectColumns(t.Columns)
	if column := f.text("whereColumn"); column != "" {
		s.conditions = append(s.conditions, f.condition(t, column, f.text("whereOperator"), f.scalars("whereValues"), ""))
	} else if _, given := f.get("whereValues"); given {
		f.fail(`"whereValues" needs a "whereColumn"`)
	}
	for i, item := range f.objects("whereFilters", "column", "operator", "values", "dataType") {
		one := &fields{members: item}
		s.conditions = append(s.conditions, one.condition(t, one.text("column"), one.text("operator"), one.scalars("values"), one.text("dataType")))
		f.failAt("whereFilters", i, one)
	}
	for i, item := range f.objects("orderBy", "column", "order", "dataType") {
		one := &fields{members: item}
		s.order = append(s.order, one.orderKey(t))
		f.failAt("orderBy", i, one)
	}
	return s
}

// numberKey returns a key of a decimal number. Keys sort like the numbers. Whole numbers
// that fit into 64 bits are exact.
func numberKey(text string) (key string, ok bool) {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789+-.eE", r) }) {
		return "", false
	}
	float, err := strconv.ParseFloat(text, 64)
	whole, inexact := strconv.ParseInt(text, 10, 64)
	switch { // all texts of a number that is not exact have one key
	case inexact == nil:
	case float >= math.MaxInt64:
		whole = math.MaxInt64
	default:
		whole = int64(max(float, math.MinInt64))
	}
	bits := math.Float64bits(float + 0) // -0 becomes 0
	if bits>>63 == 1 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	packed := binary.BigEndian.AppendUint64(nil, bits)
	return string(binary.BigEndian.AppendUint64(packed, uint64(whole)^1<<63)), err == nil
}

func (s selection) matches(loaded time.Time, cells []string) (bool, error) {
	if !s.since.IsZero() && loaded.Before(s.since) || !s.until.IsZero() && !loaded.Before(s.until) {
		return false, nil
	}
	for _, c := range s.conditions {
		if fits, err := c.matches(cells[c.index]); err != nil || !fits {
			return false, err
		}
	}
	if s.search == "" {
		return true, nil
	}
	return slices.ContainsFunc(cells, func(cell string) bool { return strings.Contains(strings.ToLower(cell), s.search) }), nil
}

func (c condition) matches(cell string) (bool, error) {
	if c.numeric {
		key, ok := numberKey(cell)
		switch {
		case cell == "":
			return false, nil
		case !ok:
			return false, notNumeric(c.column)
		}
		cell = key
	}
	switch c.operator {
	case "eq", "ne":
		return c.set[cell] == (c.operator == "eq"), nil
	case "gt":
		return cell > c.values[0], nil
	case "ge":
		return cell >= c.values[0], nil
	case "lt":
		return cell < c.values[0], nil
	default:
		return cell <= c.values[0], nil
	}
}

func notNumeric(column string) *refusal {
	return invalid(`Column %q has a cell that is not a number, leave out the "dataType"`, column)
}

// sortKey returns a key of a row, given its number in the table. Keys sort like the order of
// the selection, and rows that are equal in it by their numbers. In numeric comparisons
// empty cells come first.
func (s selection) sortKey(cells []string, number uint64) ([]byte, error) {
	var key []byte
	for _, by := range s.order {
		start, cell := len(key), cells[by.index]
		if by.numeric && cell != "" {
			packed, ok := numberKey(cell)
			if !ok {
				return nil, notNumeric(by.column)
			}
			cell = "\x01" + packed
		}
		// The end of a cell sorts before any other byte, and a NUL before any but the end.
		key = append(append(key, strings.ReplaceAll(cell, "\x00", "\x00\xff")...), 0, 0)
		if by.descending {
			for i := start; i < len(key); i++ {
				key[i] = ^key[i]
			}
		}
	}
	return binary.BigEndian.AppendUint64(key, number), nil
}

// each calls emit with the selected cells of the selected rows of a table, in order. The
// slice is valid until emit returns. Memory use does not grow with the number of rows.
func (s selection) each(from *store.Store, t store.Table, emit func(cells []string) error) (err error) {
	row, left, number := make([]string, len(s.indexes)), s.limit, uint64(0)
	sorter := &extsort.Sorter{Dir: os.TempDir(), Limit: extsort.Memory}
	defer func() { err = errors.Join(err, sorter.Close()) }()
	var failed error
	err = from.TimedRows(t.ID, func(loaded time.Time, cells []string) bool {
		if len(cells) != len(t.Columns) {
			failed = &refusal{
				status: http.StatusConflict, code: "storage.tables.conflict",
				message: "The columns of table " + t.ID + " have just changed",
			}
			return false
		}
		var fits bool
		if fits, failed = s.matches(loaded, cells); failed != nil || !fits {
			return failed == nil
		}
		for i, index := range s.indexes {
			row[i] = cells[index]
		}
		if len(s.order) == 0 {
			left--
			failed = emit(row)
			return failed == nil && left != 0
		}
		number++
		r := extsort.Record{Value: packCells(row)}
		if r.Key, failed = s.sortKey(cells, number); failed == nil {
			failed = sorter.Add(r)
		}
		return failed == nil
	})
	if err != nil {
		return replaceError(err, store.ErrNotFound, noTable(t.ID))
	}
	if failed != nil || len(s.order) == 0 {
		return failed
	}
	sorted, err := sorter.Sorted()
	for ; err == nil && (left > 0 || s.limit == 0); left-- {
		var r extsort.Record
		if r, err = sorted.Next(); err == nil {
			unpackCells(r.Value, row)
			err = emit(row)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func packCells(cells []string) (packed []byte) {
	for _, cell := range cells {
		packed = append(binary.AppendUvarint(packed, uint64(len(cell))), cell...)
	}
	return packed
}

func unpackCells(packed []byte, cells []string) {
	for i := range cells {
		length, n := binary.Uvarint(packed)
		end := n + int(length)
		cells[i], packed = string(packed[n:end]), packed[end:]
	}
}
