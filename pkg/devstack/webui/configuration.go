package webui

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/value"
)

type configurationPage struct {
	store.Configuration
	// Sources are the documents of the configuration and its rows.
	Sources   []source
	Variables *variableList
	Jobs      jobList
	History   history
	// Fields are the variables in the form that runs the configuration.
	Fields []field
	Host   string
}

// variableList lists the variables of a configuration. Another configuration, named by
// Component and ID, declares them.
type variableList struct {
	Component, ID string
	// Missing is true if the declaring configuration does not exist.
	Missing bool
	List    []variable
}

// variable is a variable with its value. Given is false if it has no value. Secret hides
// the value.
type variable struct {
	Name, Type, Value string
	Given, Secret     bool
}

func (s *site) configuration(w http.ResponseWriter, r *http.Request, c store.Configuration) error {
	page := configurationPage{Configuration: c, Host: host(r)}
	var err error
	if page.Sources, err = s.sources(c, nil); err != nil {
		return err
	}
	if page.Variables, err = s.variables(c); err != nil {
		return err
	}
	var runs pastRuns
	if page.Jobs, err = s.jobs(r.Context(), func(j store.Job) bool {
		own := j.Component == c.Component && j.Config == c.ID
		if own {
			runs.add(j)
		}
		return own
	}); err != nil {
		return err
	}
	page.History = newHistory(runs)
	if page.Fields, err = s.formFields(c); err != nil {
		return err
	}
	return s.show(w, http.StatusOK, "configuration", layout{Title: cmp.Or(c.Name, "Configuration "+c.ID), Section: "overview", Body: page})
}

// sources returns the documents of a configuration: the configuration first, then its
// rows. If row ids are given, other rows are dropped. A single remaining row comes first,
// because its settings win.
func (s *site) sources(c store.Configuration, rowIDs []string) ([]source, error) {
	secret, err := s.secretNames(c)
	if err != nil {
		return nil, err
	}
	found := []source{{Title: "Configuration", Stored: true, Document: newDocument(c.Configuration, secret)}}
	for _, row := range c.Rows {
		if len(rowIDs) > 0 && !slices.Contains(rowIDs, row.ID) {
			continue
		}
		found = append(found, source{Title: cmp.Or(row.Name, "Row") + " (row " + row.ID + ")", Document: newDocument(row.Configuration, secret)})
	}
	if len(found) == 2 && len(rowIDs) > 0 {
		found[0], found[1] = found[1], found[0]
	}
	return found, nil
}

// variables returns the variables that are declared in the configuration that c names in
// variables_id. It returns nil if c names no configuration.
func (s *site) variables(c store.Configuration) (*variableList, error) {
	document := fields(c.Configuration)
	id := document.Field("variables_id").Raw()
	if id == "" {
		return nil, nil
	}
	found := &variableList{Component: variables.DefaultComponent, ID: id}
	declared, err := s.Store.Configuration(variables.DefaultComponent, id)
	if errors.Is(err, store.ErrNotFound) {
		found.Missing = true
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	secret, err := s.secretNames(declared)
	if err != nil {
		return nil, err
	}
	given := map[string]value.Value{}
	if row, ok := declared.Row(document.Field("variables_values_id").Raw()); ok {
		for _, item := range fields(row.Configuration).Field("values").Items() {
			given[item.Field("name").Raw()] = item.Field("value")
		}
	}
	for _, item := range fields(declared.Configuration).Field("variables").Items() {
		name := item.Field("name").Raw()
		v, ok := given[name]
		found.List = append(found.List, variable{
			Name:   name,
			Type:   item.Field("type").Raw(),
			Value:  v.Raw(),
			Given:  ok,
			Secret: secret[name] || isSecret(name),
		})
	}
	return found, nil
}

// secretNames returns the variables that are used below a key that begins with #, in the
// configuration or its rows. If the configuration declares variables, it also looks at
// all configurations that use them.
func (s *site) secretNames(c store.Configuration) (map[string]bool, error) {
	names := map[string]bool{}
	addSecretNames(c, names)
	if c.Component != variables.DefaultComponent {
		return names, nil
	}
	all, err := s.Store.Configurations("", false)
	if err != nil {
		return nil, err
	}
	for _, user := range all {
		if fields(user.Configuration).Field("variables_id").Raw() == c.ID {
			addSecretNames(user, names)
		}
	}
	return names, nil
}

func addSecretNames(c store.Configuration, names map[string]bool) {
	secretVariables(c.Configuration, names)
	for _, row := range c.Rows {
		secretVariables(row.Configuration, names)
	}
}
