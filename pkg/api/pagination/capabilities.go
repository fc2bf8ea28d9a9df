package pagination

import (
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
)

// Total is the path of the number of all rows or pages in the response.
type Total struct {
	Path response.Path
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

// Optional interfaces of scrollers and stoppers. Each type implements its interfaces in
// its own file.
type (
	// totalsProvider returns the paths of totals in the response.
	totalsProvider interface{ totals() []Total }
	// startDetector reports whether the first request of a job is for the first rows.
	startDetector interface {
		fromStart(job config.RequestSpec) bool
	}
	// lastPageDetector reports whether page p announces that no page follows.
	lastPageDetector interface{ isLast(p PageInfo) bool }
	// numbered is implemented by methods that count or compare ids. They request page
	// after page even if the API ignores their parameter. numbers reports whether all
	// requests of a job differ.
	numbered interface{ numbers() (forever bool) }
	// errorStatusEnder returns the reason to end a job after an error status, or nil if
	// the status is an error. largest is the number of rows of the largest page.
	errorStatusEnder interface {
		afterLast(job config.RequestSpec, status int, last PageInfo, largest int) *Stop
	}
	// announcer returns the field by which page p announces more pages, or "".
	announcer interface{ announces(p PageInfo) string }
	// parameterNamer returns the request parameter that leads to the next page.
	parameterNamer interface{ parameter() parameter }
)

func withoutStoppers(s Scroller) Scroller {
	if g, ok := s.(stoppingScroller); ok {
		return withoutStoppers(g.inner)
	}
	return s
}

// Totals returns the totals that the settings of a scroller and its stoppers name:
// `total`, `totalPages`, and the field of `limitStop`.
func Totals(s Scroller) []Total {
	var all []Total
	if g, ok := s.(stoppingScroller); ok {
		all = Totals(g.inner)
		if c, ok := g.rule.(totalsProvider); ok {
			all = append(all, c.totals()...)
		}
	}
	if c, ok := s.(totalsProvider); ok {
		all = append(all, c.totals()...)
	}
	return all
}

// FromStart reports whether the first request of a job is for the first rows, according
// to the settings.
func FromStart(s Scroller, job config.RequestSpec) bool {
	start, ok := withoutStoppers(s).(startDetector)
	return !ok || start.fromStart(job)
}

// EndsByRepeating reports whether a repeated page is an ordinary end of pagination. An
// API may respond to requests beyond the end with its last page again, which is smaller
// than other pages. A repeated page of full size may hide further pages.
func EndsByRepeating(s Scroller, r Repeat) bool {
	if end, ok := withoutStoppers(s).(lastPageDetector); ok && end.isLast(r.Before) {
		return true
	}
	return !r.Doubled && r.Again() && (r.Rows == 0 || !r.List || r.Rows < r.Largest)
}

// Numbered reports whether a scroller requests page after page regardless of the
// responses. forever reports whether all its requests differ.
func Numbered(s Scroller) (ok, forever bool) {
	if n, ok := withoutStoppers(s).(numbered); ok {
		return true, n.numbers()
	}
	return false, false
}

// AfterLast returns the reason to end a job after page last, because the API responded to
// the next request with an error status. It returns nil if the status is an error.
// largest is the number of rows of the largest page.
func AfterLast(s Scroller, job config.RequestSpec, status int, last PageInfo, largest int) *Stop {
	if a, ok := withoutStoppers(s).(errorStatusEnder); ok {
		return a.afterLast(job, status, last, largest)
	}
	return nil
}

// Announced returns the field by which a stopper finds that more pages follow page p, or
// "".
func Announced(s Scroller, p PageInfo) string {
	g, ok := s.(stoppingScroller)
	if !ok {
		return ""
	}
	if rule, ok := g.rule.(announcer); ok {
		if field := rule.announces(p); field != "" {
			return field
		}
	}
	return Announced(g.inner, p)
}

// Unchanged returns the reason to end a job after a page without rows that leads to the
// same request again.
func Unchanged(pointer string) *Stop {
	return &Stop{Rule: "the page is empty and leads to the same request again", Pointer: pointer, Reason: NoProgress}
}

// Parameter describes the request parameter that leads to the next page, such as "the
// parameter 'offset'". It returns "" if the scroller follows a URL.
func Parameter(s Scroller) string {
	n, ok := withoutStoppers(s).(parameterNamer)
	switch {
	case !ok:
		return ""
	case n.parameter().placed:
		return n.parameter().String()
	default:
		return "the parameter '" + n.parameter().name + "'"
	}
}
