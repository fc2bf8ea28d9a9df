package engine

import (
	"errors"
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/response"
)

// LimitReached describes the limit that ended a run, so that its tables hold only a part
// of the data.
type LimitReached struct {
	// Budget is the flag that set the limit, without dashes: max-requests, max-time,
	// max-bytes or sample.
	Budget string
	// Limit is the allowed and Reached the used amount: requests, seconds, bytes, or
	// items of one run of a job.
	Limit, Reached float64
	// Job is the name of the job that was running. For a sample, it is the first job that
	// lost items. Pointer is the JSON pointer of the job.
	Job, Pointer string
}

// isLimit reports whether an error only means that a limit was reached.
func isLimit(err error) bool {
	_, ok := errors.AsType[*httpclient.LimitReached](err)
	return ok
}

// recordLimit stores the first limit that was reached. A sample counts only if no other
// limit was reached.
func (r *run) recordLimit(budget string, limit, reached float64, j *job) {
	if r.limit == nil || r.limit.Budget == "sample" && budget != "sample" {
		r.limit = &LimitReached{Budget: budget, Limit: limit, Reached: reached, Job: j.name, Pointer: j.Pointer}
	}
}

// sample takes the first items of a job run.
type sample struct {
	size  int // maximum number of items, 0 for all items
	taken int
	// dropped is true if items or pages were dropped.
	dropped bool
}

// take truncates a page to the items that still belong to the sample.
func (s *sample) take(page *response.Page) {
	if s.size == 0 {
		return
	}
	if left := s.size - s.taken; page.Rows > left {
		page.Truncate(left)
		s.dropped = true
	}
	s.taken += page.Rows
}

// full reports whether the sample takes no more items.
func (s *sample) full() bool { return s.size > 0 && s.taken >= s.size }

func (s *sample) stop() *pagination.Stop {
	return &pagination.Stop{Rule: fmt.Sprintf("--sample took the first %d items and left the rest out", s.size), Reason: pagination.Deliberate}
}
