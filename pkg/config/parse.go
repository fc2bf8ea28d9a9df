// Package config compiles the document: config.json becomes a validated, immutable model.
// Package field checks the document against the declared settings. Package config then
// checks what a declaration cannot express. It collects all problems, each with its JSON
// pointer, and does not stop at the first problem.
//
// Other packages compile some sections, such as scrollers, authentication and mappings.
// They get these sections with the shared list of problems.
package config

import (
	"errors"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Parse reads the text of config.json. If the text is not JSON, or not an object, it
// returns a user error with the line, the column and a hint. An empty array counts as an
// empty object, because the platform may write an empty object like that.
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
