package webui

import (
	"cmp"
	"net/url"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tryrun"
)

const valuePrefix = "value."

// field is a variable in a form that runs or tries a configuration.
type field struct {
	variable
	// Field is the name of the field.
	Field string
	// Text is the initial content of the field: the default value, or the value of the
	// last try or job. The field of a secret is empty.
	Text string
	// last is the value of the last try or job, or "".
	last string
}

// formFields returns the fields for the variables of a configuration.
func (s *site) formFields(c store.Configuration) ([]field, error) {
	list, err := s.formVariables(c)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	last, err := s.lastValues(c)
	if err != nil {
		return nil, err
	}
	var found []field
	for _, v := range list {
		f := field{variable: v, Field: valuePrefix + v.Name, Text: v.Value, last: last[v.Name]}
		if !v.Given {
			f.Text = f.last
		}
		if v.Secret {
			f.Text = ""
		}
		found = append(found, f)
	}
	return found, nil
}

// formVariables returns the variables of a configuration with their default values: first
// the declared variables, then the variables that it only uses.
func (s *site) formVariables(c store.Configuration) ([]variable, error) {
	var found []variable
	declared, err := s.variables(c)
	if err != nil {
		return nil, err
	}
	if declared != nil {
		found = declared.List
	}
	names := variables.Placeholders(fields(c.Configuration))
	for _, row := range c.Rows {
		names = append(names, variables.Placeholders(fields(row.Configuration))...)
	}
	secret, err := s.secretNames(c)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !slices.ContainsFunc(found, func(v variable) bool { return v.Name == name }) {
			found = append(found, variable{Name: name, Secret: secret[name] || isSecret(name)})
		}
	}
	return found, nil
}

// lastValues returns the newest value of each variable, from the tries of a configuration
// and its last job.
func (s *site) lastValues(c store.Configuration) (map[string]string, error) {
	var last store.Job
	seen := 0
	err := s.Store.Jobs(func(j store.Job) bool {
		seen++
		if j.Component != c.Component || j.Config != c.ID || j.Result == nil {
			return seen < searchedJobs
		}
		last = j
		return false
	})
	values := map[string]string{}
	add := func(list []store.Variable) {
		for _, v := range list {
			values[v.Name] = cmp.Or(values[v.Name], v.Value)
		}
	}
	var older []*tryrun.Try
	if s.Tries != nil {
		older = s.Tries.Of(c.Component, c.ID)
	}
	for ; len(older) > 0 && !older[0].Info().Started.Before(last.Started); older = older[1:] {
		add(older[0].Values())
	}
	if last.Result != nil {
		add(last.Result.Variables)
	}
	for _, t := range older {
		add(t.Values())
	}
	return values, err
}

// givenValues returns the values of a form, or nil if all of them are default values. The
// values of a job replace all default values, so variables with an empty field get their
// default value. The API takes no empty values. The field of a secret is empty unless
// someone entered a value.
func (s *site) givenValues(c store.Configuration, form url.Values) ([]store.Variable, error) {
	list, err := s.formVariables(c)
	if err != nil {
		return nil, err
	}
	var values []store.Variable
	changed := false
	for _, v := range list {
		text := form.Get(valuePrefix + v.Name)
		switch {
		case text != "" && !(v.Given && text == v.Value):
			values = append(values, store.Variable{Name: v.Name, Value: text})
			changed = true
		case v.Given:
			values = append(values, store.Variable{Name: v.Name, Value: v.Value})
		}
	}
	if !changed {
		return nil, nil
	}
	return values, nil
}

// knownValues returns the values of variables for the check of a text. A variable without
// a default value has the value of the last try or job.
func (s *site) knownValues(c store.Configuration) (variables.Inputs, error) {
	list, err := s.formFields(c)
	var known variables.Inputs
	for _, f := range list {
		if text := cmp.Or(f.Value, f.last); text != "" {
			known.Flags = append(known.Flags, variables.Assignment{Name: f.Name, Text: text})
		}
	}
	return known, err
}
