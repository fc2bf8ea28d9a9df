package paging

import (
	"fmt"
	"strings"
	"testing"
)

// TestReasons: what an end says about pages that were not asked for.
func TestReasons(t *testing.T) {
	const param = `"method":"response.param","responseParam":"a.next","queryParam":"p"`
	flag := func(text string) string { return `{` + param + `,"nextPageFlag":{"field":"more",` + text + `}}` }
	tests := []struct {
		name, settings string
		answers        []string
		want           Stop // without Rule and Pointer
	}{
		{"no paging", `{}`, []string{rows(2)}, Stop{}},
		{"a short page", `{"method":"offset","limit":2}`, []string{rows(1)}, Stop{}},
		{"an empty page", `{"method":"cursor","idKey":"id","param":"p"}`, []string{rows(0)}, Stop{}},
		{"no value", `{` + param + `}`, []string{`{"r":[1]}`}, Stop{Reason: NoValue, Field: "a.next"}},
		{"no address", `{"method":"response.url"}`, []string{`{"r":[1]}`}, Stop{Reason: NoValue, Field: "next_page"}},
		{"no value where a flag announces one", flag(`"stopOn":false`), []string{`{"r":[1],"more":1}`}, Stop{Reason: NoValue, Field: "a.next", Flag: "more"}},
		{"no value and a flag that stops on true", flag(`"stopOn":true`), []string{`{"r":[1],"more":0}`}, Stop{Reason: NoValue, Field: "a.next", Flag: "more"}},
		{"no value and no flag, which lets the job go on", flag(`"stopOn":false,"ifNotSet":true`), []string{`{"r":[1]}`}, Stop{Reason: NoValue, Field: "a.next"}},
		{"no value in a list, which has no flag", flag(`"stopOn":false,"ifNotSet":true`), []string{`[1]`}, Stop{Reason: NoValue, Field: "a.next"}},
		{"a flag behind other rules", `{` + param + `,"nextPageFlag":{"field":"more","stopOn":false},"limitStop":{"count":9},"forceStop":{"pages":9}}`, []string{`{"r":[1],"more":true}`}, Stop{Reason: NoValue, Field: "a.next", Flag: "more"}},
		{"a flag that announces what a short page denies", `{"method":"offset","limit":2,"nextPageFlag":{"field":"more","stopOn":false}}`, []string{`{"r":[1],"more":true}`}, Stop{Flag: "more"}},
		{"the flag", flag(`"stopOn":false`), []string{`{"r":[1],"more":false}`}, Stop{Reason: OnPurpose}},
		{"a missing flag", flag(`"stopOn":false`), []string{`{"r":[1]}`}, Stop{}},
		{"a missing flag that is to stop", flag(`"stopOn":false,"ifNotSet":false`), []string{`{"r":[1]}`}, Stop{Reason: OnPurpose}},
		{"forceStop", `{"method":"pagenum","forceStop":{"pages":1}}`, []string{rows(2)}, Stop{Reason: OnPurpose}},
		{"limitStop", `{"method":"pagenum","limitStop":{"count":2}}`, []string{rows(2)}, Stop{Reason: OnPurpose}},
		{"limitStop with a number of the API", `{"method":"pagenum","limitStop":{"field":"n"}}`, []string{`{"r":[1],"n":1}`}, Stop{Reason: OnPurpose}},
		{"limitStop without a number", `{"method":"pagenum","limitStop":{"field":"n"}}`, []string{rows(2)}, Stop{}},
		{"too recent", `{"method":"zendesk.response.url"}`, []string{`{"r":[1],"next_page":"t?start_time=9999999999"}`}, Stop{Reason: OnPurpose}},
	}
	for _, tt := range tests {
		_, stop, err := walk(t, scroller(t, tt.settings, ""), request(t, ""), 0, tt.answers...)
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
		for _, total := range Totals(scroller(t, tt.settings, "")) {
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
		{`{"method":"offset","limit":2,"firstPageParams":false}`, at, false},
		{`{"method":"pagenum"}`, at, true},
		{`{"method":"pagenum","firstPageParams":false}`, at, false},
		{`{"method":"pagenum","firstPageParams":false}`, "", true},
		{`{"method":"pagenum","firstPage":0}`, "", true},
		{`{"method":"pagenum","firstPage":2}`, "", false},
		{`{"method":"pagenum","firstPage":2,"limitStop":{"count":5}}`, "", false},
	}
	for _, tt := range tests {
		if got := FromStart(scroller(t, tt.settings, ""), request(t, tt.job)); got != tt.want {
			t.Errorf("%s %s: got %v", tt.settings, tt.job, got)
		}
	}
}

func TestEndsByRepeating(t *testing.T) {
	const param = `{"method":"response.param","responseParam":"v","queryParam":"p"}`
	tests := []struct {
		name, settings string
		repeat         Repeat
		before         string // the page before
		want           bool
	}{
		{"page 2 by numbers", `{"method":"pagenum"}`, Repeat{Page: 2, Earlier: 1, Rows: 2, Largest: 2}, `{}`, false},
		{"page 3 by numbers", `{"method":"pagenum"}`, Repeat{Page: 3, Earlier: 2, Rows: 2, Largest: 2}, `{}`, true},
		{"page 3 by offset", `{"method":"offset","limit":2,"limitStop":{"count":9}}`, Repeat{Page: 3, Earlier: 2, Rows: 2, Largest: 2}, `{}`, true},
		{"the last row of a cursor", `{"method":"cursor","idKey":"id","param":"p"}`, Repeat{Page: 3, Earlier: 2, Rows: 1, Largest: 2}, `{}`, true},
		{"a whole page of a cursor", `{"method":"cursor","idKey":"id","param":"p"}`, Repeat{Page: 3, Earlier: 2, Rows: 2, Largest: 2}, `{}`, false},
		{"variables without a value", param, Repeat{Page: 3, Earlier: 1, Rows: 2, Largest: 2}, `{"v":{"after":null,"more":false,"deep":[{"x":""}]}}`, true},
		{"variables with one", param, Repeat{Page: 3, Earlier: 1, Rows: 2, Largest: 2}, `{"v":{"after":"c","more":false}}`, false},
		{"a list with one", param, Repeat{Page: 3, Earlier: 1, Rows: 2, Largest: 2}, `{"v":[null,["c"]]}`, false},
		{"an address", `{"method":"response.url"}`, Repeat{Page: 3, Earlier: 2, Rows: 1, Largest: 2}, `{}`, false},
	}
	for _, tt := range tests {
		s := scroller(t, tt.settings, "")
		tt.repeat.Before = read(t, s.Needs(), tt.before, start)
		if got := EndsByRepeating(s, tt.repeat); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}

func TestParameter(t *testing.T) {
	tests := map[string]string{
		`{}`:                            "",
		`{"method":"response.url"}`:     "",
		`{"method":"offset","limit":2}`: "offset",
		`{"method":"pagenum","forceStop":{"pages":2}}`:                     "page",
		`{"method":"cursor","idKey":"id","param":"p"}`:                     "p",
		`{"method":"response.param","responseParam":"v","queryParam":"q"}`: "q",
	}
	for settings, want := range tests {
		if got := Parameter(scroller(t, settings, "")); got != want {
			t.Errorf("%s: got %q, want %q", settings, got, want)
		}
	}
}

func TestLinkTo(t *testing.T) {
	tests := []struct {
		name   string
		header []string
		want   string // "" for none
	}{
		{"none", nil, ""},
		{"the form of most APIs", []string{`<https://h/a?page=2>; rel="next", <https://h/a?page=9>; rel="last"`}, "https://h/a?page=2"},
		{"another one first", []string{`<https://h/a?page=1>; rel="prev", <https://h/a?page=3>; rel="next"`}, "https://h/a?page=3"},
		{"a token", []string{`<b>;rel=next`}, "b"},
		{"several relations, in any case", []string{`<b>; REL="prefetch Next"`}, "b"},
		{"other parameters, with signs of the syntax", []string{`<b,c;d>; title="a \"<x>\"; rel=next, y"; rel="next"; type=x`}, "b,c;d"},
		{"several lines", []string{`<a>; rel=self`, `<b>; rel=next`}, "b"},
		{"the first rel counts", []string{`<a>; rel=prev; rel=next`}, ""},
		{"part of a word", []string{`<a>; rel="nextpage"`, `<b>; rev="next"`, `<c>; title="rel=next"`}, ""},
		{"broken", []string{`<a; rel=next`, `a; rel=next`, `<a> rel`, `<`, `;;=,`, `<a>;rel="next`}, "a"},
		{"the reference may be empty", []string{`<>; rel=next`}, ""},
	}
	for _, tt := range tests {
		if got, _ := LinkTo("next", tt.header); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if _, ok := LinkTo("next", []string{`<>; rel=next`}); !ok {
		t.Error("an empty reference is not found")
	}
}

// FuzzLinkTo: a header of any form has an end, and what is found stands in it.
func FuzzLinkTo(f *testing.F) {
	for _, seed := range []string{`<a>; rel="next", <b>; rel=prev`, `<a>;x="\"";rel=next`, `=;,"<>`, `<a>;;=;rel`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if target, ok := LinkTo("next", []string{header}); ok && !strings.Contains(header, target) {
			t.Errorf("%q is not in %q", target, header)
		}
	})
}
