package variables

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// variableRefs contains the references of a document to its variables.
type variableRefs struct {
	data          value.Value // variableValuesData
	row           string      // variableValuesId
	defaultRow    string      // variables_values_id
	configuration string      // variables_id
}

func readRefs(doc value.Value) (variableRefs, error) {
	var problems failure.Problems
	id := func(name string) string {
		v := doc.Field(name)
		switch v.Kind() {
		case value.String, value.Number:
			return v.Raw()
		case value.Null:
			return ""
		default:
			problems.Add(failure.Problem{Code: failure.InvalidVariable, Pointer: "/" + name, Expected: "expected an id", Found: failure.Text(v.Kind().String())})
			return ""
		}
	}
	l := variableRefs{
		data:          doc.Field(config.VariableValuesData.Name),
		row:           id(config.VariableValuesID.Name),
		defaultRow:    id(config.VariablesValuesID.Name),
		configuration: id(config.VariablesID.Name),
	}
	return l, problems.Err()
}

func (l variableRefs) configurationName() string {
	return fmt.Sprintf("variables configuration %q", l.configuration)
}

// resolver finds the values of a run and collects warnings about values that it cannot
// read.
type resolver struct {
	in       Inputs
	refs     variableRefs
	warnings []string
}

func (s *resolver) warnf(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// values returns the first set with values, or an empty set. Several references may name
// a stored row, and only the first is read. If the row of this run cannot be read, the
// default values must not replace it.
func (s *resolver) values(ctx context.Context) (valueSet, error) {
	if found, err := s.fromFlags(); err != nil || !found.empty() {
		return found, err
	}
	found, err := inlineSet("the configuration", s.refs.data, "/"+config.VariableValuesData.Name, s.refs.row)
	if err != nil || !found.empty() {
		found.source = "variableValuesData of the configuration"
		return found, err
	}
	found, row, err := s.fromJob(ctx)
	if err != nil || !found.empty() {
		return found, err
	}
	for _, named := range []string{s.refs.row, s.refs.defaultRow} {
		if row == "" {
			row = named
		}
	}
	return s.fromRow(ctx, row)
}

func (s *resolver) fromFlags() (valueSet, error) {
	found := valueSet{source: "the command line"}
	for _, v := range s.in.Flags {
		if v.Name == "" {
			return valueSet{}, failure.Userf("the name of a variable on the command line must not be empty")
		}
		found.add(v.Name, value.OfString(v.Text))
	}
	return found, nil
}

// fromJob returns the inline values of the job, or the id of the row that the job names.
func (s *resolver) fromJob(ctx context.Context) (found valueSet, row string, err error) {
	job := s.in.RunID[strings.LastIndex(s.in.RunID, ".")+1:]
	if s.in.Platform == nil || job == "" {
		return valueSet{}, "", nil
	}
	data, row, err := s.in.Platform.JobVariables(ctx, job)
	if err != nil {
		if ctx.Err() != nil {
			return valueSet{}, "", interrupted(ctx)
		}
		s.warnf("variable values of job %q cannot be read: %s", job, err)
		return valueSet{}, "", nil
	}
	source := fmt.Sprintf("job %q", job)
	found, err = inlineSet(source, data, "", row)
	found.source, found.platform = source, true
	return found, row, err
}

func (s *resolver) fromRow(ctx context.Context, row string) (valueSet, error) {
	if row == "" {
		return valueSet{}, nil
	}
	if s.refs.configuration == "" {
		s.warnf("variable values %q are not used: variables_id does not say to which configuration they belong", row)
		return valueSet{}, nil
	}
	if s.in.Platform == nil {
		return valueSet{}, nil
	}
	source := fmt.Sprintf("row %q of %s", row, s.refs.configurationName())
	content, err := s.in.Platform.RowContent(ctx, s.in.Component, s.refs.configuration, row)
	if err != nil {
		if ctx.Err() != nil {
			return valueSet{}, interrupted(ctx)
		}
		s.warnf("cannot read variable values %q of %s: %s", row, s.refs.configurationName(), err)
		return valueSet{}, nil
	}
	found, err := inlineSet(source, content, "", "")
	found.source, found.platform = source, true
	return found, err
}

// isRefused reports whether the platform rejected the token.
func isRefused(err error) bool {
	type refusal interface {
		error
		Refused() bool
	}
	e, ok := errors.AsType[refusal](err)
	return ok && e.Refused()
}

func interrupted(ctx context.Context) error {
	return fmt.Errorf("reading variables from the platform: %w", ctx.Err())
}
