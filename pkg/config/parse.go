// Package config reads the document: config.json becomes a validated, immutable
// model. The embedded JSON Schema is the one source for what keys there are,
// for the reference documentation and for editors; what it cannot say is
// compiled here. All problems are collected, each with its place in the document
// as it was given, and nothing stops at the first.
//
// Sections whose meaning belongs to another package (a scroller, an authentication,
// a mapping) are passed on as they are, with the shared list of problems.
package config

import (
	"errors"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Parse reads the text of config.json. If the text is not JSON, or not an object, it returns
// a user error with the line, the column and a hint. An empty array counts as an
// empty object, which is how the platform may write one.
func Parse(text []byte) (value.Value, error) {
	v, err := value.Parse(text)
	if syntax, ok := errors.AsType[*value.SyntaxError](err); ok {
		return value.Value{}, failure.Userf("config.json is not valid JSON: %w; %s", err, SyntaxHint(text, syntax))
	}
	if err != nil {
		return value.Value{}, failure.Userf("config.json cannot be read: %w", err)
	}
	if v.Kind() == value.Array && v.Len() == 0 {
		return value.OfMembers(), nil
	}
	if v.Kind() != value.Object {
		return value.Value{}, failure.Userf("config.json must contain an object, found %s", field.DescribeKind(v))
	}
	return v, nil
}
