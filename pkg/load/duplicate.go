package load

import (
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/source"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Duplicates returns the keys that an object of a JSON text has more than once. As in the
// original extractor, the last value counts. Parsing drops the other values, so that only
// the text shows them.
func Duplicates(text []byte) failure.Problems {
	locator := source.New(text)
	var found failure.Problems
	for _, key := range locator.Repeated() {
		var at []string
		for _, name := range key.Names {
			line, column := locator.Position(name.Start)
			at = append(at, fmt.Sprintf("%d:%d", line, column))
		}
		last := len(at) - 1
		found.Add(failure.Problem{Code: failure.DuplicateKey, Pointer: key.Pointer,
			Expected: failure.Text("the same object has this key at " + strings.Join(at[:last], ", ") + " and " + at[last] + " (line:column), and only the last one counts"),
			Hint:     "merge them into one, or remove those that do not count"})
	}
	return found
}
