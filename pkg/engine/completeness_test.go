package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// TestAnnouncedPage: what the members beside the data say about a next page.
func TestAnnouncedPage(t *testing.T) {
	kinds := map[string]response.IndicatorKind{"next": response.NextPage, "more": response.MorePages, "last": response.LastPage, "total": response.TotalRows}
	tests := []struct {
		indicators string // an object: kind, and what follows it to distinguish members, to value
		announced  string // "" for nothing
		none       bool
	}{
		{`{}`, "", false},
		{`{"total":5}`, "", false},
		{`{"next":"/b"}`, "next", false},
		{`{"next":2}`, "next", false},
		{`{"next":true}`, "next", false},
		{`{"next":"-abc"}`, "next", false},
		{`{"next":""}`, "", true},
		{`{"next":" "}`, "", true},
		{`{"next":null}`, "", true},
		{`{"next":false}`, "", true},
		{`{"next":0}`, "", true},
		{`{"next":"0"}`, "", true},
		{`{"next":-1}`, "", true},
		{`{"next":"NULL"}`, "", true},
		{`{"next":"none"}`, "", true},
		{`{"next":null,"next2":"x"}`, "next2", false},
		{`{"next":"x","next2":null}`, "next", false},
		{`{"more":true}`, "more", false},
		{`{"more":"True"}`, "more", false},
		{`{"more":1}`, "more", false},
		{`{"more":false}`, "", true},
		{`{"more":"false"}`, "", true},
		{`{"more":0}`, "", true},
		{`{"more":7}`, "", false},
		{`{"more":null}`, "", false},
		{`{"last":false}`, "last", false},
		{`{"last":true}`, "", true},
		{`{"next":"x","more":false}`, "", true},
		{`{"last":true,"next":"x"}`, "", true},
		{`{"next":null,"more":true}`, "more", false},
		{`{"more":true,"next":"x"}`, "next", false},
	}
	for _, tt := range tests {
		var v evidence
		for _, m := range testvalue.Parse(t, tt.indicators).Members() {
			v.indicators = append(v.indicators, response.Indicator{Kind: kinds[strings.TrimRight(m.Name, "2")], Path: []string{m.Name}, Value: m.Value})
		}
		announced, none := v.next()
		got := ""
		if announced != nil {
			got = announced.Place()
		}
		if got != tt.announced || none != tt.none {
			t.Errorf("%s: got %q, %v", tt.indicators, got, none)
		}
	}
}

// TestTotal: which of the numbers in the responses counts.
func TestTotal(t *testing.T) {
	tests := []struct {
		name      string
		responses []string // objects: field, with a star for a configured one, to value
		field     string   // "" for no total
		least     int64
	}{
		{"none", []string{`{}`}, "", 0},
		{"no number", []string{`{"a":null,"b":"many","c":1.5,"d":true,"e":"1e3","f":0,"g":-3,"h":"","i":[]}`}, "", 0},
		{"a text", []string{`{"a":"12"}`}, "a", 12},
		{"a configured one with a point or an exponent", []string{`{"*a":1.2e1,"*b":13.0,"c":"9.0","d":1.0,"*e":1.5,"*f":1e-999999999,"*g":1e999999999}`}, "a", 12},
		{"the smallest of what the pages say", []string{`{"a":12}`, `{"a":11}`, `{"a":13}`, `{"a":0}`}, "a", 11},
		{"the smallest of several", []string{`{"a":12,"b":7,"c":9}`}, "b", 7},
		{"a configured one", []string{`{"a":7}`, `{"*b":12}`, `{"a":6}`}, "b", 12},
		{"the smallest of the configured ones", []string{`{"*a":12,"*b":9,"c":1}`}, "b", 9},
		{"one that is both", []string{`{"a":12,"b":7}`, `{"*a":13}`}, "a", 12},
	}
	for _, tt := range tests {
		var v evidence
		for _, res := range tt.responses {
			for _, m := range testvalue.Parse(t, res).Members() {
				field, configured := strings.CutPrefix(m.Name, "*")
				v.count(total{field: field, configured: configured}, m.Value)
			}
		}
		switch got := v.total(); {
		case got == nil && tt.field == "":
		case got == nil || got.field != tt.field || got.least != tt.least:
			t.Errorf("%s: got %+v", tt.name, got)
		}
	}
}

