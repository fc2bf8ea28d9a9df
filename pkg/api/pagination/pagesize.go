package pagination

import (
	"fmt"
	"math"
	"math/big"
	"net/http"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
)

// The settings of methods that count: rows, or pages of so many rows.
var (
	Limit = field.Integer("limit", "Page size", "Rows to request. Without it no page size is sent: `offset` uses the number of items on the first page, and `pagenum` continues until a page is empty.").
		Also("page_size", "pagesize").Example(`100`)
	LimitParam = field.Text("limitParam", "Page size parameter", "Parameter that carries the page size.").
			Default("limit").As(field.Parameter).Example(`"count"`)
	FirstPageParams = field.Flag("firstPageParams", "Parameters on the first page", "Send the paging parameters with the first request too.").
			Default(true).EmptyMeans(false).Example(`false`)
	LastPage = field.Text("lastPage", "Last page", "Which page is the last one. `short`: one with fewer rows than `limit`. `empty`: one without rows, for APIs that return fewer rows per page than `limit` requests; `offset` then advances by the rows of each page, and a response with the status 404 ends the job after a page with fewer rows than `limit`.").
			Typed(&field.Type{Kinds: []string{"string"}, Choices: field.Choices("short", UntilEmpty)}).Default("short").Example(`"empty"`)
)

// UntilEmpty is the value of LastPage for paging until a page is empty.
const UntilEmpty = "empty"

// counter is what scrollers that count rows or pages have in common.
type counter struct {
	size              pageSize
	param             parameter
	firstPageParams   bool
	total, totalPages totalPath // of rows, and of pages
}

func (c counter) Needs() Requirements {
	var needs Requirements
	for _, t := range c.totals() {
		needs.Fields = append(needs.Fields, t.Path)
	}
	return needs
}

func (c counter) totals() []Total {
	var all []Total
	for _, t := range []Total{{Path: response.Path(c.total)}, {Path: response.Path(c.totalPages), Pages: true}} {
		if t.Path.Text != "" {
			all = append(all, t)
		}
	}
	return all
}

// numbers implements numbered.
func (counter) numbers() (forever bool) { return true }

// afterLast implements absent: with lastPage "empty", an API may answer with 404 instead of
// an empty page after a page that is not full.
func (c counter) afterLast(job config.RequestSpec, status int, last PageInfo, largest int) *Stop {
	size := c.size.of(job)
	if size == 0 {
		size = int64(largest)
	}
	if !c.size.untilEmpty || status != http.StatusNotFound || int64(last.Rows) >= size {
		return nil
	}
	return &Stop{
		Rule:    fmt.Sprintf("the API has no page (status %d) after one with fewer rows (%d) than the page size (%d)", status, last.Rows, size),
		Pointer: c.size.pointer,
	}
}

func (c counter) parameter() parameter { return c.param }

// placing is counting for a job that places the values with these names.
func (c counter) placing(names []string) counter {
	c.param, c.size.param = c.param.placing(names), c.size.param.placing(names)
	return c
}

// pageSize is how many rows arequest is for.
type pageSize struct {
	limit   int64 // 0 for none
	param   parameter
	pointer string // of the limit, or of the method without one
	// untilEmpty is true if only an empty page is the last one.
	untilEmpty bool
}

func compilePageSize(s config.Section) pageSize {
	return pageSize{
		limit:      int64(Limit.Of(s)),
		param:      parameterOf(s, RequestValue{limitValue, LimitParam}),
		pointer:    placeOf(s, Limit),
		untilEmpty: LastPage.Of(s) == UntilEmpty,
	}
}

// of is the page size in force: the job's own parameter, else the limit, else
// 0. One beyond 64 bits, which no page has, counts as the largest one.
func (z pageSize) of(job config.RequestSpec) int64 {
	size := z.exactly(job)
	if !size.IsInt64() {
		return math.MaxInt64
	}
	return size.Int64()
}

func (z pageSize) exactly(job config.RequestSpec) *big.Int {
	own, _ := z.param.of(job)
	if n, ok := own.Integer(); ok && n.Sign() > 0 {
		return n
	}
	return big.NewInt(z.limit)
}

// set is a request for a page of a job with the page size, if there is one.
func (z pageSize) set(job, request config.RequestSpec) config.RequestSpec {
	if size := z.exactly(job); size.Sign() != 0 {
		return z.param.set(request, ofInteger(size))
	}
	return request
}

// lastPage is the reason to stop after a page that is empty or shorter than the
// size, else nil.
func (z pageSize) lastPage(p PageInfo, size int64) *Stop {
	switch {
	case p.Rows == 0:
		return &Stop{Rule: "the page is empty", Pointer: z.pointer}
	case int64(p.Rows) < size && !z.untilEmpty:
		return &Stop{
			Rule:    fmt.Sprintf("the page has fewer rows (%d) than the page size (%d)", p.Rows, size),
			Pointer: z.pointer,
			Hint:    "if the API returns fewer rows per page than 'limit' requests, lower 'limit' or set 'lastPage' to 'empty'",
		}
	default:
		return nil
	}
}

// series is numbers that grow by a step: the first three, unless they are long.
func series(start *big.Int, step int64) string {
	const long = 1_000_000_000
	if start.CmpAbs(big.NewInt(long)) >= 0 || step >= long {
		return fmt.Sprintf("%d, each time %d more,", start, step)
	}
	first := start.Int64()
	return fmt.Sprintf("%d, %d, %d, …", first, first+step, first+2*step)
}

func (z pageSize) untilLast(size int64) string {
	if size == 1 || z.untilEmpty {
		return "until a page is empty"
	}
	return fmt.Sprintf("until a page is empty or has fewer than %d rows", size)
}

// sentences are one about all requests, and one more when the first request does
// without the parameters of paging (`firstPageParams`).
func sentences(firstPageParams bool, all string) []string {
	if firstPageParams {
		return []string{all}
	}
	return []string{all, "The first request goes without these parameters."}
}
