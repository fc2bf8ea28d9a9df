package expr

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/field"
)

// Type is the type of a value expression, as the schema describes it.
func Type() *field.Type {
	return &field.Type{
		Name: "expression", Title: "Value expression",
		Doc: "A literal, or an object that is evaluated: `{\"attr\": \"name\"}` is a key of `config` (nested keys and list indexes parted by dots); `{\"function\": \"name\", \"args\": […]}` calls one of " +
			functionNames() +
			", its arguments being expressions too. An object of one of the other forms `{\"time\": …}`, `{\"request\": …}`, `{\"query\": …}`, `{\"response\": …}`, `{\"authorization\": …}`, `{\"consumer\": …}`, `{\"user\": …}`, `{\"placeholder\": …}` is a reference where that context exists, plain data elsewhere.",
		Examples: []string{`{"function": "concat", "args": ["Bearer ", {"attr": "#token"}]}`},
	}
}

// functionNames lists the functions, those last that exist in one context only.
func functionNames() string {
	var all, some []string
	for _, f := range Functions() {
		if f.only == "" {
			all = append(all, "`"+f.Name+"`")
		} else {
			some = append(some, "`"+f.Name+"` in "+string(f.only)+"s")
		}
	}
	text := strings.Join(all, ", ")
	if len(some) > 0 {
		text += " (and " + strings.Join(some, ", ") + ")"
	}
	return text
}
