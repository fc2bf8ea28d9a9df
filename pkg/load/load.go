// Package load loads a document: it replaces the variables, compiles every part, and
// collects all problems in one list. A run, the synchronous actions, `validate` and
// `plan` all load configurations with it, so that they find the same problems.
//
// It sends requests only for values of variables, if there is a platform.
package load

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/source"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/lint"
	"github.com/keboola/configurable-extractor/pkg/schema"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Options are the options of Load.
type Options struct {
	// Text is the text of the document. Load checks it for duplicate keys, unless it is
	// nil.
	Text []byte
	// Language is the language of the document. If it is nil, Load uses the language of
	// this program.
	Language *schema.Language
	// Variables are the sources of values of {{variables}} besides the document.
	Variables variables.Inputs
	// Strict makes unknown keys and duplicate keys errors.
	Strict bool
	// Typed is true if the tables will be typed, which some configurations do not allow.
	Typed bool
	// Now is the clock of time functions. If it is nil, Load uses the system clock.
	Now func() time.Time

	// Secrets receives the secrets of the document and its variables, and the secrets
	// that are computed from them. It must not be nil.
	Secrets *secret.Registry
	// Offline accepts variables without values if the platform may have them: if the
	// document has variables_id and no other source of values.
	Offline bool
	// StandIn returns a value for each variable of a document without values. If it is
	// nil, the variables are not replaced.
	StandIn func(name string) string
	// Getenv returns the environment variables that the document refers to. If it is nil,
	// the environment is empty.
	Getenv func(name string) string
	// Random is the source of random bytes. If it is nil, Load uses the source of the
	// system.
	Random func(n int) ([]byte, error)
}

// Result is the result of Load.
type Result struct {
	// Resolved is the document with its variables replaced.
	Resolved value.Value
	// Variables describes the values of the variables. It is zero if they were not
	// replaced.
	Variables variables.Result
	// Unresolved is true if Resolved still has variables without known values.
	Unresolved bool
	// StandIns are the names of the variables with a value of Options.StandIn.
	StandIns []string
	// Config is the compiled configuration. With Problems, only its warnings can be used.
	Config *config.Document
	// Program is the compiled document. With Problems it cannot be used.
	Program  *engine.Program
	language *schema.Language
	// Problems prevent a run. They are distinct, in the order of the document. Secrets in
	// them are not masked.
	Problems failure.Problems
}

// Load loads a document that config.Parse returned. If the variables cannot be replaced,
// it returns their error and a Result with unreplaced variables.
func Load(ctx context.Context, given value.Value, o Options) (*Result, error) {
	variables.AddSecrets(o.Secrets, given, true)
	d := &Result{language: cmp.Or(o.Language, schema.Default())}
	err := d.replaceVariables(ctx, given, o)
	if d.Variables.Source != "" {
		o.Secrets.AddDocument(d.Resolved) // the rest of the placeholders came with a value
	} else {
		variables.AddSecrets(o.Secrets, d.Resolved, d.Unresolved)
	}
	compiled, problems := config.Compile(d.Resolved, config.Options{Now: o.Now, Strict: o.Strict, Conceal: o.Secrets.Add, Tree: d.language.Tree, Vocabulary: d.language.Vocabulary,
		Paging: d.language.Paging.Values, Getenv: o.Getenv, Random: o.Random, Open: d.unresolvedFinder(o)})
	d.Config, d.Program = compiled, engine.Compile(compiled, d.language.Features, o.Typed)
	if duplicates := Duplicates(o.Text); o.Strict {
		*problems = append(duplicates, *problems...)
	} else {
		compiled.Warnings = append(duplicates, compiled.Warnings...)
	}
	compiled.Warnings = append(compiled.Warnings, unusedVariables(d.Variables.Unused, d.Variables.Used)...)
	d.Problems = problems.Unique()
	return d, err
}

// Lint returns the warnings of package lint about a document without problems.
func (d *Result) Lint() failure.Problems {
	return lint.Check(lint.Input{Tree: d.Resolved, Compiled: d.Config, Language: d.language})
}

// unresolvedFinder returns a function that reports whether a text contains a variable
// without a value, or the stand-in of a variable. It returns nil if all values are known.
func (d *Result) unresolvedFinder(o Options) func(text string) bool {
	var unresolved []string
	if d.Unresolved {
		unresolved = append(unresolved, "{{")
	}
	for _, name := range d.StandIns {
		unresolved = append(unresolved, o.StandIn(name))
	}
	if unresolved == nil {
		return nil
	}
	return func(text string) bool {
		return slices.ContainsFunc(unresolved, func(part string) bool { return strings.Contains(text, part) })
	}
}

// replaceVariables replaces the variables of the document.
func (d *Result) replaceVariables(ctx context.Context, given value.Value, o Options) (err error) {
	d.Resolved = variables.WithoutValues(given)
	d.Variables, err = variables.Resolve(ctx, given, o.Variables)
	if err == nil {
		d.Resolved = d.Variables.Document
	} else {
		d.Unresolved = true
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
	d.StandIns, d.Unresolved = variables.Placeholders(d.Resolved), false
	values := map[string]string{}
	for _, name := range d.StandIns {
		values[name] = o.StandIn(name)
	}
	filled, _, err := variables.Replace(d.Resolved, values)
	if err == nil {
		d.Resolved = filled
	}
	return err
}

// Duplicates returns the keys that an object of a JSON text has more than once. As in the
// original extractor, the last value counts. Parsing drops the other values, so that only
// the text shows them.
func Duplicates(text []byte) failure.Problems {
	locator := source.New(text)
	var found failure.Problems
	for _, key := range locator.Repeated() {
		var at []string
		for _, name := range key.Names {
			line, column := locator.Position(name.Start)
			at = append(at, fmt.Sprintf("%d:%d", line, column))
		}
		last := len(at) - 1
		found.Add(failure.Problem{Code: failure.DuplicateKey, Pointer: key.Pointer,
			Expected: failure.Text("the same object has this key at " + strings.Join(at[:last], ", ") + " and " + at[last] + " (line:column), and only the last one counts"),
			Hint:     "merge them into one, or remove those that do not count"})
	}
	return found
}

// unusedVariables returns warnings about the unused names of --var. used are the names that
// the document uses.
func unusedVariables(unused, used []string) failure.Problems {
	var found failure.Problems
	for _, name := range unused {
		hint := failure.Text("the configuration uses no variable: write {{name}} where the value belongs")
		if near, ok := failure.Nearest(name, used); ok {
			hint = "did you mean " + failure.Part(value.OfString(near).JSON()) + "?"
		} else if len(used) > 0 {
			hint = "the configuration uses " + failure.Parts(used)
		}
		found.Add(failure.Problem{Code: failure.UnusedVariable, Hint: hint,
			Expected: "nothing uses the variable " + failure.Part(value.OfString(name).JSON()) + " of --var"})
	}
	return found
}
