package main

import (
	"testing"

	"github.com/keboola/configurable-extractor/tests/commandtree"
)

// TestExamples: the help of every command shows how it is used.
func TestExamples(t *testing.T) {
	for _, missing := range commandtree.Examples(newRoot) {
		t.Error(missing)
	}
}
