package pagination

import (
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/response"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Total is a place of the response that tells how many there are in all.
type Total struct {
	Path response.Path
	// Pages is set when it counts pages, not rows.
	Pages bool
}

// Totals are the totals that the settings of a scroller name: `total`,
// `totalPages`, and the field of `limitStop`.
func Totals(s Scroller) []Total {
	switch s := s.(type) {
	case guarded:
		all := Totals(s.inner)
		if l, ok := s.rule.(limitStop); ok && l.field.Text != "" {
			all = append(all, Total{Path: l.field})
		}
		return all
	case offset:
		return totalsOf(s.total, total{})
	case pageNumber:
		return totalsOf(s.total, s.totalPages)
	default:
		return nil
	}
}

func totalsOf(rows, pages total) []Total {
	var all []Total
	for _, path := range fields(rows) {
		all = append(all, Total{Path: path})
	}
	for _, path := range fields(pages) {
		all = append(all, Total{Path: path, Pages: true})
	}
	return all
}

// FromStart tells whether the first request of a job asks for the first rows, as
// far as the settings show.
func FromStart(s Scroller, job config.Request) bool {
	switch s := s.(type) {
	case guarded:
		return FromStart(s.inner, job)
	case offset:
		own, _ := job.Param(s.param)
		at, _ := own.Int()
		return at == 0 || s.firstPageParams && !s.fromJob
	case pageNumber:
		own, _ := job.Param(s.pageParam)
		at, _ := own.Int()
		return s.firstPage <= 1 && (at <= 1 || s.firstPageParams)
	default:
		return true
	}
}

// Repeat is a page that was dropped because it repeats an earlier one.
type Repeat struct {
	// Page and Earlier are the numbers of both, from 1.
	Page, Earlier int
	// Rows is how many it has, Largest how many the largest page before it had.
	Rows, Largest int
	// Before is the page before it.
	Before Page
}

// EndsByRepeating tells whether a repeated page is an ordinary end of paging: an
// API may answer whoever asks for too much with the last page again.
func EndsByRepeating(s Scroller, r Repeat) bool {
	switch s := s.(type) {
	case guarded:
		return EndsByRepeating(s.inner, r)
	case offset, pageNumber:
		// A second page that is the first one may mean that the API does not know the
		// parameter. A later one has seen it work.
		return r.Page > 2
	case cursor:
		// An API that gives the rows from the cursor on, the cursor's own included,
		// gives its last row for ever. A page as large as any may hold back more.
		return r.Rows < r.Largest
	case responseParam:
		v, err := r.Before.field(s.from, s.fromPointer)
		return err == nil && hollow(v)
	default:
		return false
	}
}

// Parameter is the name of the request parameter with which a scroller asks for
// the next page, "" when it follows an address.
func Parameter(s Scroller) string {
	switch s := s.(type) {
	case guarded:
		return Parameter(s.inner)
	case offset:
		return s.param
	case pageNumber:
		return s.pageParam
	case cursor:
		return s.param
	case responseParam:
		return s.to
	default:
		return ""
	}
}

// hollow tells whether there is nothing in a value, however deep: the variables
// of a GraphQL query without a cursor.
func hollow(v value.Value) bool {
	for _, m := range v.Members() {
		if !hollow(m.Value) {
			return false
		}
	}
	for _, item := range v.Items() {
		if !hollow(item) {
			return false
		}
	}
	return v.Len() > 0 || v.Empty()
}
