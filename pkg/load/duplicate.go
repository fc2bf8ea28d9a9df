package load

import (
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/source"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Duplicates finds keys that one object of a JSON text has several times. The last value
// counts, as in the original extractor. A parsed document does not have the other values any
// more, so only the text can show them.
func Duplicates(text []byte) failure.Problems {
	places := source.New(text)
	var found failure.Problems
	for _, key := range places.Repeated() {
		var at []string
		for _, name := range key.Names {
			line, column := places.Position(name.Start)
			at = append(at, fmt.Sprintf("%d:%d", line, column))
		}
		last := len(at) - 1
		found.Add(failure.Problem{Code: failure.DuplicateKey, Pointer: key.Pointer,
			Expected: failure.Text("the same object has this key at " + strings.Join(at[:last], ", ") + " and " + at[last] + " (line:column), and only the last one counts"),
			Hint:     "merge them into one, or remove those that do not count"})
	}
	return found
}
