package pagination

import (
	"fmt"
	"strings"
	"testing"
)

// TestReasons: what an end says about pages that were not requested.
func TestReasons(t *testing.T) {
	const param = `"method":"response.param","responseParam":"a.next","queryParam":"p"`
	flag := func(text string) string { return `{` + param + `,"nextPageFlag":{"field":"more",` + text + `}}` }
	tests := []struct {
		name, settings string
		responses      []string
		want           Stop // without Rule and Pointer
	}{
		{"no paging", `{}`, []string{rows(2)}, Stop{}},
		{"a short page", `{"method":"offset","limit":2}`, []string{rows(1)}, Stop{}},
		{"an empty page", `{"method":"cursor","idKey":"id","param":"p"}`, []string{rows(0)}, Stop{}},
		{"no value", `{` + param + `}`, []string{`{"r":[1]}`}, Stop{Reason: NoValue, Field: "a.next"}},
		{"no address", `{"method":"response.url"}`, []string{`{"r":[1]}`}, Stop{Reason: NoValue, Field: "next_page"}},
		{"no value where a flag announces one", flag(`"stopOn":false`), []string{`{"r":[1],"more":1}`}, Stop{Reason: NoValue, Field: "a.next", Flag: "more"}},
		{"no value and a flag that stops on true", flag(`"stopOn":true`), []string{`{"r":[1],"more":0}`}, Stop{Reason: NoValue, Field: "a.next", Flag: "more"}},
		{"no value and no flag, which lets the job continue", flag(`"stopOn":false,"ifNotSet":true`), []string{`{"r":[1]}`}, Stop{Reason: NoValue, Field: "a.next"}},
		{"no value in a list, which has no flag", flag(`"stopOn":false,"ifNotSet":true`), []string{`[1]`}, Stop{Reason: NoValue, Field: "a.next"}},
		{"a flag after other rules", `{` + param + `,"nextPageFlag":{"field":"more","stopOn":false},"limitStop":{"count":9},"forceStop":{"pages":9}}`, []string{`{"r":[1],"more":true}`}, Stop{Reason: NoValue, Field: "a.next", Flag: "more"}},
		{"a flag that announces what a short page denies", `{"method":"offset","limit":2,"nextPageFlag":{"field":"more","stopOn":false}}`, []string{`{"r":[1],"more":true}`}, Stop{Flag: "more"}},
		{"the flag", flag(`"stopOn":false`), []string{`{"r":[1],"more":false}`}, Stop{Reason: Deliberate}},
		{"a missing flag", flag(`"stopOn":false`), []string{`{"r":[1]}`}, Stop{}},
		{"a missing flag that is to stop", flag(`"stopOn":false,"ifNotSet":false`), []string{`{"r":[1]}`}, Stop{Reason: Deliberate}},
		{"no link", `{"method":"link"}`, []string{rows(2)}, Stop{Reason: NoValue, Field: "header Link"}},
		{"no link where a flag announces one", `{"method":"link","nextPageFlag":{"field":"m.more","stopOn":false}}`, []string{`{"r":[1],"m":{"more":true}}`}, Stop{Reason: NoValue, Field: "header Link", Flag: "m.more"}},
		{"no header where a condition announces one", `{"method":"response.param","queryParam":"p","next":{"responseHeader":"X"},"stopWhen":"m.left==0&x==1"}`, []string{`{"r":[1],"m":{"left":3}}`}, Stop{Reason: NoValue, Field: "header X", Flag: "m.left"}},
		{"no value, and nothing of what a condition compares", `{` + param + `,"stopWhen":"left==0"}`, []string{`{"r":[1]}`}, Stop{Reason: NoValue, Field: "a.next"}},
		{"a condition that a short page denies", `{"method":"offset","limit":2,"stopWhen":"more==false","nextPageFlag":{"field":"f","stopOn":true,"ifNotSet":false}}`, []string{`{"r":[1],"more":true}`}, Stop{Flag: "more"}},
		{"the condition", `{` + param + `,"stopWhen":"more==false"}`, []string{`{"r":[1],"more":false,"a":{"next":1}}`}, Stop{Reason: Deliberate}},
		{"an empty page of texts", `{"method":"cursor","idKey":"id","param":"p","idType":"text"}`, []string{rows(0)}, Stop{}},
		{"forceStop", `{"method":"pagenum","forceStop":{"pages":1}}`, []string{rows(2)}, Stop{Reason: Deliberate}},
		{"limitStop", `{"method":"pagenum","limitStop":{"count":2}}`, []string{rows(2)}, Stop{Reason: Deliberate}},
		{"limitStop with a number of the API", `{"method":"pagenum","limitStop":{"field":"n"}}`, []string{`{"r":[1],"n":1}`}, Stop{Reason: Deliberate}},
		{"limitStop without a number", `{"method":"pagenum","limitStop":{"field":"n"}}`, []string{rows(2)}, Stop{}},
		{"too recent", `{"method":"zendesk.response.url"}`, []string{`{"r":[1],"next_page":"t?start_time=9999999999"}`}, Stop{Reason: Deliberate}},
	}
	for _, tt := range tests {
		_, stop, err := walk(t, scroller(t, tt.settings, ""), request(t, ""), 0, tt.responses...)
		if err != nil || stop == nil {
			t.Fatalf("%s: %v, %v", tt.name, stop, err)
		}
		if got := (Stop{Reason: stop.Reason, Field: stop.Field, Flag: stop.Flag}); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestTotals(t *testing.T) {
	tests := []struct{ settings, want string }{
		{`{}`, ""},
		{`{"method":"response.url"}`, ""},
		{`{"method":"offset","limit":2,"total":"a.n"}`, "a.n rows"},
		{`{"method":"pagenum","total":"n","totalPages":"m"}`, "n rows, m pages"},
		{`{"method":"response.url","limitStop":{"field":"n"}}`, "n rows"},
		{`{"method":"offset","limit":2,"total":"a","limitStop":{"field":"n"},"forceStop":{"pages":3}}`, "a rows, n rows"},
		{`{"method":"offset","limit":2,"limitStop":{"count":5}}`, ""},
	}
	for _, tt := range tests {
		var got []string
		for _, total := range scroller(t, tt.settings, "").Totals {
			got = append(got, fmt.Sprintf("%s %s", total.Path.Text, map[bool]string{true: "pages", false: "rows"}[total.Pages]))
		}
		if got := strings.Join(got, ", "); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.settings, got, tt.want)
		}
	}
}

