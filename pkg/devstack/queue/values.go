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

// set is the values from one source, each name once.
type set struct {
	values []store.Variable
	// notice names the stored row that they come from; "" if they came with the
	// job.
	notice string
}

func (s *set) put(name, text string) {
	if i := slices.IndexFunc(s.values, func(v store.Variable) bool { return v.Name == name }); i >= 0 {
		s.values[i].Value = text
		return
	}
	s.values = append(s.values, store.Variable{Name: name, Value: text})
}

func (s *set) texts() map[string]string {
	texts := make(map[string]string, len(s.values))
	for _, v := range s.values {
		texts[v.Name] = v.Value
	}
	return texts
}

// valuesOf is the first set with any values: from the job, from the row that the
// job names, from the row that the configuration names. The rows are in the
// variables configuration that the document names.
func (q *Queue) valuesOf(job store.Job, doc value.Value) (set, error) {
	data, err := parse(job.VariableValuesData)
	if err != nil {
		return set{}, err
	}
	s, err := readValues(data, "Variable values are invalid")
	row := job.VariableValuesID
	switch {
	case err != nil:
		return set{}, err
	case len(s.values) > 0 && row != "":
		return set{}, failure.Userf("Only one of variableValuesId and variableValuesData can be entered.")
	case len(s.values) > 0:
		return s, nil
	}
	configuration, standard := doc.Field("variables_id").Raw(), doc.Field("variables_values_id").Raw()
	switch {
	case configuration == "":
		return set{}, nil
	case row != "":
		return q.storedValues(configuration, row, "Replacing variables using values with ID: %q.")
	case standard != "":
		return q.storedValues(configuration, standard, "Replacing variables using default values with ID: %q.")
	default:
		return set{}, nil
	}
}

func (q *Queue) storedValues(configuration, id, notice string) (set, error) {
	c, err := q.configuration(variables.DefaultComponent, configuration)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return set{}, err
	}
	row, found := c.Row(id)
	if !found {
		return set{}, failure.Userf(`Cannot read variable values "%s" of variables configuration "%s".`, id, configuration)
	}
	doc, err := parse(row.Configuration)
	if err != nil {
		return set{}, err
	}
	s, err := readValues(doc, "Variable values configuration is invalid")
	if err != nil {
		return set{}, err
	}
	s.notice = fmt.Sprintf(notice, id)
	return s, nil
}

// readValues reads {"values": [{"name": …, "value": …}]}. The last value of a name
// wins. Errors begin with the given text.
func readValues(data value.Value, invalid string) (set, error) {
	var s set
	if !composite(data) && !data.IsNull() {
		return s, failure.Userf("%s: an object is expected", invalid)
	}
	list := data.Field("values")
	if !composite(list) && !list.IsNull() {
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
