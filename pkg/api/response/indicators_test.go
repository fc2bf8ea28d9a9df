package response

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// around is what a page says beside its data, one line each.
func around(p *Page) []string {
	var all []string
	for _, i := range p.Indicators {
		kind := map[IndicatorKind]string{NextPage: "next", MorePages: "more", LastPage: "last", TotalRows: "total"}[i.Kind]
		all = append(all, kind+" "+i.Place()+" "+i.Value.JSON())
	}
	return all
}

func TestIndicators(t *testing.T) {
	tests := []struct {
		name, data, text string
		want             []string
	}{
		{"beside the list", "items", `{"next":"a","items":[{"next":"x"}],"total":3,"has_more":true}`, []string{`next next "a"`, `total total 3`, `more has_more true`}},
		{"where the list had to be found", "", `{"rows":[{"total":1}],"totalCount":"7"}`, []string{`total totalCount "7"`}},
		{"in a group", "items", `{"items":[],"meta":{"next_page":2,"total":9},"links":{"next":{"href":"/b","title":"x"}}}`, []string{`next meta.next_page 2`, `total meta.total 9`, `next links.next.href "/b"`}},
		{"in groups of groups", "items", `{"items":[],"meta":{"pagination":{"links":{"next":"/b"}}}}`, []string{`next meta.pagination.links.next "/b"`}},
		{"around the list, at every level", "data.users.nodes", `{"next":"a","data":{"nextLink":"b","users":{"nodes":[],"pageInfo":{"hasNextPage":false}}}}`, []string{`next next "a"`, `next data.nextLink "b"`, `more data.users.pageInfo.hasNextPage false`}},
		{"names that mean nothing", "items", `{"items":[],"user":{"next":"x","total":1},"nexts":"x","data":{"items":{"next":"x"}}}`, nil},
		{"totals of what is around the list", "data.nodes", `{"total":1,"total_count":2,"data":{"total":3,"nodes":[],"meta":{"total":4}},"meta":{"total":5}}`, []string{`total data.total 3`, `total data.meta.total 4`, `total meta.total 5`}},
		{"totals of what is far around", "a.b.nodes", `{"meta":{"total":1},"a":{"meta":{"total":2},"b":{"meta":{"total":3},"nodes":[]}}}`, []string{`total a.b.meta.total 3`}},
		{"of equal names the last one", "items", `{"items":[],"next":"a","next":null}`, []string{`next next null`}},
		{"a name with escapes and a dot", "items", `{"items":[],"@odata.ne\u0078tLink":"a\nb"}`, []string{`next @odata.nextLink "a\nb"`}},
		{"no list", "item", `{"item":{"next":"x"},"next":"y"}`, nil},
		{"a missing list", "items", `{"next":"y"}`, []string{`next next "y"`}},
		{"an empty list that is the whole response", "", `[]`, nil},
		{"inside a list", "0.items", `[{"next":"x","items":[]}]`, nil},
		{"too deep", "items", `{"items":[],"meta":{"meta":{"meta":{"next":"a","meta":{"next":"b"}}}}}`, []string{`next meta.meta.meta.next "a"`}},
		{"objects and lists say nothing", "items", `{"items":[],"next":{"a":1},"has_more":[true],"total":{"sum":3}}`, nil},
		{"a total with its relation", "hits.hits", `{"hits":{"total":{"value":25,"relation":"gte"},"hits":[]}}`, []string{`total hits.total.value 25`}},
		{"in an object of any name", "items", `{"items":[],"additional_data":{"next_cursor":"c"},"stuff":{"deep":{"hasMore":true}}}`, []string{`next additional_data.next_cursor "c"`, `more stuff.deep.hasMore true`}},
		{"`next` in an object of any name must be an address", "items", `{"items":[],"walk":{"next":"/b"},"user":{"next":"b"},"film":{"id":4,"next":"/films/5"}}`, []string{`next walk.next "/b"`}},
		{"deep below the data", "data.viewer.repositories.nodes", `{"data":{"viewer":{"repositories":{"nodes":[{}],"pageInfo":{"hasNextPage":true}}}}}`, []string{`more data.viewer.repositories.pageInfo.hasNextPage true`}},
		{"of another list", "data.users.nodes", `{"data":{"users":{"nodes":[]},"orders":{"nodes":[{}],"pageInfo":{"hasNextPage":true}},"logs":{"has_more":true,"lines":[[1]]}}}`, nil},
		{"repeats of the request", "items", `{"items":[],"request":{"next_page_token":"x"},"params":{"continuation":"y"},"starting_after":"z"}`, nil},
		{"an offset", "items", `{"items":[],"offset":"itr1/rec2","meta":{"offset":"x"}}`, []string{`next offset "itr1/rec2"`}},
		{"other offsets", "items", `{"items":[],"offset":"+01:00"}`, nil},
		{"an offset that repeats the request", "items", `{"items":[],"offset":20}`, nil},
		{"a total of money", "items", `{"items":[],"total":20000,"currency":"EUR","meta":{"total":5,"subtotal":4}}`, nil},
		{"the number of rows beside money", "items", `{"items":[],"total_count":20,"amount":5}`, []string{`total total_count 20`}},
		{"flags with other values", "items", `{"items":[],"last":"2026-01-01","more":5,"lastPage":7,"truncated":"no"}`, nil},
		{"flags that are true or false only", "items", `{"items":[],"last":false,"more":true}`, []string{`last last false`, `more more true`}},
		{"a date and a sentence", "items", `{"items":[],"next":"2026-01-01T00:00:00Z","next_start":"the day after"}`, nil},
		{"a thing that has a next one", "lines", `{"id":5,"next":6,"prev":4,"lines":[]}`, nil},
		{"an object for the next page", "data", `{"data":[],"next_page":{"offset":"o","path":"/t?offset=o"}}`, []string{`next next_page.offset "o"`, `next next_page.path "/t?offset=o"`}},
		{"a continuation", "query.pages", `{"continue":{"gapcontinue":"Z","continue":"gapcontinue||"},"query":{"pages":[]}}`, []string{`next continue.continue "gapcontinue||"`}},
	}
	for _, tt := range tests {
		for _, limit := range []int{MemoryLimit, 8} {
			page, err := newScanner().Scan(spoolOf(t, tt.text, limit), Query{Data: Path{Text: tt.data, Separator: "."}})
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			if got := around(page); !slices.Equal(got, tt.want) {
				t.Errorf("%s:\ngot  %q\nwant %q", tt.name, got, tt.want)
			}
		}
	}
}