// TestErrorsOfAnySize: a response cannot hide its errors behind their number or size.
func TestErrorsOfAnySize(t *testing.T) {
	for name, errors := range map[string]string{
		"one":      `[{"message":"a"}]`,
		"many":     `[` + strings.Repeat(`{"message":"a"},`, 200_000) + `{}]`,
		"a long":   `{"a":"` + strings.Repeat("a", 2<<20) + `"}`,
		"of lists": `[` + strings.Repeat(`[[["a"]]],`, 200_000) + `[]]`,
	} {
		spool := response.NewSpooler(t.TempDir(), response.MemoryLimit).New()
		if _, err := spool.Write([]byte(`{"data":null,"errors":` + errors + `}`)); err != nil {
			t.Fatal(err)
		}
		page, err := response.NewScanner((&secret.Registry{}).Mask).Scan(spool, response.Query{Data: response.Path{Text: "data", Separator: "."}})
		if err != nil {
			t.Fatal(err)
		}
		p := pipeline{job: &job{}, dispatcher: &dispatcher{evaluator: &evaluator{secrets: &secret.Registry{}}}}
		if found, err := p.errorsOnly(1, &httpclient.Response{}, page); err != nil || found == nil {
			t.Errorf("%s: got %v, %v", name, found, err)
		}
		if err := spool.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestReportedErrors: what is shown of the errors of an API is masked before it is
// shortened.
func TestReportedErrors(t *testing.T) {
	secrets := &secret.Registry{}
	secrets.Add("very-secret")
	long := strings.Repeat("x", mostErrorText-5)
	tests := []struct{ name, errors, want string }{
		{"messages", `[{"message":"a"},{"code":1,"title":"b"},"c"]`, "a; b; c"},
		{"too many", `["a","b","c","d","e"]`, "a; b; c; and 2 more"},
		{"an object", `{"detail":"a"}`, "a"},
		{"fields", `{"name":["is too long"]}`, `{"name":["is too long"]}`},
		{"a message that is not a text", `[{"message":{"a":1},"detail":""}]`, `{"message":{"a":1},"detail":""}`},
		{"too large to be read", `"1048580 bytes of errors"`, "1048580 bytes of errors"},
		{"several lines", `["a\n\n b"]`, "a b"},
		{"a secret", `["no very-secret here"]`, "no [hidden] here"},
		{"a secret where it is cut", `["` + long + `very-secret"]`, long + "[hidd …"},
		{"a character where it is cut", `["` + long + `abcdéf"]`, long + "abcdé …"},
	}
	for _, tt := range tests {
		if got := errorTexts(testvalue.Parse(t, tt.errors), secrets.Mask); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
	if got := errorTexts(value.OfItems(value.OfString(strings.Repeat("very-secret ", 1<<20))), secrets.Mask); len(got) > 2*mostErrorText || strings.Contains(got, "very") {
		t.Errorf("a text of megabytes: %s", got)
	}
}

// TestBlankErrors: which members `errors` do not say that there is an error.
func TestBlankErrors(t *testing.T) {
	tests := map[string]bool{
		`null`:         true,
		`[]`:           true,
		`{}`:           true,
		`[null,"",{}]`: true,
		`{"code":0,"message":"","more":{"a":[]}}`: true,
		`{"code":0,"message":"quota exceeded"}`:   false,
		`{"code":-32000}`:                         false,
		`[{},{"message":"Throttled"}]`:            false,
		`{"name":["is missing"]}`:                 false,
		`["Throttled"]`:                           false,
	}
	for text, want := range tests {
		if got := hasNoErrors(testvalue.Parse(t, text)); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

// TestSeveralLists: the message names them, but not thousands.
func TestSeveralLists(t *testing.T) {
	var names []string
	for i := range 5000 {
		names = append(names, fmt.Sprintf("l%d", i+1))
	}
	for n, want := range map[int]string{
		2:    "(l1, l2):",
		10:   "(l1, l2, l3, l4, l5, l6, l7, l8, l9, l10):",
		11:   "l9, l10 and 1 more):",
		5000: "l9, l10 and 4990 more):",
	} {
		p := pipeline{job: &job{Job: config.Job{Pointer: "/jobs/0"}}, pageEvents: &pageEvents{}}
		err := p.check(1, &httpclient.Response{}, &response.Page{Root: value.Object, Rows: n, Lists: names[:n]})
		if failure.PointerOf(err) != "/jobs/0" || !strings.Contains(fmt.Sprint(err), want) || !strings.Contains(fmt.Sprint(err), "set 'dataField'") {
			t.Errorf("%d lists: %v", n, err)
		}
	}
}
