package component

import (
	"context"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/datadir"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/variables"
)

// read is the document with its variables replaced.
func read(ctx context.Context, o Options, dir *datadir.Dir, log *event.Log, secrets *secret.Registry) (value.Value, error) {
	text, err := dir.Config()
	if err != nil {
		return value.Value{}, err
	}
	doc, err := config.Parse(text)
	if err != nil {
		return value.Value{}, err
	}
	secrets.AddDocument(doc)
	inputs, err := sources(o)
	if err != nil {
		return value.Value{}, err
	}
	resolved, err := variables.Resolve(ctx, doc, inputs)
	if err != nil {
		return value.Value{}, err
	}
	for _, warning := range resolved.Warnings {
		log.Emit(event.ConfigWarning{Pointer: "/variables_id", Text: warning})
	}
	if len(resolved.Replaced) > 0 {
		secrets.AddDocument(resolved.Document)
		for _, secret := range resolved.Secrets {
			secrets.AddConfigured(secret)
		}
		log.Emit(event.VariablesReplaced{Names: resolved.Replaced, Source: resolved.Source})
	}
	return resolved.Document, nil
}

// sources are the places this run's variable values can come from. A replay
// asks no platform.
func sources(o Options) (variables.Inputs, error) {
	in := variables.Inputs{RunID: o.Getenv("KBC_RUNID")}
	for _, pair := range o.Variables {
		name, v, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return in, failure.Userf("--var expects name=value, found '%s'", name)
		}
		in.Flags = append(in.Flags, variables.Value{Name: name, Text: v})
	}
	url, token := o.Getenv("KBC_URL"), o.Getenv("KBC_TOKEN")
	if url != "" && token != "" && o.Replay == "" {
		client, err := platform.New(platform.Options{URL: url, Token: token})
		if err != nil {
			return in, err
		}
		in.Platform = client
	}
	return in, nil
}
