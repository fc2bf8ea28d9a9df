package queue

import (
	"errors"
	"fmt"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// variableValues holds the values of variables from one source, each name once.
type variableValues struct {
	values []store.Variable
	// notice names the stored row of the values. It is "" if the values came with the
	// job.
	notice string
}

func (s *variableValues) put(name, text string) {
	if i := slices.IndexFunc(s.values, func(v store.Variable) bool { return v.Name == name }); i >= 0 {
		s.values[i].Value = text
		return
	}
	s.values = append(s.values, store.Variable{Name: name, Value: text})
}

func (s *variableValues) texts() map[string]string {
	texts := make(map[string]string, len(s.values))
	for _, v := range s.values {
		texts[v.Name] = v.Value
	}
	return texts
}

// valuesOf returns the values of the first source that applies: the values in the job,
// the row that the job names, or the row that the document names. The rows are in the
// variables configuration that the document names.
func (q *Queue) valuesOf(job store.Job, doc value.Value) (variableValues, error) {
	data, err := parse(job.VariableValuesData)
	if err != nil {
		return variableValues{}, err
	}
	s, err := readValues(data, "Variable values are invalid")
	row := job.VariableValuesID
	switch {
	case err != nil:
		return variableValues{}, err
	case len(s.values) > 0 && row != "":
		return variableValues{}, failure.Userf("Only one of variableValuesId and variableValuesData can be entered.")
	case len(s.values) > 0:
		return s, nil
	}
	configuration, standard := doc.Field("variables_id").Raw(), doc.Field("variables_values_id").Raw()
	switch {
	case configuration == "":
		return variableValues{}, nil
	case row != "":
		return q.storedValues(configuration, row, "Replacing variables using values with ID: %q.")
	case standard != "":
		return q.storedValues(configuration, standard, "Replacing variables using default values with ID: %q.")
	default:
		return variableValues{}, nil
	}
}

func (q *Queue) storedValues(configuration, id, notice string) (variableValues, error) {
	c, err := q.configuration(variables.DefaultComponent, configuration)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return variableValues{}, err
	}
	row, found := c.Row(id)
	if !found {
		return variableValues{}, failure.Userf(`Cannot read variable values "%s" of variables configuration "%s".`, id, configuration)
	}
	doc, err := parse(row.Configuration)
	if err != nil {
		return variableValues{}, err
	}
	s, err := readValues(doc, "Variable values configuration is invalid")
	if err != nil {
		return variableValues{}, err
	}
	s.notice = fmt.Sprintf(notice, id)
	return s, nil
}

// readValues reads {"values": [{"name": …, "value": …}]}. The last value of a name wins.
// Errors about the format begin with invalid.
func readValues(data value.Value, invalid string) (variableValues, error) {
	var s variableValues
	if !isComposite(data) && !data.IsNull() {
		return s, failure.Userf("%s: an object is expected", invalid)
	}
	list := data.Field("values")
	if !isComposite(list) && !list.IsNull() {
		return s, failure.Userf(`%s: "values" must be a list`, invalid)
	}
	for i, item := range list.Items() {
		name, v := item.Field("name"), item.Field("value")
		switch {
		case name.Raw() == "":
			return s, failure.Userf("Variable name cannot be empty.")
		case !v.IsScalar():
			return s, failure.Userf(`%s: "values.%d.value" must be a string, a number or a boolean`, invalid, i)
		}
		s.put(name.Raw(), v.Cell())
	}
	return s, nil
}