func TestOtherLists(t *testing.T) {
	tests := []struct {
		name, data, text string
		found            bool
		want             []string
	}{
		{"a wrong path", "items", `{"data":{"users":[{"id":1}]},"rows":[[1]]}`, false, []string{"data.users", "rows"}},
		{"lists of scalars, empty ones, lists in lists", "items", `{"a":[1],"b":[],"c":["x"],"d":[null],"e":[{"f":[{"g":1}]}]}`, false, []string{"e"}},
		{"the response itself", "items", `[{"id":1}]`, false, []string{""}},
		{"errors are not data", "items", `{"errors":[{"m":1}],"data":{"errors":[{"m":1}]}}`, false, []string{"data.errors"}},
		{"an empty list at the path", "items", `{"items":[],"a":[{}]}`, true, []string{"a"}},
		{"null at the path", "items", `{"items":null}`, true, nil},
		{"a path through a scalar", "a.b", `{"a":5}`, false, nil},
		{"where the list had to be found", "", `{"a":[{"b":1}]}`, true, nil},
	}
	for _, tt := range tests {
		page, err := newScanner().Scan(spoolOf(t, tt.text, MemoryLimit), Query{Data: Path{Text: tt.data, Separator: "."}})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if page.Found != tt.found || !slices.Equal(page.OtherLists, tt.want) {
			t.Errorf("%s: found %v, lists %q, want %v, %q", tt.name, page.Found, page.OtherLists, tt.found, tt.want)
		}
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		name, data, text, want string
		detected               bool
	}{
		{"a list", "data", `{"errors":[{"message":"a"}],"data":null}`, `[{"message":"a"}]`, false},
		{"an object", "data", ` { "errors" : { "a" : "b" } } `, `{"a":"b"}`, false},
		{"wanted by a path", "errors", `{"errors":[1]}`, `[1]`, false},
		{"taken for the data", "", `{"errors":[1]}`, `[1]`, true},
		{"a scalar", "data", `{"errors":"a"}`, `null`, false},
		{"the last of equal names", "data", `{"errors":[1],"errors":null}`, `null`, false},
		{"further down", "data", `{"a":{"errors":[1]}}`, `null`, false},
		{"none", "data", `{}`, `null`, false},
		{"a large one", "data", `{"errors":["` + strings.Repeat("x", maxField) + `"]}`, fmt.Sprintf(`"%d bytes of errors"`, maxField+4), false},
	}
	for _, tt := range tests {
		page, err := newScanner().Scan(spoolOf(t, tt.text, MemoryLimit), Query{Data: Path{Text: tt.data, Separator: "."}})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := page.Errors(); got.JSON() != tt.want || page.FromErrors != tt.detected {
			t.Errorf("%s: %.80s, taken for the data: %v; want %.80s", tt.name, got.JSON(), page.FromErrors, tt.want)
		}
	}
}

// TestSurveyIsBounded: no matter what a response has beside its data, little of it is
// kept.
func TestSurveyIsBounded(t *testing.T) {
	slowtest.SkipRace(t, "its responses are large")
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	long := strings.Repeat("n", 1<<20)
	tests := map[string]string{
		"many groups":     `{` + repeat(20_000, `"k%d":{"meta":{"next":"x"}},`) + `"items":[]}`,
		"many lists":      `{` + repeat(20_000, `"k%d":[{"a":1}],`) + `"items":[]}`,
		"long names":      `{"` + long + `":{"next":"x","` + long + `":[{}]},"items":[]}`,
		"a long value":    `{"next":"` + long + `","items":[]}`,
		"many indicators": `{"meta":{` + repeat(500, `"meta":{"next":%d},`) + `"next":1},"items":[]}`,
		"names with NUL":  `{"a\u0000b":{"next":"x"},"\u0000":[{}],"items":[]}`,
	}
	for name, text := range tests {
		spool := spoolOf(t, text, MemoryLimit)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		page, err := newScanner().Scan(spool, Query{Data: Path{Text: "items", Separator: "."}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 256<<10 {
			t.Errorf("%s: %d bytes are kept", name, kept)
		}
		if len(page.Indicators) > surveyIndicators || len(page.OtherLists) > surveyLists || len(strings.Join(page.OtherLists, "")) > surveyLists*(surveyDepth+surveyPath)*surveyName {
			t.Errorf("%s: %d indicators, %d lists", name, len(page.Indicators), len(page.OtherLists))
		}
		runtime.KeepAlive(page)
	}
}
