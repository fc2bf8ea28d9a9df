package pagination

import (
	"iter"
	"math"

	"github.com/keboola/configurable-extractor/pkg/config"
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
