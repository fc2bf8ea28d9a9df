package variables

import (
	"context"
	"regexp"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// declaration is an entry of a variables configuration. kind is any text. Only "int"
// restricts the value.
type declaration struct{ name, kind string }

// integer matches the values of the type "int": digits with an optional minus.
var integer = regexp.MustCompile(`^-?[0-9]+$`)

// declarations reads the declarations of variables from the platform. It returns nil
// without a variables configuration or a platform. A failed request is a user error. It is
// only a warning if the platform rejects the token, or if there are no values, because an
// error about missing values follows.
func (s *resolver) declarations(ctx context.Context, found valueSet) ([]declaration, error) {
	if s.in.Platform == nil || s.refs.configuration == "" {
		return nil, nil
	}
	content, err := s.in.Platform.ConfigurationContent(ctx, s.in.Component, s.refs.configuration)
	switch {
	case err == nil:
		return s.readDeclarations(content)
	case ctx.Err() != nil:
		return nil, interrupted(ctx)
	case isRefused(err) || found.empty():
		s.warnf("%s cannot be read: %s", s.refs.configurationName(), err)
		return nil, nil
	default:
		return nil, failure.Userf("%s cannot be read: %w", s.refs.configurationName(), err).At("/" + config.VariablesID.Name)
	}
}

// readDeclarations reads {"variables": [{"name": …, "type": …}]}.
func (s *resolver) readDeclarations(content value.Value) ([]declaration, error) {
	var problems failure.Problems
	var declared []declaration
	if content.Kind() != value.Object && !isAbsent(content) {
		problems.Add(typeProblem(`an object {"variables": […]}`, "", content))
	}
	variables := content.Field("variables")
	if variables.Kind() != value.Array && !isAbsent(variables) {
		problems.Add(typeProblem("a list of {name, type}", "/variables", variables))
	}
	for i, item := range variables.Items() {
		at := failure.PointerJoin("/variables", strconv.Itoa(i))
		if item.Kind() != value.Object {
			problems.Add(typeProblem("an object {name, type}", at, item))
			continue
		}
		for _, key := range []string{"name", "type"} {
			if !isNonEmptyString(item.Field(key)) {
				problems.Add(typeProblem("a "+key+" that is not empty", failure.PointerJoin(at, key), item.Field(key)))
			}
		}
		declared = append(declared, declaration{name: item.Field("name").Raw(), kind: item.Field("type").Raw()})
	}
	if len(problems) > 0 {
		return nil, malformed("declarations of "+s.refs.configurationName(), problems)
	}
	return declared, nil
}
