package control

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// DefaultVariablesComponent is the component of variable configurations.
const DefaultVariablesComponent = "keboola.variables"

// Push says what to store.
type Push struct {
	// File is the path of the extractor's configuration.
	File string
	// Name of the stored configuration; "" takes the file's name without .json.
	Name string
	// Variables is the path of the variable configuration; "" stores none and
	// leaves variables_id as it stands in File.
	Variables string
	// VariablesComponent is the component id it is stored under; "" is
	// DefaultVariablesComponent.
	VariablesComponent string
}

// Push stores the variable configuration, if there is one, and then the
// extractor's configuration with its id in variables_id, and writes both ids.
// Both files are read and checked before anything is sent. When only the first
// was stored, the error names it.
func (s *Session) Push(ctx context.Context, p Push) error {
	content, err := s.document(p.File)
	if err != nil {
		return err
	}
	if p.Name == "" {
		p.Name = strings.TrimSuffix(filepath.Base(p.File), ".json")
	}
	variables := ""
	if p.Variables != "" {
		if variables, err = s.pushVariables(ctx, p); err != nil {
			return err
		}
		content = content.With("variables_id", value.OfString(variables))
	}
	stored, err := s.Platform.CreateConfiguration(ctx, s.Component, p.Name, content)
	if err != nil {
		err = unsettled(err, "the configuration may be stored nevertheless: look with `extractor config list` before pushing it again")
		if variables != "" {
			err = fmt.Errorf("only the variable configuration %s was stored: %w", variables, err)
		}
		return err
	}
	if s.JSON {
		result := value.OfMembers(member("id", stored.ID), member("name", p.Name))
		if variables != "" {
			result = result.With("variables_id", value.OfString(variables))
		}
		return s.compact(result)
	}
	if variables != "" {
		if err := s.line(s.Out, "variable configuration %s", variables); err != nil {
			return err
		}
	}
	return s.line(s.Out, "configuration %s", stored.ID)
}

func (s *Session) pushVariables(ctx context.Context, p Push) (id string, err error) {
	content, err := s.document(p.Variables)
	if err != nil {
		return "", err
	}
	if err := checkVariables(content); err != nil {
		return "", failure.Within(p.Variables, "", err)
	}
	component := p.VariablesComponent
	if component == "" {
		component = DefaultVariablesComponent
	}
	stored, err := s.Platform.CreateConfiguration(ctx, component, p.Name+" variables", content)
	if err != nil {
		return "", unsettled(err, "the variable configuration may be stored nevertheless, the configuration is not")
	}
	return stored.ID, nil
}

// checkVariables wants {"variables": [{"name": …}, …]}.
func checkVariables(v value.Value) error {
	list := v.Field("variables")
	if list.Kind() != value.Array {
		return failure.Userf("a variable configuration needs an array of variables").At("/variables")
	}
	for i, item := range list.Items() {
		if name := item.Field("name"); name.Kind() != value.String || name.Raw() == "" {
			return failure.Userf("a variable needs a name").At(fmt.Sprintf("/variables/%d/name", i))
		}
	}
	return nil
}

// document reads a configuration from a file.
func (s *Session) document(path string) (value.Value, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return value.Value{}, failure.Userf("cannot read the configuration: %w", err)
	}
	v, err := config.Parse(text)
	if err != nil {
		return value.Value{}, failure.Within(path, "", err)
	}
	hideMarked(s.Secrets, v)
	return v, nil
}
