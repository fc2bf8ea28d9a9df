package config

import "github.com/keboola/configurable-extractor/pkg/config/field"

// Section is a part of the document on its way to the package that knows its
// meaning.
type Section = field.Section
