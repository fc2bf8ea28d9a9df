package engine

import (
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestExpression(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"plain"`:              "",
		`{"attr": "#key"}`:     "attr #key",
		`{"function": "time"}`: "function time",
		`{"function": "concat", "args": ["a", {"attr": "x"}, {"attr": "x"}, {"function": "md5", "args": {"0": {"time": "previousStart"}}}]}`: "function concat of attr x, function md5 of time previousStart",
		`{"a": 1, "b": 2}`:                           "",
		`{"state": "open"}`:                          "",
		`{"literal": {"attr": "x"}}`:                 "",
		`{"parentItem": "2:owner.id"}`:               "parentItem 2:owner.id",
		`{"attr": "x", "default": {"attr": "y"}}`:    "attr x, or attr y",
		`{"placeholder": "x", "default": 5}`:         "placeholder x, or its default",
		`[{"placeholder": "x"}, "a", {"attr": "b"}]`: "placeholder x, attr b",
	} {
		v, err := value.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := describeExpression(expr.AllReferences(), v); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
