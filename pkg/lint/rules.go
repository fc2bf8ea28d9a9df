package lint

import (
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// matchedErrors finds rules that also match errors of the API, see rule.MatchesErrors.
func matchedErrors(s settings, found *failure.Problems) {
	s.Language.Tree.Visit(s.Compiled.Root.Value, "", func(f *field.Field, at, around config.Section) bool {
		if f == rule.When.Field && rule.MatchesErrors(around) {
			found.Add(failure.Problem{Code: failure.MatchedError, Pointer: at.Pointer,
				Expected: "an error of the API without this key matches too, with any status", Hint: `add "status": 200 to the rule`})
		}
		return true
	})
}
