package app

import (
	"context"
	"os"
	"path/filepath"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/datadir"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/load"
	"github.com/keboola/configurable-extractor/pkg/platform"
)

// read compiles the program of a run. All problems of the document are returned as one
// error.
func read(ctx context.Context, r *run, dir *datadir.Dir) (*load.Result, error) {
	text, err := r.configuration(dir)
	if err != nil {
		return nil, err
	}
	r.describe()
	given, err := config.Parse(text)
	if err != nil {
		return nil, err
	}
	variables.AddSecrets(r.Secrets, given, true) // an error about a flag may quote a secret
	inputs, err := variableInputs(r)
	if err != nil {
		return nil, err
	}
	typed, unsupported := TypedTables(r.Getenv)
	r.TypesEnforced = r.Getenv("KBC_DATA_TYPE_SUPPORT") == "authoritative"
	doc, err := load.Load(ctx, given, load.Options{Text: text, Variables: inputs, Strict: r.Strict, Typed: typed, Now: r.Now, Secrets: r.Secrets, Getenv: r.Getenv, Random: func(n int) ([]byte, error) { return r.Random(n, "a function") }})
	if err != nil {
		return nil, err
	}
	for _, warning := range doc.Variables.Warnings {
		r.Log.Emit(event.ConfigWarning{Pointer: "/" + config.VariablesID.Name, Text: warning})
	}
	if len(doc.Variables.Replaced) > 0 {
		r.Log.Emit(event.VariablesReplaced{Names: doc.Variables.Replaced, Source: doc.Variables.Source})
	}
	if unsupported != nil {
		return nil, unsupported
	}
	if len(doc.Problems) > 0 {
		return nil, invalidDocument{doc.Problems, doc.Config.Warnings.Unique()}
	}
	for _, w := range doc.Config.Warnings {
		text := w.Expected
		if w.Hint != "" {
			text += "; " + w.Hint
		}
		r.Log.Emit(event.ConfigWarning{Pointer: w.Pointer, Text: text.String()})
	}
	r.describe(doc.Config.Iterations...)
	if r.report != nil { // the report also contains the warnings of `extractor validate`
		r.report.Check(doc.Lint())
	}
	return doc, nil
}

// configuration returns the text of the configuration. It reads the file only once, because
// the file may be a pipe.
func (r *run) configuration(dir *datadir.Dir) ([]byte, error) {
	if r.source.text != nil {
		return r.source.text, nil
	}
	if r.Config == "" {
		text, err := dir.Config()
		r.source = source{filepath.Join(r.DataDir, "config.json"), text}
		return text, err
	}
	text, err := os.ReadFile(r.Config)
	if err != nil {
		return nil, failure.Userf("cannot read the configuration: %w", err)
	}
	r.source = source{r.Config, text}
	return text, nil
}

// variableInputs returns the sources of variable values. A replay does not use the platform.
func variableInputs(r *run) (variables.Inputs, error) {
	flags, err := variables.Flags(r.Variables)
	in := variables.Inputs{Flags: flags, RunID: r.Getenv("KBC_RUNID")}
	url, token := r.Getenv("KBC_URL"), r.Getenv("KBC_TOKEN")
	if err == nil && url != "" && token != "" && r.Replay == "" {
		in.Platform, err = platform.New(platform.Options{URL: url, Token: token})
	}
	return in, err
}
