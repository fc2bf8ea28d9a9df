package pagination

import (
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
)

// Total is a place of the response with the number of all rows or pages.
type Total struct {
	Path response.Path
	// Pages is set when it counts pages, not rows.
	Pages bool
}

// Repeat is a page that was dropped because it repeats an earlier one.
type Repeat struct {
	// Page and Earlier are the numbers of both, from 1.
	Page, Earlier int
	// Rows is how many it has, Largest how many the largest page before it had.
	Rows, Largest int
	// List reports whether its data is a list.
	List bool
	// Doubled reports whether rows were stored a second time before this page was dropped.
	Doubled bool
	// LeadsOn reports whether the page leads to another request, although it has no rows.
	LeadsOn bool
	// Before is the page before it.
	Before PageInfo
}

// Again reports whether the page repeats the page just before it: some APIs send their
// last page again. Otherwise paging runs in a circle.
func (r Repeat) Again() bool { return r.Earlier == r.Page-1 }

// What a scroller, or a stopper, may know besides its requests. Each implements what
// it has something to say about, in its own file.
type (
	// totalsProvider names totals in the response.
	totalsProvider interface{ totals() []Total }
	// startDetector reports whether the first request of a job is for the first rows.
	startDetector interface {
		fromStart(job config.RequestSpec) bool
	}
	// ending reports whether page p announces that no page follows.
	ending interface{ isLast(p PageInfo) bool }
	// numbered is implemented by methods that count or compare ids. They request page
	// after page even if the API ignores their parameter. numbers reports whether all
	// requests of a job differ.
	numbered interface{ numbers() (forever bool) }
	// absent returns the reason to end a job after an error status, or nil if the status is
	// an error. largest is the number of rows of the largest page.
	absent interface {
		afterLast(job config.RequestSpec, status int, last PageInfo, largest int) *Stop
	}
	// announcer gives the field of a page by which it says that there are more, ""
	// for none.
	announcer interface{ announces(p PageInfo) string }
	// parameterNamer names the request parameter that leads to the next page.
	parameterNamer interface{ parameter() parameter }
)

func withoutStoppers(s Scroller) Scroller {
	if g, ok := s.(stoppingScroller); ok {
		return withoutStoppers(g.inner)
	}
	return s
}

// Totals are the totals that the settings of a scroller and its stoppers name:
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

// FromStart reports whether the first request of a job is for the first rows, as
// far as the settings show.
func FromStart(s Scroller, job config.RequestSpec) bool {
	start, ok := withoutStoppers(s).(startDetector)
	return !ok || start.fromStart(job)
}

// EndsByRepeating reports whether a repeated page is an ordinary end of paging: an API
// may answer requests beyond the end with its last page again, which is smaller than
// others. A page as large as any may hide others.
func EndsByRepeating(s Scroller, r Repeat) bool {
	if end, ok := withoutStoppers(s).(ending); ok && end.isLast(r.Before) {
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

// AfterLast returns the reason to end a job after page last, because the next request was
// answered with an error status. It returns nil if the status is an error. largest is the
// number of rows of the largest page.
func AfterLast(s Scroller, job config.RequestSpec, status int, last PageInfo, largest int) *Stop {
	if a, ok := withoutStoppers(s).(absent); ok {
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

// Unchanged ends a job whose page has no rows and leads to the same request again.
func Unchanged(pointer string) *Stop {
	return &Stop{Rule: "the page is empty and leads to the same request again", Pointer: pointer, Reason: NoProgress}
}

// Parameter says with what a scroller requests the next page, such as "the parameter
// 'offset'"; "" when it follows an address.
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
