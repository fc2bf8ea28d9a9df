package config

import (
	"testing"

	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestRequestParams(t *testing.T) {
	r := Request{Params: mustValue(t, `["a","b"]`)}
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
	if _, ok := (Request{}).Param("x"); ok {
		t.Error("no parameters hold x")
	}
}
