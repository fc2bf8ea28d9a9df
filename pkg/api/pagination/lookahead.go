package pagination

import (
	"iter"
	"math"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
)

// Ahead predicts the requests after a request that has no response yet. It assumes that
// every page is full. It yields no request if the scroller needs the contents of a page.
// state is the state after the request without a response. last is the page before this
// request, or the zero PageInfo.
//
// The flag is true if the page exists according to a total in the page last (settings
// `total` and `totalPages`), and only the number of rows or pages can end the job. These
// pages come first.
func Ahead(s Scroller, job BaseRequest, state State, last PageInfo) iter.Seq2[config.RequestSpec, bool] {
	return func(yield func(config.RequestSpec, bool) bool) {
		for announced := true; s.Full != nil; {
			full := last
			if full.Rows = s.Full(job.RequestSpec, state, last); full.Rows < 1 || full.Rows > math.MaxInt32 {
				return // the size is not known, or is not plausible
			}
			request, next, stop, err := job.Next(s, state, full)
			if stop != nil || err != nil {
				return
			}
			state = next
			announced = announced && s.Exists(job.RequestSpec, state, last)
			if !yield(request, announced) {
				return
			}
		}
	}
}

// totalPath is the path of the number of all rows or pages in a response. An empty Text
// means that there is no path.
type totalPath response.Path

// totalRows is a setting of the methods that count.
var totalRows = field.Text("total", "Path of the total", "Path to the total number of rows in the response, with dots between keys. It does not end pagination, but a job that ends with fewer rows is reported (`job.short`). With an `api.http.concurrency` of 2 or more, pages up to it are requested side by side. `pagenum` needs a page size for it.").
	As(field.Path).Example(`"meta.total"`)

func compileTotal(s config.Section, path field.Setting[string]) totalPath {
	return totalPath{Text: path.Of(s), Separator: "."}
}

// number returns the total in a page. It returns 0 if the value is not a number, because a
// total must not end a run.
func (t totalPath) number(p PageInfo) int64 {
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
