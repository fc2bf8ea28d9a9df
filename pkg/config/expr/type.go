package expr

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/field"
)

// Type returns the type of a value expression with this vocabulary for the JSON Schema.
func (v Vocabulary) Type() *field.Type {
	all := v.All()
	var forms, functions []string
	for _, key := range all.References.Keys() {
		forms = append(forms, "`{\""+key+"\": …}`")
	}
	for _, f := range all.Functions {
		functions = append(functions, "`"+f.Name+"`")
	}
	return &field.Type{
		Name: "expression", Title: "Value expression",
		Doc: "A literal, or an object that is evaluated, at any depth: `{\"attr\": \"name\"}` is a key of `config` (nested keys and list indexes parted by dots); `{\"function\": \"name\", \"args\": […]}` calls one of " +
			strings.Join(functions, ", ") +
			", its arguments being expressions too. The other forms are " + strings.Join(forms[1:], ", ") +
			", each where its value exists, plain data elsewhere. With a key `default` beside it, the value of that is used where the expression is null or the empty text. The value of `{\"literal\": …}` is used as written, without evaluation.",
		Examples: []string{`{"function": "concat", "args": ["Bearer ", {"attr": "#token"}]}`},
	}
}
