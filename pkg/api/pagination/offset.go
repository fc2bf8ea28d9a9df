package pagination

import (
	"fmt"
	"math/big"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// offset pages by a number of rows to skip. The first request sends the page size and the
// first offset. Each next request adds the page size. A page with fewer rows than the
// page size is the last page. Without a limit, requests do not contain a page size, and
// the page size is the number of rows of the first page. With lastPage "empty", each
// request adds the rows of the page before it, and an empty page is the last page.
type offset struct {
	counter
	first   int64
	fromJob bool
}

// offsetState is the offset of the last request, and the page size of the API if there is
// no limit.
type offsetState struct {
	at       *big.Int
	pageSize int64 // 0 before the first page
}

// Settings that only the method offset has.
var (
	OffsetParam = field.Text("offsetParam", "Offset parameter", "Parameter that carries the offset.").
			Default("offset").As(field.Parameter).Example(`"start"`)
	firstOffset = field.Integer("firstOffset", "First offset", "Offset of the first row, which some APIs count from 1; an empty value is 0.").
			Default(0).Example(`1`)
	OffsetFromJob = field.Flag("offsetFromJob", "Offset from the job", "Begin at the offset found in the job's own parameters.").Example(`true`)
)

func offsetMethod() Method {
	return Method{
		Name:       "offset",
		AlsoCalled: []string{"offsetlimit", "limitoffset", "skip"},
		Settings:   []field.Declaration{Limit, LimitParam, LastPage, OffsetParam, firstOffset, firstPageParams, OffsetFromJob, totalRows},
		Values:     []RequestValue{{offsetValue, OffsetParam}, {limitValue, LimitParam}},
		Compile:    compileOffset,
		Position: func(s config.Section) ([]string, failure.Text) {
			if !firstPageParams.Of(s) || OffsetFromJob.Of(s) {
				return nil, ""
			}
			return pathOf(s, OffsetParam.Of(s)), "remove it here, or set \"" + failure.Text(OffsetFromJob.Name) + "\" to begin at it"
		},
	}
}

func compileOffset(s config.Section) Scroller {
	o := offset{counter: counter{size: compilePageSize(s), param: parameterOf(s, RequestValue{offsetValue, OffsetParam}), firstPageParams: firstPageParams.Of(s)}}
	o.first, o.fromJob, o.total = int64(firstOffset.Of(s)), OffsetFromJob.Of(s), compileTotal(s, totalRows)
	if limit := Limit.In(s); limit.Present() && limit.Value.IsNumeric() && o.size.limit < 1 {
		limit.Problem("expected a number of rows, at least 1", "")
	}
	return o.scroller()
}

func (o offset) start(job config.RequestSpec, _ time.Time) (config.RequestSpec, State) {
	s := offsetState{at: big.NewInt(o.first)}
	if own, ok := o.param.ownValue(job); ok && o.fromJob {
		if at, ok := own.Integer(); ok {
			s.at = at
		}
	}
	if !o.firstPageParams {
		return job, s
	}
	return o.request(job, s.at), s
}

func (o offset) request(job config.RequestSpec, at *big.Int) config.RequestSpec {
	return o.param.set(o.size.set(job, job), ofInteger(at))
}

func (o offset) next(job config.RequestSpec, state State, p PageInfo) (config.RequestSpec, State, *Stop, error) {
	s := state.(offsetState)
	size := o.size.effective(job)
	if size == 0 {
		if s.pageSize == 0 {
			s.pageSize = int64(p.Rows)
		}
		size = s.pageSize
	}
	if stop := o.size.lastPage(p, size); stop != nil {
		return job, nil, stop, nil
	}
	if o.size.untilEmpty {
		size = int64(p.Rows)
	}
	s.at = new(big.Int).Add(s.at, big.NewInt(size))
	return o.request(job, s.at), s, nil, nil
}

func (o offset) describe(job config.RequestSpec) []string {
	_, state := o.start(job, time.Time{})
	start, size := state.(offsetState).at, o.size.effective(job)
	further := "then advances by the number of rows on the "
	switch {
	case o.size.untilEmpty && size == 0:
		return sentences(o.firstPageParams, fmt.Sprintf("Sends %s = %s, %sprevious page, until a page is empty.", o.param, start, further))
	case o.size.untilEmpty:
		return sentences(o.firstPageParams, fmt.Sprintf("Sends %s = %s and %s = %d, %sprevious page, until a page is empty.", o.param, start, o.size.param, size, further))
	case size == 0:
		return sentences(o.firstPageParams, fmt.Sprintf("Sends %s = %s, %sfirst page, until a page is empty or has fewer rows than that.", o.param, start, further))
	}
	return sentences(o.firstPageParams, fmt.Sprintf("Sends %s = %s and %s = %d, %s.",
		o.param, formatSeries(start, size), o.size.param, size, o.size.untilLast(size)))
}

func (o offset) scroller() Scroller {
	s := o.counter.scroller()
	s.First, s.Next, s.Describe = o.start, o.next, o.describe
	s.FromStart, s.Full, s.Exists = o.fromStart, o.full, o.exists
	s.Place = func(names []string) Scroller {
		o.param, o.size.param = o.param.withPlacedValues(names), o.size.param.withPlacedValues(names)
		return o.scroller()
	}
	return s
}

// full implements Traits.Full. It returns 0 if the API may return fewer rows than requested,
// because the next offset then depends on the number of rows.
func (o offset) full(job config.RequestSpec, state State, _ PageInfo) int {
	if o.size.untilEmpty {
		return 0
	}
	if size := o.size.effective(job); size != 0 {
		return int(size)
	}
	return int(state.(offsetState).pageSize)
}

func (o offset) exists(_ config.RequestSpec, state State, last PageInfo) bool {
	before := new(big.Int).Sub(state.(offsetState).at, big.NewInt(o.first))
	return before.Cmp(big.NewInt(o.total.number(last))) < 0
}

func (o offset) fromStart(job config.RequestSpec) bool {
	own, _ := o.param.ownValue(job)
	at, _ := own.Int()
	return at == 0 || at == o.first || o.firstPageParams && !o.fromJob
}
