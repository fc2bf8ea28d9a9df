package auth

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Identity returns a text that differs between the accounts of iterations and runs. It
// consists of all values that the credentials are made from, except those that change
// with every login or request. It contains secrets. Without an authentication it is "".
func Identity(doc *config.Document, it config.Iteration, schemes Schemes) string {
	section := doc.API.Authentication
	if section.Value.IsNull() {
		return ""
	}
	made := []value.Value{section.Value, doc.API.Query.Value}
	scheme, _ := schemes.Of(section)
	if scheme.Platform {
		made = append(made, Authorization.In(doc.Root).Value)
	}
	attributes := expr.Flatten(it.Attributes)
	var names []string
	for _, f := range field.Fields(schemes.Attributes()...) {
		names = append(names, f.Name)
	}
	for _, name := range append(names, attributesIn(value.OfItems(made...), nil)...) {
		made = append(made, value.OfString(name), attributes[name])
	}
	return value.OfItems(made...).JSON()
}

func attributesIn(v value.Value, names []string) []string {
	if name := v.Field(string(expr.Attr)); name.IsScalar() && !slices.Contains(names, name.Raw()) {
		names = append(names, name.Raw())
	}
	for _, m := range v.Members() {
		names = attributesIn(m.Value, names)
	}
	for _, item := range v.Items() {
		names = attributesIn(item, names)
	}
	return names
}
