package pagination

import (
	"fmt"
	"math/big"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// pageNumber pages by a number that grows by one. With a page size, a page with fewer
// rows is the last page. Without a page size, or with lastPage "empty", an empty page is
// the last page.
type pageNumber struct {
	counter
	firstPage int64
}

// Settings that only the method pagenum has.
var (
	PageParam = field.Text("pageParam", "Page parameter", "Parameter that carries the page number.").
			Default("page").As(field.Parameter).Example(`"p"`)
	FirstPage = field.Integer("firstPage", "First page", "Number of the first page; an empty value is 0.").
			Default(1).EmptyMeans(0).Also("start_page").Example(`0`)
)

func pageNumberMethod() Method {
	return Method{
		Name:       "pagenum",
		AlsoCalled: []string{"page", "pagenumber", "pagebased", "pageincrement"},
		Settings:   []field.Declaration{Limit, LimitParam, LastPage, PageParam, FirstPage, firstPageParams, totalRows, totalPages},
		Values:     []RequestValue{{pageValue, PageParam}, {limitValue, LimitParam}},
		Compile:    compilePageNumber,
		Position: func(s config.Section) ([]string, failure.Text) {
			if !firstPageParams.Of(s) {
				return nil, ""
			}
			return pathOf(s, PageParam.Of(s)), "remove it here"
		},
	}
}

func compilePageNumber(s config.Section) Scroller {
	return pageNumber{firstPage: int64(FirstPage.Of(s)), counter: counter{
		param:           parameterOf(s, RequestValue{pageValue, PageParam}),
		size:            compilePageSize(s),
		firstPageParams: firstPageParams.Of(s),
		total:           compileTotal(s, totalRows),
		totalPages:      compileTotal(s, totalPages),
	}}.scroller()
}

// start returns the page number as the state.
func (n pageNumber) start(job config.RequestSpec, _ time.Time) (config.RequestSpec, State) {
	first := big.NewInt(n.firstPage)
	if !n.firstPageParams {
		return job, first
	}
	return n.request(job, first), first
}

func (n pageNumber) request(job config.RequestSpec, page *big.Int) config.RequestSpec {
	return n.size.set(job, n.param.set(job, ofInteger(page)))
}

func (n pageNumber) next(job config.RequestSpec, state State, p PageInfo) (config.RequestSpec, State, *Stop, error) {
	if stop := n.size.lastPage(p, n.size.effective(job)); stop != nil {
		return job, nil, stop, nil
	}
	page := new(big.Int).Add(state.(*big.Int), big.NewInt(1))
	return n.request(job, page), page, nil, nil
}

func (n pageNumber) describe(job config.RequestSpec) []string {
	text := fmt.Sprintf("Sends %s = %s, until a page is empty.", n.param, formatSeries(big.NewInt(n.firstPage), 1))
	if size := n.size.effective(job); size > 0 {
		text = fmt.Sprintf("Sends %s = %s and %s = %d, %s.",
			n.param, formatSeries(big.NewInt(n.firstPage), 1), n.size.param, size, n.size.untilLast(size))
	}
	return sentences(n.firstPageParams, text)
}

func (n pageNumber) scroller() Scroller {
	s := n.counter.scroller()
	s.First, s.Next, s.Describe = n.start, n.next, n.describe
	s.FromStart, s.Full, s.Exists = n.fromStart, n.full, n.exists
	s.Place = func(names []string) Scroller {
		n.param, n.size.param = n.param.withPlacedValues(names), n.size.param.withPlacedValues(names)
		return n.scroller()
	}
	return s
}

// full implements Traits.Full. It returns the page size. If only the API knows the page size,
// it returns the number of rows of the last page, or 1 if that page is empty.
func (n pageNumber) full(job config.RequestSpec, _ State, last PageInfo) int {
	if size := n.size.effective(job); size > 0 {
		return int(size)
	}
	return max(1, last.Rows)
}

func (n pageNumber) exists(job config.RequestSpec, state State, last PageInfo) bool {
	pages := new(big.Int).Sub(state.(*big.Int), big.NewInt(n.firstPage))
	before := pages.Int64() // no run fetches more than 2^63 pages
	if before < n.totalPages.number(last) {
		return true
	}
	size, rows := n.size.effective(job), n.total.number(last)
	return size > 0 && rows > 0 && before <= (rows-1)/size
}

func (n pageNumber) fromStart(job config.RequestSpec) bool {
	own, _ := n.param.ownValue(job)
	at, _ := own.Int()
	return n.firstPage <= 1 && (at <= 1 || n.firstPageParams)
}
