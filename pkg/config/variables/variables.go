// Package variables replaces {{name}} placeholders in a configuration document. It finds
// the placeholders and the values of this run, checks that every variable has a value,
// and replaces.
//
// It replaces placeholders in the parsed document, in strings and in names of members. So
// a value cannot change the structure, and values are never scanned for placeholders.
// Values from several sources are never mixed. Errors and warnings contain names of
// variables and JSON pointers, never values.
//
// The package does not send requests: it reads from a Platform. It does not validate the
// rest of the document.
package variables

import (
	"context"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// DefaultComponent is the component of the platform that stores declarations and values
// of variables.
const DefaultComponent = "keboola.variables"

// Assignment is a variable with its value as text.
type Assignment struct{ Name, Text string }

// Flags parses the values of --var, "name=value" each. A value without a name is a user
// error.
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

// Platform reads from the platform. An error may have a method `Refused() bool`, which
// reports whether the platform rejected the token. Error texts are shown to the user and
// must not contain secrets.
type Platform interface {
	// JobVariables returns variableValuesData of a job's record ({"values": […]}, [] or
	// null) and its variableValuesId ("" if absent).
	JobVariables(ctx context.Context, job string) (data value.Value, row string, err error)
	// ConfigurationContent returns the document of a stored configuration.
	ConfigurationContent(ctx context.Context, component, id string) (value.Value, error)
	// RowContent returns the document of a row of a stored configuration.
	RowContent(ctx context.Context, component, configuration, row string) (value.Value, error)
}

// Inputs are the sources of values besides the document.
type Inputs struct {
	// UsedElsewhere contains names that other documents with the same flags use.
	UsedElsewhere []string
	// Flags are the values from the command line. If a name occurs several times, the
	// last value counts.
	Flags []Assignment
	// Platform is nil without a URL or a token of the platform. It must be a nil
	// interface, not an interface with a nil pointer.
	Platform Platform
	// RunID identifies the job of this run: the job id follows the last dot. It may be
	// "".
	RunID string
	// Component stores the configurations with variables. "" means DefaultComponent.
	Component string
}

// Result is a document with its variables replaced.
type Result struct {
	// Document does not contain variableValuesData and variableValuesId, which are only
	// for this package.
	Document value.Value
	// Replaced contains the replaced names without duplicates, in the order of their
	// first replacement.
	Replaced []string
	// Secrets contains the values that were used below a key that begins with #.
	Secrets []string
	// Source describes where the values come from. It is "" if there are no values.
	Source string
	// Used contains the names of the variables in the document.
	Used []string
	// Unused contains the names of flags that are neither used nor declared.
	Unused []string
	// Warnings describe what could not be read or used, in sentences without a full stop.
	Warnings []string
}

// Resolve replaces the variables of a document. The values come from the first of these
// sources that has any:
//
//  1. the flags
//  2. variableValuesData of the document
//  3. the record of the job: its variableValuesData, or the row named by its
//     variableValuesId
//  4. the row named by the document's variableValuesId, or by its
//     variables_values_id
//
// Rows belong to the configuration that the document's variables_id names. Without
// placeholders the platform is not queried. Without values and without variables_id the
// placeholders stay. If the platform has replaced the placeholders already, the rest came
// with a value and stays too.
//
// User errors are variables that are used or declared and have no value, values of the
// wrong declared type, malformed sets and declarations, and a replacement that makes two
// names of one object equal.
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
	refs, err := readRefs(doc)
	if err != nil {
		return Result{}, err
	}
	s := &resolver{in: in, refs: refs}
	found, err := s.values(ctx)
	if err != nil {
		return Result{}, err
	}
	if found.empty() && refs.configuration == "" {
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
	texts := found.texts()
	filled, replaced, err := Replace(rest, texts)
	if err != nil {
		return Result{}, err
	}
	var secrets nameSet
	for _, name := range SecretPlaceholders(rest) {
		if text, ok := texts[name]; ok {
			secrets.add(text)
		}
	}
	return Result{Document: filled, Replaced: replaced, Secrets: secrets, Source: found.source, Used: used, Unused: unused, Warnings: s.warnings}, nil
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

// replacedAlready reports whether the platform has replaced the placeholders. The rest then
// came with a value, and values are never scanned. The platform replaces placeholders of
// documents with variables_id, and the values are still in the record of the job. The test
// is whether these values contain every placeholder of the document. An unreplaced document
// would fail it: it also contains the placeholder of the variable with such a value.
func (s *resolver) replacedAlready(found valueSet, used []string) bool {
	if !found.platform || s.refs.configuration == "" {
		return false
	}
	var inValues []string
	for _, v := range found.values {
		inValues = append(inValues, Placeholders(value.OfString(v.Cell()))...)
	}
	return !slices.ContainsFunc(used, func(name string) bool { return !slices.Contains(inValues, name) })
}

// WithoutValues returns a document without variableValuesData and variableValuesId, which
// are only for this package.
func WithoutValues(doc value.Value) value.Value {
	if doc.Kind() != value.Object {
		return doc
	}
	return doc.Without(config.VariableValuesData.Name, config.VariableValuesID.Name)
}

// check reports all problems with a set in one user error. The error includes the
// warnings about values that could not be read.
func (s *resolver) check(found valueSet, used, unused []string, declared []declaration) error {
	var missing []string
	if names := withoutValue(used, found); len(names) > 0 {
		missing = append(missing, strings.Join(names, ", ")+" (used in the configuration)")
	}
	var unusedNames, notIntegers nameSet
	for _, d := range declared {
		if !slices.Contains(used, d.name) {
			unusedNames.add(d.name)
		}
		if v, ok := found.values[d.name]; ok && d.kind == "int" && !integer.MatchString(v.Raw()) {
			notIntegers.add(d.name)
		}
	}
	if names := withoutValue(unusedNames, found); len(names) > 0 {
		missing = append(missing, strings.Join(names, ", ")+" (declared in "+s.refs.configurationName()+")")
	}
	var texts []string
	if len(missing) > 0 {
		texts = append(texts, "missing values for variables: "+strings.Join(missing, ", "))
	}
	if len(notIntegers) > 0 {
		texts = append(texts, "values that are not integers, as declared, for variables: "+strings.Join(notIntegers, ", "))
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

// origin describes which values were checked, or why there are none.
func (s *resolver) origin(found valueSet) string {
	switch {
	case !found.empty():
		return "the values come from " + found.source
	case s.in.Platform == nil:
		return "no values were given, and the platform cannot be queried without its address and token (KBC_URL, KBC_TOKEN)"
	default:
		return "no variable values provided for " + s.refs.configurationName()
	}
}

// withoutValue returns the names without a value.
func withoutValue(names []string, found valueSet) []string {
	var left []string
	for _, name := range names {
		if _, ok := found.values[name]; !ok {
			left = append(left, name)
		}
	}
	return left
}
