package engine

import (
	"errors"
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/response"
)

// LimitReached says why the tables of a run hold only a part of the data.
type LimitReached struct {
	// Budget is the flag of the program that requested it, without dashes:
	// max-requests, max-time, max-bytes or sample.
	Budget string
	// Limit is what was allowed, Reached what was used: requests, seconds,
	// bytes, or items of one run of a job.
	Limit, Reached float64
	// Job is the name of the job at which the run ended; of a sample, that of the
	// first job that lost items. Pointer is its JSON pointer.
	Job, Pointer string
}

// isLimit reports whether an error only says that a limit was reached.
func isLimit(err error) bool {
	_, ok := errors.AsType[*httpclient.LimitReached](err)
	return ok
}

// recordLimit keeps the first limit that was reached, else the first job whose sample
// left something out.
func (r *run) recordLimit(budget string, limit, reached float64, j *job) {
	if r.limit == nil || r.limit.Budget == "sample" && budget != "sample" {
		r.limit = &LimitReached{Budget: budget, Limit: limit, Reached: reached, Job: j.name, Pointer: j.Pointer}
	}
}

// sample takes the first items of one run of a job.
type sample struct {
	size  int // 0 takes all
	taken int
	// dropped is set when items, or pages, were left out.
	dropped bool
}

// take leaves as many items on a page as still belong to the sample.
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

// full reports whether the sample can take no more items.
func (s *sample) full() bool { return s.size > 0 && s.taken >= s.size }

func (s *sample) stop() *pagination.Stop {
	return &pagination.Stop{Rule: fmt.Sprintf("--sample took the first %d items and left the rest out", s.size), Reason: pagination.Deliberate}
}
