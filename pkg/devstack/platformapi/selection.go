package platformapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// selection is which rows and columns of a table are wanted, and in which order.
type selection struct {
	names      []string // the wanted columns
	indexes    []int    // those of the cells in a row
	conditions []condition
	// since and until are bounds of the time of the load, zero if open; until is
	// excluded.
	since, until time.Time
	// search is a text in lower case that one of the cells must contain.
	search string
	order  []orderKey
	limit  int // 0 for none
}

// condition compares a column with values.
type condition struct {
	column   string
	index    int
	operator string
	values   []string
	set      map[string]bool // the values of eq and ne that are compared as texts
	numeric  bool
}

type orderKey struct {
	column              string
	index               int
	descending, numeric bool
}

// selectionParameters are what selectionOf reads.
func selectionParameters() []string {
	return []string{
		"limit", "columns[]", "changedSince", "changedUntil", "whereColumn", "whereOperator", "whereValues[]", "whereFilters[]",
		"orderBy[]", "fulltextSearch",
	}
}

// Each row is compared with each condition and order, and each wanted column is
// written, so their numbers are limited.
const (
	maxSelected = 10_000 // columns
	maxFilters  = 100    // conditions, and orders
)

// numericTypes are the data types that compare cells as numbers.
func numericTypes() []string { return []string{"INTEGER", "DOUBLE", "BIGINT", "REAL", "DECIMAL"} }

// selectionOf reads a selection from a table. Errors are left in the fields.
func selectionOf(f *fields, t store.Table, limit, maxLimit int, now time.Time) selection {
	s := selection{
		limit: f.number("limit", limit, 0, maxLimit), since: f.moment("changedSince", now), until: f.moment("changedUntil", now),
		search: strings.ToLower(f.text("fulltextSearch")),
	}
	if s.limit == 0 { // some clients mean the default by it
		s.limit = limit
	}
	s.names, s.indexes = f.choose(t.Columns)
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

// number is the number in a cell or a parameter: a whole one, or any other.
type number struct {
	whole int64
	float float64
	exact bool
}

// numberOf reads a decimal number.
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

// fits reports whether a row is selected.
func (s selection) fits(loaded time.Time, cells []string) (bool, error) {
	if !s.since.IsZero() && loaded.Before(s.since) || !s.until.IsZero() && !loaded.Before(s.until) {
		return false, nil
	}
	for _, c := range s.conditions {
		if fits, err := c.fits(cells[c.index]); err != nil || !fits {
			return false, err
		}
	}
	if s.search == "" {
		return true, nil
	}
	return slices.ContainsFunc(cells, func(cell string) bool { return strings.Contains(strings.ToLower(cell), s.search) }), nil
}

// fits reports whether a cell meets a condition. As numbers, empty cells never do.
func (c condition) fits(cell string) (bool, error) {
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

// rank compares two rows. As numbers, empty cells come first.
func (s selection) rank(a, b []string) int {
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

// each calls emit with the wanted cells of the selected rows of a table, in their
// order. The slice is used until the next call only. It needs little memory for any
// number of rows.
func (s selection) each(from *store.Store, t store.Table, emit func(cells []string) error) error {
	row, left := make([]string, len(s.indexes)), s.limit
	take := func(cells []string) error {
		for i, index := range s.indexes {
			row[i] = cells[index]
		}
		left--
		return emit(row)
	}
	sorted := newSorter(s.rank, s.limit)
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
		fits, err := s.fits(loaded, cells)
		if err == nil && fits {
			err = take(cells)
		}
		failed = err
		return err == nil && (left > 0 || s.limit == 0)
	})
	if err != nil {
		return instead(err, store.ErrNotFound, noTable(t.ID))
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
