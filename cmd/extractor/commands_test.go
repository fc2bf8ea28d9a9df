package main

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/tests/commandtree"
)

func commands() *cobra.Command { return newRoot() }

// TestExamples: the help of every command shows how it is used.
func TestExamples(t *testing.T) {
	for _, missing := range commandtree.Examples(commands) {
		t.Error(missing)
	}
}
