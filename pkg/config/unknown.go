package config

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// unknownKeys reports keys nobody reads: as warnings, or as problems when the
// options are strict. A key of `config` that an expression refers to is read.
func (c *compiler) unknownKeys(unknown []unknownKey, attributes []string, strict bool) {
	sink := &c.warnings
	if strict {
		sink = c.problems
	}
	var referred []string
	if len(unknown) > 0 {
		referred = attributesReferredTo(c.document, nil)
	}
	for _, key := range unknown {
		code, text := failure.UnknownKey, "unknown key"
		if attribute, itself, ok := attributeAbove(key.pointer, attributes); ok {
			if slices.ContainsFunc(referred, func(name string) bool { return name == attribute || strings.HasPrefix(name, attribute+".") }) {
				continue
			}
			if itself {
				code, text = failure.UnusedAttribute, "unknown key, and no expression refers to it"
			}
		}
		hint := ""
		if near, ok := failure.Nearest(key.name, key.known); ok {
			hint = "did you mean " + quoted(near) + "?"
		}
		sink.Add(failure.Problem{Code: code, Pointer: key.pointer, Expected: text, Hint: hint})
	}
}

// attributeAbove is the attribute a place belongs to: the key of `config`, or of
// an item of `iterations`, at or above it; and whether the place is that key
// itself. Jobs are no attributes.
func attributeAbove(pointer string, parents []string) (name string, itself, ok bool) {
	for _, parent := range parents {
		below, ok := strings.CutPrefix(pointer, parent+"/")
		if !ok {
			continue
		}
		if name := segments("/" + below)[0]; name != "jobs" {
			return name, !strings.Contains(below, "/"), true
		}
	}
	return "", false, false
}

// attributesReferredTo appends the name in every {"attr": name}, wherever it
// stands, also inside an expression that is written as a string.
func attributesReferredTo(v value.Value, names []string) []string {
	if v.Kind() == value.Object && v.Len() == 1 {
		if name, ok := v.Get("attr"); ok && name.IsScalar() {
			names = append(names, name.Raw())
		}
	}
	if v.Kind() == value.String && strings.HasPrefix(v.Raw(), "{") {
		if inner, err := value.Parse([]byte(v.Raw())); err == nil {
			return attributesReferredTo(inner, names)
		}
	}
	for _, m := range v.Members() {
		names = attributesReferredTo(m.Value, names)
	}
	for _, item := range v.Items() {
		names = attributesReferredTo(item, names)
	}
	return names
}
