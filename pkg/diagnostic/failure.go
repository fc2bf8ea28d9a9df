package diagnostic

import (
	"errors"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/source"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// OfFailure returns a report of the error that ended a run, with its position in the
// text. file is the name of the text. message is used for an error that is not a list of
// problems. The report is empty if the error has no pointer.
func OfFailure(file string, text []byte, secrets *secret.Registry, err error, message string) *Report {
	r := &Report{File: file, text: source.New(text), known: secrets}
	problems, ok := errors.AsType[failure.Problems](err)
	switch _, syntax := errors.AsType[*value.SyntaxError](err); {
	case ok && problems.Error() == err.Error():
		for i, p := range secrets.Problems(problems) {
			p.Pointer = problems[i].Pointer // a masked pointer would not be found
			r.add(Findings(Error, p)...)
		}
		r.sort()
	case syntax:
		r.addParseError(text, err)
	case failure.PointerOf(err) != "":
		r.add(Finding{Severity: Error, Pointer: failure.PointerOf(err), Message: message})
		r.markEndpoint(&r.Findings[0])
	}
	return r
}

// markEndpoint marks the endpoint of a job, because the first line of the job may be only
// a bracket.
func (r *Report) markEndpoint(f *Finding) {
	pointer := failure.PointerJoin(f.Pointer, config.JobEndpoint.Name)
	if place, at, _ := r.text.Find(pointer); at == pointer {
		f.span = place.Value
		f.Line, f.Column = r.text.Position(f.span.Start)
	}
}
