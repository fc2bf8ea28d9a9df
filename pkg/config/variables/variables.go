// Package variables fills {{name}} placeholders of a configuration document:
// it finds them, finds the values of this run, checks that every variable has
// one, and replaces.
//
// Replacement happens in the parsed document, in strings and in names of
// members, so a value can never change the structure, and a value is never
// scanned again. Values of several sources are never mixed. Error texts and
// warnings name variables and places, never values.
//
// The package sends nothing itself: it reads what it needs of the platform from
// a Platform. It does not validate the document otherwise.
package variables

import (
	"context"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// DefaultComponent is the platform's component that has the declarations of
// variables and their stored values.
const DefaultComponent = "keboola.variables"

// Assignment is one variable with its value as text.
type Assignment struct{ Name, Text string }

// Flags reads the values of --var, "name=value" each. One without a name is a
// user error.
func Flags(pairs []string) ([]Assignment, error) {
	var all []Assignment
	for _, pair := range pairs {
		name, text, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, failure.Userf("--var expects name=value, found '%s'", name)
		}
		all = append(all, Assignment{Name: name, Text: text})
	}
	return all, nil
}

// Platform is what must be read from the platform. An error may have a method
// `Refused() bool`; true means that the token was not accepted. Error texts
// are shown to the user and must not contain secrets.
type Platform interface {
	// JobVariables returns variableValuesData of a job's record ({"values": […]},
	// [] or null) and its variableValuesId ("" when absent).
	JobVariables(ctx context.Context, job string) (data value.Value, row string, err error)
	// ConfigurationContent returns the document of a stored configuration.
	ConfigurationContent(ctx context.Context, component, id string) (value.Value, error)
	// RowContent returns the document of a row of a stored configuration.
	RowContent(ctx context.Context, component, configuration, row string) (value.Value, error)
}

// Inputs is where values may come from besides the document.
type Inputs struct {
	// UsedElsewhere are names that other documents with the same flags use.
	UsedElsewhere []string
	// Flags are the values of the command line; of one name the last counts.
	Flags []Assignment
	// Platform is nil when there is no address or token for it (a nil
	// interface, not a nil pointer in one).
	Platform Platform
	// RunID names the job of this run: its last segment after a dot. May be "".
	RunID string
	// Component has the configurations with variables; "" is DefaultComponent.
	Component string
}

// Result is a document whose variables are filled in.
type Result struct {
	// Document lacks variableValuesData and variableValuesId, which are
	// addressed to this package; the rest of it is as it was.
	Document value.Value
	// Replaced are the names that were replaced, each once, in the order of
	// their first replacement.
	Replaced []string
	// Secrets are the values below a key that begins with #, perhaps as
	// a part of the text there.
	Secrets []string
	// Source says where the values came from; "" when there were none.
	Source string
	// Used are the names in the document.
	Used []string
	// Unused are the names of flags that neither the document nor its declarations have.
	Unused []string
	// Warnings say what could not be read or used, in whole sentences without
	// a full stop.
	Warnings []string
}

// Resolve replaces the variables of a document. The values come from the first
// of these that has any:
//
//  1. the flags
//  2. variableValuesData of the document
//  3. the record of the job: its variableValuesData, or else the row named by
//     its variableValuesId
//  4. the row named by the document's variableValuesId, or else by its
//     variables_values_id
//
// Rows belong to the configuration that the document's variables_id names.
// Without placeholders the platform is not queried. Without values and without
// variables_id the placeholders stay as they are, and so do those that came with
// a value, when the platform has filled the document already.
//
// User errors: variables that are used or declared and have no value, values
// that are not of their declared type, malformed sets and declarations, a
// replacement that makes two names of one object equal.
func Resolve(ctx context.Context, doc value.Value, in Inputs) (Result, error) {
	rest := WithoutValues(doc)
	used := Placeholders(rest)
	unused := in.unused(used, nil)
	if len(used) == 0 {
		return Result{Document: rest, Unused: unused}, nil
	}
	if in.Component == "" {
		in.Component = DefaultComponent
	}
	links, err := readLinks(doc)
	if err != nil {
		return Result{}, err
	}
	s := &resolver{in: in, links: links}
	found, err := s.values(ctx)
	if err != nil {
		return Result{}, err
	}
	if found.empty() && links.configuration == "" {
		return Result{Document: rest, Warnings: s.warnings}, nil
	}
	if s.replacedAlready(found, used) {
		return Result{Document: rest, Warnings: s.warnings}, nil
	}
	declared, err := s.declarations(ctx, found)
	if err != nil {
		return Result{}, err
	}
	unused = in.unused(used, declared)
	if err := s.check(found, used, unused, declared); err != nil {
		return Result{}, err
	}
	filled, replaced, err := Replace(rest, found.texts())
	if err != nil {
		return Result{}, err
	}
	return Result{Document: filled, Replaced: replaced, Secrets: found.secretsIn(rest), Source: found.source, Used: used, Unused: unused, Warnings: s.warnings}, nil
}

