package expr

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/field"
)

// Type is the type of a value expression with these functions, as the schema
// describes it.
func (all Functions) Type() *field.Type {
	return &field.Type{
		Name: "expression", Title: "Value expression",
		Doc: "A literal, or an object that is evaluated: `{\"attr\": \"name\"}` is a key of `config` (nested keys and list indexes parted by dots); `{\"function\": \"name\", \"args\": […]}` calls one of " +
			all.names() +
			", its arguments being expressions too. An object of one of the other forms `{\"time\": …}`, `{\"request\": …}`, `{\"query\": …}`, `{\"response\": …}`, `{\"authorization\": …}`, `{\"consumer\": …}`, `{\"user\": …}`, `{\"placeholder\": …}` is a reference where that context exists, plain data elsewhere.",
		Examples: []string{`{"function": "concat", "args": ["Bearer ", {"attr": "#token"}]}`},
	}
}

// names lists the functions, those last that exist in one context only.
func (all Functions) names() string {
	var anywhere, some []string
	for _, f := range all {
		if f.Only == "" {
			anywhere = append(anywhere, "`"+f.Name+"`")
		} else {
			some = append(some, "`"+f.Name+"` in "+string(f.Only)+"s")
		}
	}
	text := strings.Join(anywhere, ", ")
	if len(some) > 0 {
		text += " (and " + strings.Join(some, ", ") + ")"
	}
	return text
}
