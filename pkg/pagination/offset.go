package pagination

import (
	"fmt"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// offset pages by a number of rows to skip: the first request carries the page
// size and offset 0, each next one adds the page size, and a page with fewer
// rows than the page size is the last one. Without a limit none is sent and the
// page size is the number of rows of the first page.
type offset struct {
	limit           int64
	limitParam      string
	offsetParam     string
	firstPageParams bool
	offsetFromJob   bool
	limitPointer    string
}

// offsetState is where the last request stood and, when the API's own page size
// applies, what that is.
type offsetState struct {
	at       int64
	pageSize int64 // 0 until the first page told it
}

func compileOffset(s config.Section) Scroller {
	o := offset{
		limitParam:      s.Text("limitParam", "limit"),
		offsetParam:     s.Text("offsetParam", "offset"),
		firstPageParams: s.Bool("firstPageParams", true),
		offsetFromJob:   s.Bool("offsetFromJob", false),
	}
	limit := s.Get("limit")
	o.limitPointer = limit.Pointer
	if limit.Present() {
		var ok bool
		if o.limit, ok = limit.Value.Int(); !ok || o.limit < 1 {
			limit.Problem("expected a number of rows, at least 1", "")
		}
	}
	return o
}

func (offset) Needs() Needs { return Needs{} }

// size is the page size in force: the job's own parameter, else the limit,
// else 0.
func (o offset) size(job config.Request) int64 {
	if own, ok := job.Param(o.limitParam); ok && !own.Empty() {
		if n, ok := own.Int(); ok && n > 0 {
			return n
		}
	}
	return o.limit
}

func (o offset) First(job config.Request, _ time.Time) (config.Request, State) {
	var s offsetState
	if own, ok := job.Param(o.offsetParam); ok && o.offsetFromJob {
		s.at, _ = own.Int()
	}
	if !o.firstPageParams {
		return job, s
	}
	return o.request(job, s.at), s
}

func (o offset) request(job config.Request, at int64) config.Request {
	if size := o.size(job); size > 0 {
		job = job.WithParam(o.limitParam, value.OfInt(size))
	}
	return job.WithParam(o.offsetParam, value.OfInt(at))
}

func (o offset) Next(job config.Request, state State, p Page) (config.Request, State, *Stop, error) {
	s := state.(offsetState)
	size := o.size(job)
	if size == 0 {
		if s.pageSize == 0 {
			s.pageSize = int64(p.Rows)
		}
		size = s.pageSize
	}
	if p.Rows == 0 {
		return job, nil, &Stop{Rule: "the page is empty", Pointer: o.limitPointer}, nil
	}
	if int64(p.Rows) < size {
		rule := fmt.Sprintf("the page has fewer rows (%d) than the page size (%d)", p.Rows, size)
		return job, nil, &Stop{Rule: rule, Pointer: o.limitPointer}, nil
	}
	s.at += size
	return o.request(job, s.at), s, nil, nil
}
