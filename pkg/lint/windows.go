package lint

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// idleWindows finds windows that no request refers to, and a `lookback` if `from` is not
// a remembered value.
func idleWindows(s settings, found *failure.Problems) {
	references := s.Compiled.Vocabulary.All().References
	refers := func(at config.Section) bool { return len(references.Names(at.Value, false, expr.Window)) > 0 }
	for _, it := range s.iterations {
		if len(it.References(expr.Window)) > 0 || refers(s.paging) {
			continue
		}
		for _, j := range it.jobs {
			job := s.job(j.Job)
			sent := func(f *field.Field) bool { return refers(job.Get(f.Name)) }
			if j.Windows != nil && !slices.ContainsFunc(field.Fields(config.JobEndpoint, config.JobParams, config.JobHeaders, config.JobBody, config.JobChildren), sent) {
				found.Add(failure.Problem{Code: failure.NoEffect, Pointer: config.JobWindows.In(job).Pointer,
					Expected: "every window sends the same request: nothing in the endpoint, parameters, headers and body of the job refers to it",
					Hint:     `write {"window": "start"} and {"window": "end"} where the API takes the time`})
			}
		}
	}
	for _, j := range s.jobs() {
		windows := config.JobWindows.In(s.job(j.Job))
		if back := config.WindowsLookback.In(windows); j.Windows != nil && back.Present() && len(j.Windows.References(expr.Remembered)) == 0 {
			found.Add(failure.Problem{Code: failure.NoEffect, Pointer: back.Pointer,
				Expected: "it has an effect only if \"from\" is remembered", Hint: `write "from": {"remembered": "NAME", "default": …}`})
		}
	}
}
