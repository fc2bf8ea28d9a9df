package condition

import (
	"net/http"
	"slices"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestHeaders(t *testing.T) {
	header := http.Header{"X-More": {"false"}, "x-odd": {"1"}, "X-Kind": {"a", "b"}, "X-Left": {"9.5"}, "X-Big": {"100000000000000000001"}, "X-Empty": {""}}
	for _, tt := range []struct {
		condition, body string // an empty body is no JSON
		want            bool
	}{
		{"header(X-More)==false", ``, true},
		{"header(x-mORE)==false", `{"header":1}`, true},
		{"header(X-ODD)==1", ``, true},
		{"header(X-More)==true|header(X-Left)<10", ``, true},
		{"header(X-Left)>10", ``, false},
		{"header(X-Big)>100000000000000000000", ``, true},
		{"header(X-Kind)==a, b", ``, true},
		{"header(X-Kind)~~%b", ``, true},
		{"header(X-None)==", ``, true},
		{"header(X-None)!=", ``, false},
		{"header(X-Empty)==", ``, true},
		{"header(X-None)<1", ``, true}, // as an absent value in a body
		{"a==", ``, false},
		{"a!=1", ``, false},
		{"a!=1|header(X-More)==false", ``, true},
		{"a!=1&header(X-More)==false", ``, false},
		{"header(X-More)==false&a!=1", `{"a":2}`, true},
		{"header.b==1", `{"header":{"b":1}}`, true},
	} {
		var problems failure.Problems
		c := CompileResponse(field.NewSection(value.OfString(tt.condition), "/x", &problems))
		at := func(string) (value.Value, error) { return value.Value{}, ErrNoBody }
		if tt.body != "" {
			at = in(testvalue.Parse(t, tt.body))
		}
		if got, err := c.HoldsIn(header, at); err != nil || got != tt.want || len(problems) > 0 {
			t.Errorf("%s on %s: got %v, %v, %v", tt.condition, tt.body, got, err, problems)
		}
	}
}

func TestWrongHeaders(t *testing.T) {
	for _, text := range []string{"header()==1", "header(X==1", "header(X A)==1", "Header(X)==1", " header(X)==1", "header(X) ==1", "header(X).a==1", "headers(X)==1",
		"header[X]==1", "headr(X)==1", "response_headers(X)==1", "responseHeader(X)==1", "a==1&header(Ž)==1", "header(X)", "header(X&Y)==1"} {
		var problems failure.Problems
		if c := CompileResponse(field.NewSection(value.OfString(text), "/x", &problems)); len(problems) != 1 || problems[0].Pointer != "/x" || c.Given() {
			t.Errorf("%s: %v", text, problems)
		}
	}
	// In other conditions it is the name of a member.
	if got := Parse("header(X)==1").Paths(); !slices.Equal(got, []string{"header(X)"}) {
		t.Errorf("got %q", got)
	}
}

func TestHeaderNames(t *testing.T) {
	c := ParseResponse("header(x-a)==1&b>2|header(X-A)!=3|header(Y)==")
	if got, want := c.Headers(), []string{"X-A", "Y"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := c.Paths(), []string{"b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if !ParseResponse("header(x-a)!=x").Covers(ParseResponse("header(X-A)==y")) {
		t.Error("names of headers are compared with their letter case")
	}
}
