package queue

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// resolve replaces the variables of a document and returns their names. If there are no
// values and no variables configuration, placeholders stay.
func (q *Queue) resolve(doc value.Value, s variableValues) (value.Value, []string, error) {
	configuration := doc.Field("variables_id").Raw()
	if configuration == "" && len(s.values) == 0 {
		return doc, nil, nil
	}
	declared, err := q.declared(configuration)
	if err != nil {
		return doc, nil, err
	}
	if len(s.values) == 0 {
		return doc, nil, failure.Userf(`No variable values provided for variables configuration "%s".`, configuration)
	}
	texts := s.texts()
	for _, name := range declared {
		if _, found := texts[name]; !found {
			return doc, nil, failure.Userf(`No value provided for variable "%s".`, name)
		}
	}
	missing := slices.DeleteFunc(variables.Placeholders(doc), func(name string) bool {
		_, found := texts[name]
		return found
	})
	if len(missing) > 0 {
		return doc, nil, failure.Userf("Missing values for placeholders: %s", strings.Join(vaultFirst(missing), ", "))
	}
	return variables.Replace(doc, texts)
}

func (q *Queue) declared(id string) ([]string, error) {
	if id == "" {
		return nil, nil
	}
	c, err := q.configuration(variables.DefaultComponent, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, failure.Userf(`Variable configuration cannot be read: Configuration "%s" not found`, id)
	case err != nil:
		return nil, err
	}
	doc, err := parse(c.Configuration)
	if err != nil {
		return nil, err
	}
	names, err := readDeclarations(doc)
	if err != nil {
		return nil, failure.Userf("Variable configuration is invalid: %w", err)
	}
	return names, nil
}

// readDeclarations reads {"variables": [{"name": …, "type": …}]}.
func readDeclarations(doc value.Value) ([]string, error) {
	for _, m := range doc.Members() {
		if m.Name != "variables" {
			return nil, fmt.Errorf("unrecognized option %q", m.Name)
		}
	}
	list := doc.Field("variables")
	if !isComposite(list) && !list.IsNull() {
		return nil, errors.New(`"variables" must be a list`)
	}
	var names []string
	for i, item := range list.Items() {
		for _, m := range item.Members() {
			if m.Name != "name" && m.Name != "type" {
				return nil, fmt.Errorf(`unrecognized option %q under "variables.%d"`, m.Name, i)
			}
		}
		for _, key := range []string{"name", "type"} {
			if field := item.Field(key); field.Kind() != value.String || field.Raw() == "" {
				return nil, fmt.Errorf(`"variables.%d.%s" must be a text that is not empty`, i, key)
			}
		}
		names = append(names, item.Field("name").Raw())
	}
	return names, nil
}
