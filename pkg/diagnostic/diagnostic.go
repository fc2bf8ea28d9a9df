// Package diagnostic reports the problems of a configuration file: as text with the lines
// of the file, as JSON, and as SARIF for CI. Each kind of problem has a code. The
// catalogue explains the codes.
//
// The problems come from package load; package diagnostic adds lines and columns. It uses
// no network and shows no value that may be a secret.
package diagnostic

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/source"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/load"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// severity is the severity of a finding. An error prevents a run.
type severity string

// The severities, named as in SARIF.
const (
	Error   severity = "error"
	Warning severity = "warning"
)

// Finding is a problem with its position in the text.
type Finding struct {
	Code     failure.Code `json:"code"`
	Severity severity     `json:"severity"`
	// File is the name of the text, or "" without a text.
	File string `json:"file,omitzero"`
	// Pointer is the JSON pointer of the value. "" is the whole document.
	Pointer string `json:"pointer"`
	// Line and Column count from 1. Columns are characters. Both are 0 if the position is
	// unknown.
	Line   int `json:"line,omitzero"`
	Column int `json:"column,omitzero"`
	// Found, Expected and Hint are the texts of failure.Problem.
	Found    string `json:"found"`
	Expected string `json:"expected"`
	Hint     string `json:"hint"`
	// Message is the finding in one sentence.
	Message string `json:"message"`

	span source.Span // range to mark in the text
}

// Report holds the findings in one text.
type Report struct {
	// File is the name of the text.
	File string
	// Findings are in the order of the text.
	Findings []Finding
	text     *source.Text
	broken   bool             // true if the text is not valid JSON
	known    *secret.Registry // secrets to mask
}

// Failed reports whether there is an error among the findings.
func (r *Report) Failed() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == Error })
}

// Check checks a configuration and returns its problems. file is the name of the text.
// Check loads the configuration without a network and registers its secrets in a new
// registry instead of o.Secrets.
func Check(ctx context.Context, file string, text []byte, o load.Options) *Report {
	r := &Report{File: file, text: source.New(text), known: &secret.Registry{}}
	given, err := config.Parse(text)
	if err != nil {
		r.addParseError(text, err)
		return r
	}
	secrets := r.known
	o.Text, o.Secrets, o.Offline = text, secrets, true
	doc, unfilled := load.Load(ctx, given, o)
	if unfilled != nil { // Check continues, to find as many problems as possible
		for _, p := range variableProblems(given, unfilled) {
			p.Code = cmp.Or(p.Code, failure.InvalidVariable)
			r.add(Findings(Error, p)...)
		}
	}
	places := pointerMap{given: given, filled: doc.Resolved}
	for i, p := range secrets.Problems(doc.Problems) {
		at := doc.Problems[i].Pointer // the pointer without masking
		if doc.Unresolved && p.Code != failure.DuplicateKey && dependsOnUnset(doc.Resolved, at) {
			continue
		}
		p.Pointer = places.original(at)
		r.add(Findings(Error, p)...)
	}
	warnings := doc.Config.Warnings
	if !r.Failed() {
		warnings = append(warnings, doc.Lint()...)
	}
	warnings = warnings.Unique()
	for i, p := range secrets.Problems(warnings) {
		p.Pointer = places.original(warnings[i].Pointer)
		r.add(Findings(Warning, p)...)
	}
	if unfilled == nil {
		r.add(Findings(Warning, unknownVariables(doc, places)...)...)
	}
	r.sort()
	return r
}

// addParseError adds the error of a text that is not a JSON object.
func (r *Report) addParseError(text []byte, err error) {
	syntax, ok := errors.AsType[*value.SyntaxError](err)
	if !ok {
		r.add(Findings(Error, failure.Problem{Code: failure.WrongType, Expected: failure.Part(err.Error())})...)
		return
	}
	r.broken = true
	at := r.text.Offset(syntax.Line, syntax.Column)
	line, column := r.text.Position(at)
	_, pointer := r.text.End()
	if secret := secretAround(pointer); secret != "" {
		pointer = secret
	}
	r.Findings = append(r.Findings, Finding{
		Code: failure.InvalidJSON, Severity: Error, File: r.File, Pointer: pointer, Line: line, Column: column,
		Expected: "expected valid JSON", Message: "not valid JSON: " + syntax.Reason,
		Hint: config.SyntaxHint(text, syntax), span: source.Span{Start: at, End: at + 1},
	})
}

// add appends findings and sets their positions.
func (r *Report) add(findings ...Finding) {
	for _, f := range findings {
		f.File, f.span = r.File, Mark(r.text, f)
		f.Line, f.Column = r.text.Position(f.span.Start)
		r.Findings = append(r.Findings, f)
	}
}

// Findings converts problems to findings without a position.
func Findings(as severity, problems ...failure.Problem) []Finding {
	withoutCode := failure.WrongValue
	if as == Warning {
		withoutCode = failure.NoEffect
	}
	all := make([]Finding, len(problems))
	for i, p := range problems {
		f := Finding{Code: cmp.Or(p.Code, withoutCode), Severity: as, Pointer: p.Pointer, Found: p.Found.String(), Expected: p.Expected.String(), Hint: p.Hint.String(), Message: p.Expected.String()}
		if p.Found != "" {
			f.Message += ", found " + f.Found
		}
		all[i] = f
	}
	return all
}

// Mark returns the range of the text to mark for a finding: the scalar, the name or the
// opening bracket. For problems of a key it prefers the name.
func Mark(text *source.Text, f Finding) source.Span {
	place, at, _ := text.Find(f.Pointer)
	switch f.Code {
	case failure.DuplicateKey, failure.UnknownKey, failure.UnusedAttribute, failure.OldForm, failure.NoEffect, failure.UnsendableHeader:
	default:
		if place.Scalar && at == f.Pointer {
			return place.Value
		}
	}
	if place.Name.End > 0 {
		return place.Name
	}
	return source.Span{Start: place.Value.Start, End: min(place.Value.Start+1, place.Value.End)}
}

func (r *Report) sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return a.span.Start - b.span.Start })
}
