package platformapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
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
	values   []string
	set      map[string]bool // operands of eq and ne, if they are compared as texts
	numeric  bool
}

type orderKey struct {
	column              string
	index               int
	descending, numeric bool
}

// selectionParameters returns the names of the parameters that selectionOf reads.
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

// numericTypes returns the data types with cells that compare as numbers.
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

// number is a decimal number. Whole numbers that fit into 64 bits are exact.
type number struct {
	whole int64
	float float64
	exact bool
}

func numberOf(text string) (number, bool) {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789+-.eE", r) }) {
		return number{}, false
	}
	if whole, err := strconv.ParseInt(text, 10, 64); err == nil {
		return number{whole: whole, float: float64(whole), exact: true}, true
	}
	float, err := strconv.ParseFloat(text, 64)
	return number{float: float}, err == nil
}

func (n number) compare(other number) int {
	switch {
	case n.exact && other.exact && n.whole < other.whole, !(n.exact && other.exact) && n.float < other.float:
		return -1
	case n.exact && other.exact && n.whole > other.whole, !(n.exact && other.exact) && n.float > other.float:
		return 1
	}
	return 0
}

// matches reports whether the selection contains a row.
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

// matches reports whether a cell meets a condition. In numeric comparisons an empty cell
// never does.
func (c condition) matches(cell string) (bool, error) {
	switch c.operator {
	case "eq", "ne":
		if !c.numeric {
			return c.set[cell] == (c.operator == "eq"), nil
		}
	}
	if c.numeric && cell == "" {
		return false, nil
	}
	orders := make([]int, 0, 1)
	for _, wanted := range c.values {
		order, err := c.compare(cell, wanted)
		if err != nil {
			return false, err
		}
		orders = append(orders, order)
	}
	switch c.operator {
	case "eq":
		return slices.Contains(orders, 0), nil
	case "ne":
		return !slices.Contains(orders, 0), nil
	case "gt":
		return orders[0] > 0, nil
	case "ge":
		return orders[0] >= 0, nil
	case "lt":
		return orders[0] < 0, nil
	default:
		return orders[0] <= 0, nil
	}
}

func (c condition) compare(cell, wanted string) (int, error) {
	if !c.numeric {
		return strings.Compare(cell, wanted), nil
	}
	a, ok := numberOf(cell)
	if !ok {
		return 0, notNumeric(c.column)
	}
	b, _ := numberOf(wanted)
	return a.compare(b), nil
}

func notNumeric(column string) *refusal {
	return invalid(`Column %q has a cell that is not a number, leave out the "dataType"`, column)
}

// compareRows compares two rows by the order of the selection. In numeric comparisons empty
// cells come first.
func (s selection) compareRows(a, b []string) int {
	for _, key := range s.order {
		order := 0
		x, y := a[key.index], b[key.index]
		if key.numeric && x != "" && y != "" {
			n, _ := numberOf(x)
			m, _ := numberOf(y)
			order = n.compare(m)
		} else {
			order = strings.Compare(x, y)
		}
		if key.descending {
			order = -order
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

// each calls emit with the selected cells of the selected rows of a table, in order. The
// slice is valid until emit returns. Memory use does not grow with the number of rows.
func (s selection) each(from *store.Store, t store.Table, emit func(cells []string) error) error {
	row, left := make([]string, len(s.indexes)), s.limit
	take := func(cells []string) error {
		for i, index := range s.indexes {
			row[i] = cells[index]
		}
		left--
		return emit(row)
	}
	sorted := newSorter(s.compareRows, s.limit)
	defer sorted.close()
	if len(s.order) > 0 {
		take = func(cells []string) error {
			for _, key := range s.order {
				if _, ok := numberOf(cells[key.index]); key.numeric && !ok && cells[key.index] != "" {
					return notNumeric(key.column)
				}
			}
			return sorted.add(cells)
		}
	}
	var failed error
	err := from.TimedRows(t.ID, func(loaded time.Time, cells []string) bool {
		if len(cells) != len(t.Columns) {
			failed = &refusal{
				status: http.StatusConflict, code: "storage.tables.conflict",
				message: "The columns of table " + t.ID + " have just changed",
			}
			return false
		}
		fits, err := s.matches(loaded, cells)
		if err == nil && fits {
			err = take(cells)
		}
		failed = err
		return err == nil && (left > 0 || s.limit == 0)
	})
	if err != nil {
		return replaceError(err, store.ErrNotFound, noTable(t.ID))
	}
	if failed != nil || len(s.order) == 0 {
		return failed
	}
	return sorted.each(func(cells []string) error {
		for i, index := range s.indexes {
			row[i] = cells[index]
		}
		return emit(row)
	})
}