// unused returns the names of flags that are neither used nor declared.
func (in Inputs) unused(used []string, declared []declaration) []string {
	var names nameSet
	for _, v := range in.Flags {
		isDeclared := slices.ContainsFunc(declared, func(d declaration) bool { return d.name == v.Name })
		if !isDeclared && !slices.Contains(used, v.Name) && !slices.Contains(in.UsedElsewhere, v.Name) {
			names.add(v.Name)
		}
	}
	return names
}

// replacedAlready reports whether the platform has filled the document before:
// then what looks like a placeholder came with a value, which is never scanned
// again. The platform does so for documents with variables_id, and the same
// values are still in the record of the job. If every placeholder is in one
// of them, that is as good as a proof: of a document that was not filled, one with
// a variable whose value has placeholders would have that variable's, too.
func (s *resolver) replacedAlready(found valueSet, used []string) bool {
	if !found.platform || s.links.configuration == "" {
		return false
	}
	var inValues []string
	for _, v := range found.values {
		inValues = append(inValues, Placeholders(value.OfString(v.Cell()))...)
	}
	return !slices.ContainsFunc(used, func(name string) bool { return !slices.Contains(inValues, name) })
}

// WithoutValues is a document without what is addressed to this package; no one
// else knows these keys.
func WithoutValues(doc value.Value) value.Value {
	if doc.Kind() != value.Object {
		return doc
	}
	return doc.Without(config.VariableValuesData.Name, config.VariableValuesID.Name)
}

// check collects everything that is wrong with a set into one user error, and
// says where the search for values went wrong, if it did.
func (s *resolver) check(found valueSet, used, unused []string, declared []declaration) error {
	var missing []string
	if names := lacking(used, found); len(names) > 0 {
		missing = append(missing, strings.Join(names, ", ")+" (used in the configuration)")
	}
	if names := idle(declared, used, found); len(names) > 0 {
		missing = append(missing, strings.Join(names, ", ")+" (declared in "+s.links.configurationName()+")")
	}
	var texts []string
	if len(missing) > 0 {
		texts = append(texts, "missing values for variables: "+strings.Join(missing, ", "))
	}
	if names := notIntegers(declared, found); len(names) > 0 {
		texts = append(texts, "values that are not integers, as declared, for variables: "+strings.Join(names, ", "))
	}
	if len(texts) == 0 {
		return nil
	}
	texts = append(texts, s.origin(found))
	if len(unused) > 0 {
		texts = append(texts, "nothing uses the variables of --var: "+strings.Join(unused, ", "))
	}
	return failure.Userf("%s", strings.Join(append(texts, s.warnings...), "; "))
}

// origin says which values were checked, or why there are none.
func (s *resolver) origin(found valueSet) string {
	switch {
	case !found.empty():
		return "the values come from " + found.source
	case s.in.Platform == nil:
		return "no values were given, and the platform cannot be queried without its address and token (KBC_URL, KBC_TOKEN)"
	default:
		return "no variable values provided for " + s.links.configurationName()
	}
}

// lacking are the names without a value.
func lacking(names []string, found valueSet) []string {
	var left []string
	for _, name := range names {
		if _, ok := found.values[name]; !ok {
			left = append(left, name)
		}
	}
	return left
}
