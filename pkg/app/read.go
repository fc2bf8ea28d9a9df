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
func read(ctx context.Context, o *Options, dir *datadir.Dir) (*load.Result, error) {
	text, err := o.configuration(dir)
	if err != nil {
		return nil, err
	}
	o.describe()
	given, err := config.Parse(text)
	if err != nil {
		return nil, err
	}
	o.Secrets.AddDocument(given) // an error about a flag may quote a secret
	inputs, err := variableInputs(o)
	if err != nil {
		return nil, err
	}
	typed, unsupported := TypedTables(o.Getenv)
	doc, err := load.Load(ctx, given, load.Options{Text: text, Variables: inputs, Strict: o.Strict, Typed: typed, Now: o.Now, Secrets: o.Secrets, Getenv: o.Getenv, Random: func(n int) ([]byte, error) { return o.Random(n, "a function") }})
	if err != nil {
		return nil, err
	}
	for _, warning := range doc.Variables.Warnings {
		o.Log.Emit(event.ConfigWarning{Pointer: "/" + config.VariablesID.Name, Text: warning})
	}
	if len(doc.Variables.Replaced) > 0 {
		o.Log.Emit(event.VariablesReplaced{Names: doc.Variables.Replaced, Source: doc.Variables.Source})
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
		o.Log.Emit(event.ConfigWarning{Pointer: w.Pointer, Text: text.String()})
	}
	o.describe(doc.Config.Iterations...)
	if o.report != nil { // the report also contains the warnings of `extractor validate`
		o.report.Check(doc.Lint())
	}
	return doc, nil
}

// configuration returns the text of the configuration. It reads the file only once, because
// the file may be a pipe.
func (o *Options) configuration(dir *datadir.Dir) ([]byte, error) {
	if o.source.text != nil {
		return o.source.text, nil
	}
	if o.Config == "" {
		text, err := dir.Config()
		o.source = source{filepath.Join(o.DataDir, "config.json"), text}
		return text, err
	}
	text, err := os.ReadFile(o.Config)
	if err != nil {
		return nil, failure.Userf("cannot read the configuration: %w", err)
	}
	o.source = source{o.Config, text}
	return text, nil
}

// variableInputs returns the sources of variable values. A replay does not use the platform.
func variableInputs(o *Options) (variables.Inputs, error) {
	flags, err := variables.Flags(o.Variables)
	in := variables.Inputs{Flags: flags, RunID: o.Getenv("KBC_RUNID")}
	url, token := o.Getenv("KBC_URL"), o.Getenv("KBC_TOKEN")
	if err == nil && url != "" && token != "" && o.Replay == "" {
		in.Platform, err = platform.New(platform.Options{URL: url, Token: token})
	}
	return in, err
}
