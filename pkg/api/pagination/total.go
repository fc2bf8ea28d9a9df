package pagination

import (
	"net/http"

	"golang.org/x/net/http/httpguts"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// totalPlace is the path or the header with the number of all rows or pages. The zero value
// means that no total is configured.
type totalPlace struct {
	path   response.Path
	header string
}

// totalRows is a setting of the methods that count.
var (
	totalRows = field.Of("total", "Total", "Path to the total number of rows in the response, with dots between keys, or the name of a header: `{\"responseHeader\": NAME}`. It does not end pagination, but a job that ends with fewer rows is reported (`job.short`). With an `api.http.concurrency` of 2 or more, pages up to it are requested side by side. `pagenum` needs a page size for it.", totalType).
			As(field.Path).Example(`"meta.total"`, `{"responseHeader": "X-Total-Count"}`)
	totalPages = field.Of("totalPages", "Number of pages", "Total number of pages in the response, written as `total` and with its effects. If there is a total of rows too, the greater one counts.", totalType).
			As(field.Path).Example(`"meta.total_pages"`, `{"responseHeader": "X-Total-Pages"}`)

	totalResponse = field.Text(string(expr.Response), "In the response", "Path in the response.").As(field.Path).Example(`"meta.total"`).Also("path", "field")
	totalHeader   = field.Text(string(expr.ResponseHeader), "In a header", "Name of a header of the response. If there are several, the first one counts.").Example(`"X-Total-Count"`).Also("header")

	totalType = func() *field.Type {
		t := field.Object("total", "Total", "Where a response has a total.", totalResponse, totalHeader)
		t.Kinds = []string{"string", "object"}
		t.Message, t.OnlyUnknownKeys, t.NotEmpty = totalForms, nextForms, []string{"object"}
		return t
	}()
)

// TotalHeaders are the well-known headers with the number of all rows.
func TotalHeaders() []string {
	return []string{"X-Total-Count", "X-Total", "Total-Count", "X-WP-Total", "X-Pagination-Total"}
}

// TotalInHeader returns the settings for a total in a header.
func TotalInHeader(name string) value.Member {
	return value.Member{Name: totalRows.Name, Value: value.OfMembers(value.Member{Name: totalHeader.Name, Value: value.OfString(name)})}
}

const totalForms = `expected a path, or {"responseHeader": NAME}`

func compileTotal(parent config.Section, setting field.Setting[config.Section]) totalPlace {
	s := setting.In(parent)
	if s.Faulty() || !s.Present() {
		return totalPlace{}
	}
	switch s.Value.Kind() {
	case value.Object:
	case value.String:
		return totalPlace{path: response.Path{Text: s.Value.Text(), Separator: "."}}
	default:
		s.Fault(failure.WrongType, totalForms, "")
		return totalPlace{}
	}
	path, header := totalResponse.In(s), totalHeader.In(s)
	if path.Present() == header.Present() {
		s.Problem(nextForms, "")
	}
	if header.Present() {
		checkHeaderName(header)
		return totalPlace{header: totalHeader.Of(s)}
	}
	return totalPlace{path: response.Path{Text: totalResponse.Of(s), Separator: "."}}
}

// checkHeaderName reports a text that cannot be the name of a header.
func checkHeaderName(s config.Section) {
	if s.Value.IsScalar() && s.Present() && !httpguts.ValidHeaderFieldName(s.Value.Text()) {
		s.Problem("expected the name of a header", "write the name alone, without a colon and without blanks")
	}
}

// total returns the total as a property of a scroller. ok is false if no total is configured.
func (t totalPlace) total(pages bool) (total Total, ok bool) {
	return Total{Path: t.path, Header: t.header, Pages: pages}, t != totalPlace{}
}

// number returns the total in a page. It returns 0 if the value is not a number, because a
// total must not end a run.
func (t totalPlace) number(p PageInfo) int64 {
	total, ok := t.total(false)
	if !ok || t.header == "" && p.Field == nil {
		return 0
	}
	v, err := total.Value(p.Header, p.Field)
	if err != nil {
		return 0
	}
	n, _ := v.Int()
	return n
}

// Value returns the total in a response, or null. at returns the value at a path.
func (t Total) Value(header http.Header, at func(response.Path) (value.Value, error)) (value.Value, error) {
	if t.Header == "" {
		return at(t.Path)
	}
	return expr.HeaderMembers(header, []string{t.Header})[t.Header], nil
}
