package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// startAgain restarts a run of a job without the remembered values, because a rule
// demands it for a response. It closes the response. A restart is possible once, for the
// first response of the run, before rows are stored. Otherwise startAgain returns a user
// error.
func (r *jobRun) startAgain(res *httpclient.Response) error {
	says := r.client.RuleMessage(res)
	status := strings.TrimSpace(res.StatusLine)
	if err := res.Body.Close(); err != nil {
		return err
	}
	if why := r.cannotStartAgain(); why != "" {
		text := fmt.Sprintf("[%d] %s returned %s; a rule restarts the job without its remembered values, but %s", res.Status, res.Address(), status, why)
		if says != "" {
			text += ": " + says
		}
		return failure.Userf("%s", text).At(res.Decision.Pointer)
	}
	r.record(event.JobRestarted{Job: r.name, Status: res.Status, Text: says, Pointer: res.Decision.Pointer, JobPointer: r.Pointer, Iteration: r.number})
	r.restarted = true
	r.scope = r.scope.With(expr.Remembered, expr.Members{})
	return r.begin()
}

// cannotStartAgain returns the reason why a run cannot restart, or "".
func (r *jobRun) cannotStartAgain() string {
	remembers := func(name string) bool { return !r.scope.Contexts[expr.Remembered][name].IsBlank() }
	switch {
	case r.restarted:
		return "the job was restarted before, and the API rejects this request too"
	case r.pages > 0:
		return "its earlier pages are already stored and would be stored twice: run again later, then the job starts from its first page"
	case r.Windows != nil && slices.ContainsFunc(r.Windows.References(expr.Remembered), remembers):
		return "its windows depend on a remembered value: run once with --full"
	case !slices.ContainsFunc(r.rememberedNames, remembers):
		return "no value that it reads was remembered, so it would send the same request again"
	default:
		return ""
	}
}

// checkRestarts reports rules that cannot restart any job.
func (p *Program) checkRestarts() {
	reading := false
	var walk func(jobs []*job)
	walk = func(jobs []*job) {
		for _, j := range jobs {
			reads := len(j.rememberedNames) > 0
			reading = reading || reads
			switch {
			case !reads:
				reportRestarts(j.rules, j.Problems(), "the job reads no remembered value, so it would send the same request again", `"restart" is for jobs that read {"remembered": …}`)
			case j.Windows != nil && len(j.Windows.References(expr.Remembered)) > 0:
				reportRestarts(j.rules, j.Problems(), "the windows of the job depend on a remembered value and would stay the same", `"fail" ends the run, and a run with --full starts from the beginning`)
			}
			walk(j.children)
		}
	}
	for _, it := range p.iterations {
		walk(it.jobs)
	}
	if !reading {
		reportRestarts(p.target.Rules, p.doc.API.Rules.Problems(), "no job reads a remembered value, so the same request would be sent again", `"restart" is for jobs that read {"remembered": …}`)
	}
}

func reportRestarts(rules rule.List, problems *failure.Problems, why, hint failure.Text) {
	for _, r := range rules {
		if r.Do == rule.Restart {
			field.NewSection(value.OfString(string(r.Do)), failure.PointerJoin(r.Pointer, rule.DoName), problems).
				Problem("expected another action: "+why, hint)
		}
	}
}
