package config

import (
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestRequestParams(t *testing.T) {
	r := RequestSpec{Params: testvalue.Parse(t, `["a","b"]`)}
	if v, ok := r.Param("1"); !ok || v.Raw() != "b" {
		t.Errorf("got %s", v.JSON())
	}
	changed := r.WithParam("1", value.OfInt(5)).WithParam("x", value.OfBool(true))
	if got := changed.Params.JSON(); got != `{"0":"a","1":5,"x":true}` {
		t.Errorf("got %s", got)
	}
	if r.Params.JSON() != `["a","b"]` {
		t.Error("the request itself was changed")
	}
	if _, ok := (RequestSpec{}).Param("x"); ok {
		t.Error("no parameters hold x")
	}
}

func TestRequestOver(t *testing.T) {
	tests := []struct{ under, over, want string }{
		{`{"a":1,"b":2}`, `{"b":3,"c":4}`, `{"a":1,"b":3,"c":4}`},
		{`{}`, `null`, `{}`}, // so that a later page asks as the first one did
		{`null`, `[1]`, `[1]`},
		{`[1]`, `null`, `[1]`},
		{`[1,2]`, `{"1":3}`, `{"0":1,"1":3}`},
		{`{}`, `"x"`, `"x"`}, // an error when the request is built
	}
	for _, tt := range tests {
		under, err := value.Parse([]byte(tt.under))
		if err != nil {
			t.Fatal(err)
		}
		over, err := value.Parse([]byte(tt.over))
		if err != nil {
			t.Fatal(err)
		}
		got := RequestSpec{Endpoint: "e", Params: over, Headers: over}.Over(RequestSpec{Endpoint: "f", Method: "POST", Params: under, Headers: under})
		if got.Endpoint != "e" || got.Method != "POST" || got.Params.JSON() != tt.want || got.Headers.JSON() != tt.want {
			t.Errorf("%s over %s: got %s %s %s %s, want %s", tt.over, tt.under, got.Method, got.Endpoint, got.Params.JSON(), got.Headers.JSON(), tt.want)
		}
	}
}
