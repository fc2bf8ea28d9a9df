package lint

import (
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// misspeltExpressions finds objects in parameters and headers of jobs that look like a
// misspelt expression: a call of a known function, or an existing attribute. Other
// objects may be data.
func misspeltExpressions(s settings, found *failure.Problems) {
	vocabulary := s.Compiled.Vocabulary
	references := vocabulary.All().References.At(expr.InJobs)
	report := func(at config.Section, hint failure.Text) {
		found.Add(failure.Problem{Code: failure.UnevaluatedExpression, Pointer: at.Pointer,
			Expected: "the object is not an expression, so it is sent unchanged", Hint: hint})
	}
	for it, j := range s.jobs() {
		params := config.JobParams.In(s.job(j.Job)) // one call may compute all parameters
		if form, hint := vocabulary.NearMiss(expr.InJobs, params.Value); form.Call {
			report(params, hint)
		}
		job := s.job(j.Job)
		for _, group := range []config.Section{config.JobParams.In(job), config.JobHeaders.In(job), config.BodyValues.In(config.JobBody.In(job))} {
			for _, entry := range group.Items() {
				walk(entry, func(p config.Section) bool {
					if _, ok := references.Parse(p.Value, true); ok {
						return false // compiling checks the arguments
					}
					form, hint := vocabulary.NearMiss(expr.InJobs, p.Value)
					_, exists := it.Attributes.At(form.Name.Raw(), ".")
					if hint == "" || !form.Call && !(form.Is(expr.Attr) && exists) {
						return true
					}
					report(p, hint)
					return false
				})
			}
		}
	}
}
