package paging

import (
	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/config"
)

// Total is a place of the response with the number of all rows or pages.
type Total struct {
	Path answer.Path
	// Pages is set when it counts pages, not rows.
	Pages bool
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

// What a scroller, or a stopper, may know besides its requests. Each implements what
// it has something to say about, in its own file.
type (
	// counted names totals in the response.
	counted interface{ totals() []Total }
	// starting reports whether the first request of a job is for the firstrows.
	starting interface{ fromStart(job config.Request) bool }
	// repeating reports whether a repeated page is an ordinary end.
	repeating interface{ endsByRepeating(r Repeat) bool }
	// announcing gives the field of a page by which it says that there are more, ""
	// for none.
	announcing interface{ announces(p Page) string }
	// naming names the request parameter that leadsto the next page.
	naming interface{ parameter() parameter }
)

func withoutStoppers(s Scroller) Scroller {
	if g, ok := s.(stoppable); ok {
		return withoutStoppers(g.inner)
	}
	return s
}

// Totals are the totals that the settings of a scroller and its stoppers name:
// `total`, `totalPages`, and the field of `limitStop`.
func Totals(s Scroller) []Total {
	var all []Total
	if g, ok := s.(stoppable); ok {
		all = Totals(g.inner)
		if c, ok := g.rule.(counted); ok {
			all = append(all, c.totals()...)
		}
	}
	if c, ok := s.(counted); ok {
		all = append(all, c.totals()...)
	}
	return all
}

// FromStart reports whether the first request of a job is for the firstrows, as
// far as the settings show.
func FromStart(s Scroller, job config.Request) bool {
	start, ok := withoutStoppers(s).(starting)
	return !ok || start.fromStart(job)
}

// EndsByRepeating reports whether a repeated page is an ordinary end of paging: an
// API may answer requests beyond the end with the last page again.
func EndsByRepeating(s Scroller, r Repeat) bool {
	end, ok := withoutStoppers(s).(repeating)
	return ok && end.endsByRepeating(r)
}

// Parameter says with what a scroller requests the next page, such as "the parameter
// 'offset'"; "" when it follows an address.
func Parameter(s Scroller) string {
	n, ok := withoutStoppers(s).(naming)
	switch {
	case !ok:
		return ""
	case n.parameter().placed:
		return n.parameter().String()
	default:
		return "the parameter '" + n.parameter().name + "'"
	}
}
