// Package load makes a plan of a document: its variables are replaced, every
// part is compiled, and all problems are in one list. A run, the synchronous
// actions, `validate` and `plan` read their configurations with it, so that they
// judge them alike. What they do with what was found is up to them.
//
// Nothing is sent but the questions for values of variables, where there is a
// platform to ask.
package load

import (
	"cmp"
	"context"
	"time"

	"github.com/keboola/configurable-extractor/pkg/authoring/lint"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/language"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Options are what a plan depends on besides the document.
type Options struct {
	// Language is what the document may say; nil is the language of this program.
	Language *language.Language
	// Variables are where the values of {{variables}} come from besides the
	// document.
	Variables variables.Inputs
	// Strict makes unknown keys errors.
	Strict bool
	// Typed reports whether the tables will be typed, which some configurations
	// cannot be.
	Typed bool
	// Now is the clock behind functions of time; nil is the computer's.
	Now func() time.Time

	// Secrets learn the secrets of the document, of its variables, and those that
	// are computed from them. Not nil.
	Secrets *secret.Registry
	// Offline makes it no error that variables have no values which the platform
	// may bring: those of a document with variables_id, where no other values are
	// given.
	Offline bool
	// StandIn gives a value to each variable of a document without values; nil
	// leaves these variables as they are.
	StandIn func(name string) string
}

// Document is a document with what was made of it.
type Document struct {
	// Filled is the document with its variables replaced.
	Filled value.Value
	// Variables say how they were replaced; nothing when they were not.
	Variables variables.Result
	// Open says that variables are left in Filled because their values are not
	// known here.
	Open bool
	// StandIns are the names of the variables that got a value of
	// Options.StandIn.
	StandIns []string
	// Config is the model and Plan that of the run. With Problems both are good
	// for nothing but their warnings.
	Config *config.Document
	Plan   *engine.Plan
	// language is what the document was read in.
	language *language.Language
	// Problems are what a run would refuse, each once, in the order of the
	// document. Secrets are not masked.
	Problems failure.Problems
}

// Load makes a plan of a document as config.Parse returns it. The error is that of
// the variables; the Document is then made of the one whose variables stay as they
// are.
func Load(ctx context.Context, given value.Value, o Options) (*Document, error) {
	o.Secrets.AddDocument(given)
	d := &Document{language: cmp.Or(o.Language, language.Default())}
	err := d.fill(ctx, given, o)
	o.Secrets.AddDocument(d.Filled)
	compiled, problems := config.Compile(d.Filled, config.Options{Now: o.Now, Strict: o.Strict, Conceal: o.Secrets.Add, Tree: d.language.Tree, Functions: d.language.Functions})
	d.Config, d.Plan = compiled, engine.Compile(compiled, d.language.Features, o.Typed)
	d.Problems = problems.Unique()
	return d, err
}

// Lint gives the warnings of package lint about a document without problems.
func (d *Document) Lint() failure.Problems {
	return lint.Check(lint.Document{Tree: d.Filled, Compiled: d.Config, Language: d.language})
}

// fill replaces the variables.
func (d *Document) fill(ctx context.Context, given value.Value, o Options) (err error) {
	d.Filled = variables.WithoutValues(given)
	d.Variables, err = variables.Resolve(ctx, given, o.Variables)
	if err == nil {
		d.Filled = d.Variables.Document
	} else {
		d.Open = true
		platformHas := !given.Field(config.VariablesID.Name).Empty() && given.Field(config.VariableValuesData.Name).Field("values").Empty() && len(o.Variables.Flags) == 0
		if !o.Offline || !platformHas || failure.PointerOf(err) != "" {
			return err
		}
	}
	for _, text := range d.Variables.Secrets {
		o.Secrets.AddConfigured(text)
	}
	if o.StandIn == nil || d.Variables.Source != "" {
		return nil
	}
	d.StandIns, d.Open = variables.Placeholders(d.Filled), false
	values := map[string]string{}
	for _, name := range d.StandIns {
		values[name] = o.StandIn(name)
	}
	filled, _, err := variables.Replace(d.Filled, values)
	if err == nil {
		d.Filled = filled
	}
	return err
}
