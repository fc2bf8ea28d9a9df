package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/datadir"
	"github.com/keboola/configurable-extractor/pkg/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/load"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// A synchronous action serves a request of the platform's user interface. `action` in the
// document names it. The response is one JSON document on stdout and no other output. If
// the action fails, this document contains the error; stderr and the exit code are the same
// as for a failed run.

// wantsAction reports whether the document requests an action, so that no event goes to
// stdout. It ignores invalid documents, because read reports their problems later.
func wantsAction(r *run) bool {
	dir, err := datadir.Open(r.DataDir)
	if err != nil {
		return false
	}
	text, err := r.configuration(dir)
	if err != nil {
		return false
	}
	doc, err := config.Parse(text)
	action := doc.Field("action")
	return err == nil && action.Kind() == value.String && action.Raw() != "" && action.Raw() != "run"
}

// writeResult writes the response of an action.
func writeResult(r *run, members ...value.Member) error {
	_, err := fmt.Fprintln(r.Stdout, value.OfMembers(members...).JSON())
	return err
}

// textMembers returns members from pairs of a name and a text.
func textMembers(pairs ...string) []value.Member {
	var members []value.Member
	for pair := range slices.Chunk(pairs, 2) {
		members = append(members, value.Member{Name: pair[0], Value: value.OfString(pair[1])})
	}
	return members
}

// invalidDocument is the error of a document with problems. It also contains the warnings
// about the document.
type invalidDocument struct {
	failure.Problems
	warnings failure.Problems
}

// Unwrap returns the problems for errors.As.
func (e invalidDocument) Unwrap() error { return e.Problems }

// writeError writes the response of a failed action. It includes the problems of an invalid
// configuration.
func writeError(r *run, err error) error {
	secrets := r.Secrets
	members := textMembers("status", "error", "error", oneLine(secrets, err),
		"kind", string(failure.KindOf(err)), "pointer", secrets.Mask(failure.PointerOf(err)))
	if problems, ok := errors.AsType[failure.Problems](err); ok {
		members = append(members, value.Member{Name: "problems", Value: problemList(secrets, problems)})
	}
	if e, ok := errors.AsType[invalidDocument](err); ok {
		members = append(members, value.Member{Name: "findings", Value: findings(secrets, e.Problems, e.warnings)})
	}
	return writeResult(r, members...)
}

func problemList(secrets *secret.Registry, problems failure.Problems) value.Value {
	items := make([]value.Value, len(problems))
	for i, p := range secrets.Problems(problems) {
		items[i] = value.OfMembers(textMembers("code", string(p.Code), "pointer", p.Pointer,
			"found", p.Found.String(), "expected", p.Expected.String(), "hint", p.Hint.String())...)
	}
	return value.OfItems(items...)
}

// findings returns all problems and warnings in the form of `extractor validate --json`,
// but without lines and columns: the platform reformats the text, so users see other line
// numbers.
func findings(secrets *secret.Registry, problems, warnings failure.Problems) value.Value {
	all := append(diagnostic.Findings(diagnostic.Error, secrets.Problems(problems)...), diagnostic.Findings(diagnostic.Warning, secrets.Problems(warnings)...)...)
	items := make([]value.Value, len(all))
	for i, f := range all {
		items[i] = value.OfMembers(textMembers("code", string(f.Code), "severity", string(f.Severity), "pointer", f.Pointer,
			"found", f.Found, "expected", f.Expected, "hint", f.Hint, "message", f.Message)...)
	}
	return value.OfItems(items...)
}

// validate responds that the document is valid and lists the warnings. Invalid documents do
// not get here, because read returns their problems.
func validate(r *run, doc *load.Result) error {
	if err := r.finishRecording(); err != nil {
		return err
	}
	found := append(doc.Config.Warnings.Unique(), doc.Lint()...).Unique()
	warnings := make([]value.Value, len(found))
	for i, w := range r.Secrets.Problems(found) {
		warnings[i] = value.OfString(w.String())
	}
	return writeResult(r,
		value.Member{Name: "status", Value: value.OfString("success")},
		value.Member{Name: "warnings", Value: value.OfItems(warnings...)},
		value.Member{Name: "findings", Value: findings(r.Secrets, nil, found)},
	)
}

// testRequest sends the first request of the first job, after a login if the configuration
// has one, and writes a summary of the response.
func testRequest(ctx context.Context, r *run, program *engine.Program) error {
	r.Temp = responseTempDir(r)
	r.Limits = env.Limits{} // only one request is sent
	probe, err := program.Probe(ctx, &r.Run)
	if err != nil {
		return r.interrupted(ctx, err)
	}
	if err := r.finishRecording(); err != nil {
		return err
	}
	return writeResult(r,
		value.Member{Name: "status", Value: value.OfString("success")},
		value.Member{Name: "request", Value: value.OfMembers(textMembers("method", probe.Method, "url", r.Secrets.Mask(probe.URL))...)},
		value.Member{Name: "response", Value: value.OfMembers(
			value.Member{Name: "status", Value: value.OfInt(int64(probe.Status))},
			value.Member{Name: "rows", Value: value.OfInt(int64(probe.Rows))},
			value.Member{Name: "sample", Value: redacted(r.Secrets, value.OfItems(probe.Sample...))},
		)},
	)
}

// responseTempDir returns the directory for the temporary file of a large response: the
// directory of the system, or the data directory if an image lacks it.
func responseTempDir(r *run) string {
	if info, err := os.Stat(os.TempDir()); err == nil && info.IsDir() {
		return os.TempDir()
	}
	return r.DataDir
}

func redacted(secrets *secret.Registry, v value.Value) value.Value {
	if k := v.Kind(); k == value.String || k == value.Number {
		if masked := secrets.Mask(v.Raw()); masked != v.Raw() {
			return value.OfString(masked)
		}
		return v
	}
	return v.Map(func(m value.Member) value.Member {
		return value.Member{Name: secrets.Mask(m.Name), Value: redacted(secrets, m.Value)}
	})
}
