package pagination

import (
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Total is the path or the header with the number of all rows or pages in the response.
type Total struct {
	Path   response.Path
	Header string // "" for a path
	// Pages is true if the number counts pages, not rows.
	Pages bool
}

// Repeat is a page that was dropped because it repeats an earlier page.
type Repeat struct {
	// Page and Earlier are the numbers of the dropped page and of the earlier page,
	// counted from 1.
	Page, Earlier int
	// Rows is the number of rows of the dropped page. Largest is the number of rows of
	// the largest page before it.
	Rows, Largest int
	// List is true if the data of the page is a list.
	List bool
	// Doubled is true if rows were stored a second time before this page was dropped.
	Doubled bool
	// LeadsOn is true if the page leads to another request, although it has no rows.
	LeadsOn bool
	// Before is the page before the dropped page.
	Before PageInfo
}

// Again reports whether the page repeats the page just before it. Some APIs send their
// last page again. Otherwise pagination runs in a cycle.
func (r Repeat) Again() bool { return r.Earlier == r.Page-1 }

// Traits are the properties of a scroller that its requests do not show. The zero value
// describes a scroller that follows the API from response to response.
type Traits struct {
	// Single is true if the scroller sends one request only.
	Single bool
	// StartsOver is the JSON pointer of the number after which the scroller starts over, or
	// "".
	StartsOver string
	// Totals are the paths of totals that the settings name: `total`, `totalPages`, and
	// the field of `limitStop`.
	Totals []Total
	// FromStart reports whether the first request of a job is for the first rows,
	// according to the settings. By default it does.
	FromStart func(job config.RequestSpec) bool
	// Numbered is true if the scroller counts or compares ids, and therefore requests page
	// after page even if the API ignores its parameter. Distinct is true if all requests
	// of a job differ.
	Numbered, Distinct bool
	// Announces returns the field that announces more pages after page p, or "".
	Announces func(p PageInfo) string
	// IsLast reports whether page p announces that no page follows.
	IsLast func(p PageInfo) bool
	// AfterLast returns the reason to end a job after page last because the API responded
	// to the next request with an error status, or nil if the status is an error. largest
	// is the number of rows of the largest page.
	AfterLast func(job config.RequestSpec, status int, last PageInfo, largest int) *Stop
	// Parameter describes the request parameter that leads to the next page, such as "the
	// parameter 'offset'". It is "" if the scroller follows a URL.
	Parameter string
	// Full is set if requests follow from the state alone, so that pages can be requested
	// in advance. It returns the number of rows of the page that was requested with state
	// s, if the API has enough rows, or 0 if the number is not known.
	Full func(job config.RequestSpec, s State, last PageInfo) int
	// Exists reports whether the page that was requested with state s has rows, according
	// to a total in the last page. It is set together with Full.
	Exists func(job config.RequestSpec, s State, last PageInfo) bool
	// Expressions are the objects or lists of expressions in the settings. Evaluate returns
	// the scroller with their values, in this order.
	Expressions []config.Section
	Evaluate    func([]value.Value) Scroller
	// Body is the section of the body of later pages, which may be absent. Method is the
	// configured method of later pages, or "".
	Body   config.Section
	Method string
	// Place returns the scroller for a job with placed values, see RequestValue.
	Place func(names []string) Scroller
}

// EndsByRepeating reports whether a repeated page is an ordinary end of pagination. An
// API may respond to requests beyond the end with its last page again, which is smaller
// than other pages. A repeated page of full size may hide further pages.
func (s Scroller) EndsByRepeating(r Repeat) bool {
	return s.IsLast(r.Before) || !r.Doubled && r.Again() && (r.Rows == 0 || !r.List || r.Rows < r.Largest)
}
