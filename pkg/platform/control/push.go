package control

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Push describes what to store.
type Push struct {
	// File is the path of the extractor's configuration.
	File string
	// Configuration is the id of the stored configuration to update. If it is empty, a new
	// configuration is created.
	Configuration string
	// Name is the name of the stored configuration. If it is empty, a new configuration
	// gets the file name without .json, and an existing one keeps its name.
	Name string
	// Variables is the path of the variable configuration. If it is empty, none is stored,
	// and variables_id is the id in File. If File has no variables_id, an update keeps the
	// stored one.
	Variables string
	// VariablesComponent is the component id of the stored variable configuration. If it is
	// empty, variables.DefaultComponent is used.
	VariablesComponent string
}

type pushResult struct {
	platform.Configuration
	variables string // id of the variable configuration; may be empty
}

// Push stores the variable configuration, if there is one, and then the extractor's
// configuration with the id of the first in variables_id. It writes both ids. It checks
// both files before it sends a request, and encrypts secrets before it stores anything. If
// only the variable configuration was stored, the error contains its id.
func (s *Session) Push(ctx context.Context, p Push) error {
	p.VariablesComponent = cmp.Or(p.VariablesComponent, variables.DefaultComponent)
	content, err := s.document(p.File)
	if err != nil {
		return err
	}
	variables, err := s.variables(p.Variables)
	if err != nil {
		return err
	}
	if content, err = s.Platform.EncryptConfiguration(ctx, s.Component, content); err != nil {
		return fmt.Errorf("nothing is stored, because the secrets cannot be encrypted: %w", err)
	}
	store, done := s.create, "configuration %s"
	if p.Configuration != "" {
		store, done = s.update, "configuration %s is updated"
	}
	stored, err := store(ctx, p, content, variables)
	if err != nil {
		if stored.variables != "" {
			err = fmt.Errorf("only the variable configuration %s was stored: %w", stored.variables, err)
		}
		return err
	}
	if s.JSON {
		return s.compact(stored.summary())
	}
	if stored.variables != "" {
		if err := s.line(s.Out, "variable "+done, stored.variables); err != nil {
			return err
		}
	}
	if p.Configuration != "" && stored.Version != "" {
		done += ", version " + stored.Version
	}
	if err := s.line(s.Out, done, stored.ID); err != nil || p.Configuration != "" {
		return err
	}
	return s.line(s.Progress, "update it with `extractor config push %s --config %s`", p.File, stored.ID)
}

func (p pushResult) summary() value.Value {
	result := value.OfMembers(member("id", p.ID), member("name", p.Name))
	if p.Version != "" {
		result = result.With("version", value.OfString(p.Version))
	}
	if p.variables != "" {
		result = result.With(config.VariablesID.Name, value.OfString(p.variables))
	}
	return result
}

// create stores a new configuration. If it fails after storing the variables, it returns
// their id with the error.
func (s *Session) create(ctx context.Context, p Push, content, variables value.Value) (stored pushResult, err error) {
	if p.Name == "" {
		p.Name = strings.TrimSuffix(filepath.Base(p.File), ".json")
	}
	if !variables.IsNull() {
		if stored.variables, err = s.createVariables(ctx, p, variables); err != nil {
			return stored, err
		}
		content = content.With(config.VariablesID.Name, value.OfString(stored.variables))
	}
	record, err := s.Platform.CreateConfiguration(ctx, s.Component, p.Name, content)
	if err != nil {
		return stored, adviseIfUncertain(err, "the configuration may be stored nevertheless: look with `extractor config list` before pushing it again")
	}
	stored.ID, stored.Name = record.ID, p.Name
	return stored, nil
}

func (s *Session) createVariables(ctx context.Context, p Push, content value.Value) (id string, err error) {
	stored, err := s.Platform.CreateConfiguration(ctx, p.VariablesComponent, p.Name+" variables", content)
	if err != nil {
		return "", adviseIfUncertain(err, "the variable configuration may be stored nevertheless, the configuration is not")
	}
	return stored.ID, nil
}

func (s *Session) update(ctx context.Context, p Push, content, variables value.Value) (stored pushResult, err error) {
	before, err := s.Platform.Configuration(ctx, s.Component, p.Configuration)
	if err != nil {
		return stored, err
	}
	content = linked(content, before.Content)
	if !variables.IsNull() {
		if stored.variables, err = s.updateVariables(ctx, p, before, variables); err != nil {
			return stored, err
		}
		content = content.With(config.VariablesID.Name, value.OfString(stored.variables))
	}
	if stored.Configuration, err = s.Platform.UpdateConfiguration(ctx, s.Component, p.Configuration, p.Name, content); err != nil {
		return stored, adviseIfUncertain(err, retryAdvice)
	}
	if stored.Name = p.Name; p.Name == "" {
		stored.Name = before.Name
	}
	return stored, nil
}

// retryAdvice is the advice after a failed update.
const retryAdvice = "it may be stored nevertheless: push it again, that does no harm"

// updateVariables stores a new version of a configuration's variables, or their first
// version.
func (s *Session) updateVariables(ctx context.Context, p Push, before platform.Configuration, content value.Value) (id string, err error) {
	id = before.Content.Field(config.VariablesID.Name).Text()
	if id == "" {
		if p.Name == "" {
			p.Name = before.Name
		}
		return s.createVariables(ctx, p, content)
	}
	if _, err := s.Platform.UpdateConfiguration(ctx, p.VariablesComponent, id, "", content); err != nil {
		return "", adviseIfUncertain(err, retryAdvice)
	}
	return id, nil
}

// linked returns a document with the stored links to its variables, unless the document has
// its own links: a file that was pushed with variables has none.
func linked(content, before value.Value) value.Value {
	if _, ok := content.Get(config.VariablesID.Name); ok {
		return content
	}
	for _, name := range []string{config.VariablesID.Name, config.VariablesValuesID.Name} {
		_, own := content.Get(name)
		if link, ok := before.Get(name); ok && !own {
			content = content.With(name, link)
		}
	}
	return content
}

// variables reads a variable configuration. It returns null if file is "".
func (s *Session) variables(file string) (value.Value, error) {
	if file == "" {
		return value.Value{}, nil
	}
	content, err := s.document(file)
	if err != nil {
		return value.Value{}, err
	}
	if err := checkVariables(content); err != nil {
		return value.Value{}, failure.Wrap(file, "", err)
	}
	return content, nil
}

// checkVariables requires {"variables": [{"name": …}, …]}.
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

func (s *Session) document(path string) (value.Value, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return value.Value{}, failure.Userf("cannot read the configuration: %w", err)
	}
	v, err := config.Parse(text)
	if err != nil {
		return value.Value{}, failure.Wrap(path, "", err)
	}
	variables.AddSecrets(s.Secrets, v, true)
	return v, nil
}
