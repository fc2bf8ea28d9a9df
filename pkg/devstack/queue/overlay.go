package queue

import "github.com/keboola/configurable-extractor/pkg/value"

// RowDocument is what a job runs for a row: the row on top of its configuration.
func RowDocument(configuration, row value.Value) value.Value { return overlay(configuration, row) }