func TestFromStart(t *testing.T) {
	const at = `{"endpoint":"t","params":{"offset":4,"page":3}}`
	tests := []struct {
		settings, job string
		want          bool
	}{
		{`{}`, at, true},
		{`{"method":"response.url"}`, at, true},
		{`{"method":"offset","limit":2}`, at, true}, // the parameter is replaced
		{`{"method":"offset","limit":2,"offsetFromJob":true}`, at, false},
		{`{"method":"offset","limit":2,"offsetFromJob":true}`, "", true},
		{`{"method":"offset","limit":2,"offsetFromJob":true,"firstOffset":1}`, "", true},
		{`{"method":"offset","limit":2,"offsetFromJob":true,"firstOffset":4}`, at, true},
		{`{"method":"offset","limit":2,"firstPageParams":false}`, at, false},
		{`{"method":"pagenum"}`, at, true},
		{`{"method":"pagenum","firstPageParams":false}`, at, false},
		{`{"method":"pagenum","firstPageParams":false}`, "", true},
		{`{"method":"pagenum","firstPage":0}`, "", true},
		{`{"method":"pagenum","firstPage":2}`, "", false},
		{`{"method":"link"}`, at, true},
		{`{"method":"cursor","idKey":"id","param":"page","idType":"text"}`, at, false},
		{`{"method":"cursor","idKey":"id","param":"a.b","idType":"text","paramDelimiter":"."}`, at, true},
		{`{"method":"pagenum","firstPage":2,"limitStop":{"count":5}}`, "", false},
	}
	for _, tt := range tests {
		if got := scroller(t, tt.settings, "").FromStart(request(t, tt.job)); got != tt.want {
			t.Errorf("%s %s: got %v", tt.settings, tt.job, got)
		}
	}
}

