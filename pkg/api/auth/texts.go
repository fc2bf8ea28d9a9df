package auth

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// expectedText is what a header or a query parameter must be.
const expectedText = "expected a text, a list of texts, or an expression"

// checkTexts reports what can never become the value of a header or of a query
// parameter, whatever is computed: objects that are no expression at this place,
// and lists that are empty or hold anything but texts.
func checkTexts(section config.Section, contexts ...expr.Context) {
	if section.Value.Kind() != value.Object {
		return
	}
	for _, item := range section.Items() {
		switch v := item.Value; {
		case v.Kind() == value.Array && (v.Len() == 0 || slices.ContainsFunc(v.Items(), nested)):
			item.Problem(expectedText, "")
		case v.Kind() == value.Object && !isExpression(v, contexts):
			names := make([]string, len(contexts))
			for i, c := range contexts {
				names[i] = string(c)
			}
			item.Problem(expectedText, "expressions here have the key "+failure.Text(strings.Join(append(names, "function"), ", ")))
		}
	}
}

func isExpression(v value.Value, contexts []expr.Context) bool {
	_, call := v.Get("function")
	return call || isReference(v, contexts...)
}

func isReference(v value.Value, contexts ...expr.Context) bool {
	return v.Len() == 1 && v.Kind() == value.Object && slices.Contains(contexts, expr.Context(v.Members()[0].Name))
}

func nested(v value.Value) bool { return v.Kind() == value.Object || v.Kind() == value.Array }
