package expr

import (
	"maps"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
)

func TestFlatten(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       map[string]string
	}{
		{"leaves keep their types", `{"#t":"S","acct":{"id":7,"tags":["a",{"k":"b"}]},"f":false,"z":0,"n":null,"o":{},"l":[]}`,
			map[string]string{"#t": `"S"`, "acct.id": "7", "acct.tags.0": `"a"`, "acct.tags.1.k": `"b"`, "f": "false", "z": "0"}},
		{"the later of one path wins", `{"a.b":1,"a":{"b":2}}`, map[string]string{"a.b": "2"}},
		{"the other way round", `{"a":{"b":2},"a.b":1}`, map[string]string{"a.b": "1"}},
		{"a later null wins too", `{"a.b":1,"a":{"b":null}}`, map[string]string{}},
		{"an empty object is no leaf", `{"a":1,"b":{"c":{}}}`, map[string]string{"a": "1"}},
		{"an expression is data", `{"x":{"function":"f","args":["y"]}}`, map[string]string{"x.function": `"f"`, "x.args.0": `"y"`}},
		{"a list", `["a",null,["b"]]`, map[string]string{"0": `"a"`, "2.0": `"b"`}},
		{"numeric and empty names", `{"0":1,"":2,"a":{"":3}}`, map[string]string{"0": "1", "": "2", "a.": "3"}},
		{"a scalar has no path", `"x"`, map[string]string{}},
		{"null", `null`, map[string]string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := map[string]string{}
			for path, v := range Flatten(testvalue.Parse(t, c.text)) {
				got[path] = v.JSON()
			}
			if !maps.Equal(got, c.want) {
				t.Errorf("Flatten(%s) = %v, want %v", c.text, got, c.want)
			}
		})
	}
}