func TestEndsByRepeating(t *testing.T) {
	const param = `{"method":"response.param","responseParam":"v","queryParam":"p"}`
	full := Repeat{Page: 3, Earlier: 2, Rows: 2, Largest: 2, List: true}
	short := Repeat{Page: 3, Earlier: 2, Rows: 1, Largest: 2, List: true}
	circle := Repeat{Page: 3, Earlier: 1, Rows: 1, Largest: 2, List: true}
	tests := []struct {
		name, settings string
		repeat         Repeat
		before         string // the page before
		want           bool
	}{
		{"page 2 by numbers", `{"method":"pagenum"}`, Repeat{Page: 2, Earlier: 1, Rows: 2, Largest: 2, List: true}, `{}`, false},
		{"a full page by numbers", `{"method":"pagenum"}`, full, `{}`, false},
		{"a full page by offset", `{"method":"offset","limit":2,"limitStop":{"count":9}}`, full, `{}`, false},
		{"a smaller page by numbers", `{"method":"pagenum"}`, short, `{}`, true},
		{"rows that were stored again", `{"method":"pagenum"}`, Repeat{Page: 3, Earlier: 2, Rows: 1, Largest: 2, List: true, Doubled: true}, `{}`, false},
		{"the last row of a cursor", `{"method":"cursor","idKey":"id","param":"p"}`, short, `{}`, true},
		{"a whole page of a cursor", `{"method":"cursor","idKey":"id","param":"p"}`, full, `{}`, false},
		{"variables without a value", param, circle, `{"v":{"after":null,"more":false,"deep":[{"x":""}]}}`, true},
		{"variables with one", param, full, `{"v":{"after":"c","more":false}}`, false},
		{"a list with one", param, full, `{"v":[null,["c"]]}`, false},
		{"an address", `{"method":"response.url"}`, full, `{}`, false},
		{"an address to the last page, which is smaller", `{"method":"response.url"}`, short, `{}`, true},
		{"a circle", `{"method":"response.url"}`, circle, `{}`, false},
		{"a circle of empty pages", `{"method":"response.url"}`, Repeat{Page: 3, Earlier: 1, Largest: 2}, `{}`, false},
		{"an empty page", `{"method":"response.url"}`, Repeat{Page: 3, Earlier: 2}, `{}`, true},
		{"an object", `{"method":"response.url"}`, Repeat{Page: 3, Earlier: 2, Rows: 1, Largest: 1}, `{}`, true},
	}
	for _, tt := range tests {
		s := scroller(t, tt.settings, "")
		tt.repeat.Before = read(t, s.Needs, tt.before, start)
		if got := s.EndsByRepeating(tt.repeat); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}

// TestAfterLast: after which pages a status says that there are no more.
func TestAfterLast(t *testing.T) {
	tests := []struct {
		settings, job string
		status, rows  int // of the page before
		largest       int
		want          bool
	}{
		{`{"method":"offset","limit":5,"lastPage":"empty"}`, "", 404, 3, 3, true},
		{`{"method":"offset","limit":5,"lastPage":"empty"}`, "", 404, 5, 5, false},
		{`{"method":"offset","limit":5,"lastPage":"empty"}`, "", 400, 3, 3, false},
		{`{"method":"offset","limit":5,"lastPage":"short"}`, "", 404, 3, 3, false},
		{`{"method":"offset","limit":5}`, "", 404, 3, 3, false},
		{`{"method":"offset","limit":5,"lastPage":"empty"}`, `{"endpoint":"t","params":{"limit":3}}`, 404, 3, 3, false},
		{`{"method":"pagenum","limit":5,"lastPage":"empty","forceStop":{"pages":9}}`, "", 404, 3, 3, true},
		{`{"method":"pagenum","lastPage":"empty"}`, "", 404, 3, 5, true},
		{`{"method":"pagenum","lastPage":"empty"}`, "", 404, 5, 5, false},
		{`{"method":"cursor","idKey":"id","param":"p"}`, "", 404, 3, 5, false},
		{`{}`, "", 404, 3, 5, false},
	}
	for _, tt := range tests {
		stop := scroller(t, tt.settings, "").AfterLast(request(t, tt.job), tt.status, PageInfo{Rows: tt.rows}, tt.largest)
		if (stop != nil) != tt.want || stop != nil && (stop.Reason != Exhausted || !strings.Contains(stop.Rule, "fewer rows (3)")) {
			t.Errorf("%s %s, %d after %d of %d rows: got %+v", tt.settings, tt.job, tt.status, tt.rows, tt.largest, stop)
		}
	}
}

func TestParameter(t *testing.T) {
	tests := map[string]string{
		`{}`:                            "",
		`{"method":"response.url"}`:     "",
		`{"method":"offset","limit":2}`: "the parameter 'offset'",
		`{"method":"pagenum","forceStop":{"pages":2}}`:                     "the parameter 'page'",
		`{"method":"cursor","idKey":"id","param":"p"}`:                     "the parameter 'p'",
		`{"method":"response.param","responseParam":"v","queryParam":"q"}`: "the parameter 'q'",
	}
	for settings, want := range tests {
		if got := scroller(t, settings, "").Parameter; got != want {
			t.Errorf("%s: got %q, want %q", settings, got, want)
		}
	}
}
