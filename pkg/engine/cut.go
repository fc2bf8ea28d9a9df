package engine

import (
	"errors"
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/api/exchange"
	"github.com/keboola/configurable-extractor/pkg/api/paging"
)

// Cut says why the tables of a run hold only a part of the data.
type Cut struct {
	// Budget is the flag of the program that asked for it, without dashes:
	// max-requests, max-time, max-bytes or sample.
	Budget string
	// Limit is what was allowed, Reached what was used: requests, seconds,
	// bytes, or items of one run of a job.
	Limit, Reached float64
	// Job is the endpoint of the job at which the run ended; of a sample, the
	// first job of which items were left out. Pointer is its place in the
	// configuration.
	Job, Pointer string
}

// isCut tells whether an error only says that a limit was reached.
func isCut(err error) bool {
	_, ok := errors.AsType[*exchange.Cut](err)
	return ok
}

// recordCut remembers what cut the run: the first limit that was reached, else the
// first job whose sample left something out.
func (r *run) recordCut(budget string, limit, reached float64, j *job) {
	if r.cut == nil || r.cut.Budget == "sample" && budget != "sample" {
		r.cut = &Cut{Budget: budget, Limit: limit, Reached: reached, Job: j.Endpoint, Pointer: j.Pointer}
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
func (s *sample) take(page *answer.Page) {
	if s.size == 0 {
		return
	}
	if left := s.size - s.taken; page.Rows > left {
		page.Truncate(left)
		s.dropped = true
	}
	s.taken += page.Rows
}

// full tells whether there is room for no more items.
func (s *sample) full() bool { return s.size > 0 && s.taken >= s.size }

func (s *sample) stop() *paging.Stop {
	return &paging.Stop{Rule: fmt.Sprintf("--sample took the first %d items and left the rest out", s.size), Reason: paging.OnPurpose}
}
