package extract

import (
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// checkSupported reports what a configuration asks for and this version cannot
// do yet, so that nobody gets half of the data without noticing.
func checkSupported(doc *config.Document, it config.Iteration) {
	problems := it.UserData.Problems()
	refuse := func(asked bool, pointer string) {
		if asked {
			problems.Add(failure.Problem{Pointer: pointer, Expected: "this version does not support this setting yet"})
		}
	}
	for _, s := range []config.Section{doc.SSHProxy, doc.AWS, doc.Cache} {
		refuse(s.Present(), s.Pointer)
	}
}
