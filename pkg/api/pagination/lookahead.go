package pagination

import (
	"iter"
	"math"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
)

// Ahead is what a job would request after a request that has no response yet, if
// every page to come was full and in all else like the last one: request after
// request, none when the scroller has to see a page before it knows the next
// request. state is the one that came with the unanswered request, last the page
// before it; no page at all is the zero Page.
//
// The flag is true for the pages that hold rows by the total that the last page
// has (settings `total` and `totalPages`), as long as nothing else than rows
// and pages can end the job. Pages that are not flagged follow those that are.
func Ahead(s Scroller, job BaseRequest, state State, last PageInfo) iter.Seq2[config.RequestSpec, bool] {
	return func(yield func(config.RequestSpec, bool) bool) {
		f, ok := s.(predictable)
		for announced := true; ok; {
			full := last
			if full.Rows = f.full(job.RequestSpec, state, last); full.Rows < 1 || full.Rows > math.MaxInt32 {
				return // not known, or no page will be full
			}
			request, next, stop, err := job.Next(s, state, full)
			if stop != nil || err != nil {
				return
			}
			state = next
			announced = announced && f.announced(job.RequestSpec, state, last)
			if !yield(request, announced) {
				return
			}
		}
	}
}

// predictable is a scroller whose requests follow from its state, regardless of what the pages hold, as long as none of them ends the job.
type predictable interface {
	// full is how many rows the page has that was requested with a state, if the
	// API has as many; 0 when that is not known.
	full(job config.RequestSpec, s State, last PageInfo) int
	// announced reports whether by the last page the page requested with a state
	// holds rows.
	announced(job config.RequestSpec, s State, last PageInfo) bool
}

// totalPath is where a response holds the number of all rows or pages; an empty Text is
// nowhere.
type totalPath response.Path

// TotalRows is a setting of the methods that count.
var TotalRows = field.Text("total", "Path of the total", "Path to the total number of rows in the response, with dots between keys. It does not end paging, but a job that ends with fewer rows is reported (`job.short`). With an `api.http.concurrency` of 2 or more, pages up to it are requested side by side. `pagenum` needs a page size for it.").
	As(field.Path).Example(`"meta.total"`)

func compileTotal(s config.Section, path field.Setting[string]) totalPath {
	return totalPath{Text: path.Of(s), Separator: "."}
}

// of is the number that a page holds. What is not a number counts as 0: a run must not
// end because of a total.
func (t totalPath) of(p PageInfo) int64 {
	if t.Text == "" || p.Field == nil {
		return 0
	}
	v, err := p.Field(response.Path(t))
	if err != nil {
		return 0
	}
	n, _ := v.Int()
	return n
}
