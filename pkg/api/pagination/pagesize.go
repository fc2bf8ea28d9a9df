package pagination

import (
	"fmt"
	"math"
	"math/big"
	"net/http"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
)

// Settings of methods that count rows or pages.
var (
	Limit = field.Integer("limit", "Page size", "Rows to request. Without it no page size is sent: `offset` uses the number of items on the first page, and `pagenum` continues until a page is empty.").
		Also("page_size", "pagesize").Example(`100`)
	LimitParam = field.Text("limitParam", "Page size parameter", "Parameter that carries the page size.").
			Default("limit").As(field.Parameter).Example(`"count"`)
	firstPageParams = field.Flag("firstPageParams", "Parameters on the first page", "Send the pagination parameters with the first request too.").
			Default(true).EmptyMeans(false).Example(`false`)
	LastPage = field.Text("lastPage", "Last page", "Which page is the last one. `short`: one with fewer rows than `limit`. `empty`: one without rows, for APIs that return fewer rows per page than `limit` requests; `offset` then advances by the rows of each page, and a response with the status 404 ends the job after a page with fewer rows than `limit`.").
			Typed(&field.Type{Kinds: []string{"string"}, Choices: field.Choices("short", UntilEmpty)}).Default("short").Example(`"empty"`)
)

// UntilEmpty is the value of LastPage for pagination until a page is empty.
const UntilEmpty = "empty"

// counter is the common base of scrollers that count rows or pages.
type counter struct {
	size              pageSize
	param             parameter
	firstPageParams   bool
	total, totalPages totalPlace // totals of rows and of pages
}

// scroller returns what all counting scrollers share.
func (c counter) scroller() Scroller {
	s := Scroller{Traits: Traits{Numbered: true, Distinct: true, AfterLast: c.afterLast, Parameter: c.param.phrase()}}
	for i, place := range []totalPlace{c.total, c.totalPages} {
		t, ok := place.total(i == 1)
		if ok {
			s.Totals = append(s.Totals, t)
		}
		if t.Path.Text != "" {
			s.Needs.Fields = append(s.Needs.Fields, t.Path)
		}
	}
	return s
}

// afterLast implements Traits.AfterLast. With lastPage "empty", an API may respond with 404 instead
// of an empty page after a page that is not full.
func (c counter) afterLast(job config.RequestSpec, status int, last PageInfo, largest int) *Stop {
	size := c.size.effective(job)
	if size == 0 {
		size = int64(largest)
	}
	if !c.size.untilEmpty || status != http.StatusNotFound || int64(last.Rows) >= size {
		return nil
	}
	return &Stop{
		Rule:    fmt.Sprintf("the API has no page (status %d) after a page with fewer rows (%d) than the page size (%d)", status, last.Rows, size),
		Pointer: c.size.pointer,
	}
}

// pageSize is the number of rows that a request demands.
type pageSize struct {
	limit   int64 // configured number, or 0
	param   parameter
	pointer string // pointer of the limit, or of the method if there is no limit
	// untilEmpty is true if only an empty page is the last page.
	untilEmpty bool
}

func compilePageSize(s config.Section) pageSize {
	return pageSize{
		limit:      int64(Limit.Of(s)),
		param:      parameterOf(s, RequestValue{limitValue, LimitParam}),
		pointer:    pointerOf(s, Limit),
		untilEmpty: LastPage.Of(s) == UntilEmpty,
	}
}

// effective returns the page size: the parameter of the job, or the limit, or 0. A size
// beyond 64 bits counts as math.MaxInt64, because no page has that many rows.
func (z pageSize) effective(job config.RequestSpec) int64 {
	size := z.exact(job)
	if !size.IsInt64() {
		return math.MaxInt64
	}
	return size.Int64()
}

func (z pageSize) exact(job config.RequestSpec) *big.Int {
	own, _ := z.param.ownValue(job)
	if n, ok := own.Integer(); ok && n.Sign() > 0 {
		return n
	}
	return big.NewInt(z.limit)
}

// set adds the page size to a request, if there is a page size.
func (z pageSize) set(job, request config.RequestSpec) config.RequestSpec {
	if size := z.exact(job); size.Sign() != 0 {
		return z.param.set(request, ofInteger(size))
	}
	return request
}

// lastPage returns the reason to stop if a page is empty or shorter than size, otherwise
// nil.
func (z pageSize) lastPage(p PageInfo, size int64) *Stop {
	switch {
	case p.Rows == 0:
		return &Stop{Rule: "the page is empty", Pointer: z.pointer}
	case int64(p.Rows) < size && !z.untilEmpty:
		return &Stop{
			Rule:    fmt.Sprintf("the page has fewer rows (%d) than the page size (%d)", p.Rows, size),
			Pointer: z.pointer,
			Short:   true,
			Hint:    "if the API returns fewer rows per page than 'limit' requests, lower 'limit' or set 'lastPage' to 'empty'",
		}
	default:
		return nil
	}
}

// formatSeries formats numbers that grow by a step. It shows the first three unless they are
// long.
func formatSeries(start *big.Int, step int64) string {
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

// sentences returns the sentence about all requests. If the first request has no
// pagination parameters (`firstPageParams`), it adds a sentence about that.
func sentences(firstPageParams bool, all string) []string {
	if firstPageParams {
		return []string{all}
	}
	return []string{all, "The first request is sent without these parameters."}
}
