package load

import (
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// unusedVariables returns warnings about the unused names of --var. used are the names that
// the document uses.
func unusedVariables(unused, used []string) failure.Problems {
	var found failure.Problems
	for _, name := range unused {
		hint := failure.Text("the configuration uses no variable: write {{name}} where the value belongs")
		if near, ok := failure.Nearest(name, used); ok {
			hint = "did you mean " + failure.Part(value.OfString(near).JSON()) + "?"
		} else if len(used) > 0 {
			hint = "the configuration uses " + failure.Parts(used)
		}
		found.Add(failure.Problem{Code: failure.UnusedVariable, Hint: hint,
			Expected: "nothing uses the variable " + failure.Part(value.OfString(name).JSON()) + " of --var"})
	}
	return found
}
