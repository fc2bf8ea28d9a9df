package config

import (
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Parse reads the text of config.json. What is not JSON, or not an object, is a
// user error that names the line and the column. An empty array counts as an
// empty object, which is how the platform may write one.
func Parse(text []byte) (value.Value, error) {
	v, err := value.Parse(text)
	if err != nil {
		return value.Value{}, failure.Userf("config.json is not valid JSON: %w", err)
	}
	if v.Kind() == value.Array && v.Len() == 0 {
		return value.OfMembers(), nil
	}
	if v.Kind() != value.Object {
		return value.Value{}, failure.Userf("config.json must hold an object, found %s", describeKind(v))
	}
	return v, nil
}
