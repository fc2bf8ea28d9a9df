package page

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

const (
	// maxRunBytes is the size of the form that runs a configuration.
	maxRunBytes = 1 << 20
	// valuePrefix begins the names of the fields with values of variables.
	valuePrefix = "value."
)

// newJob is a job for the API of the queue.
type newJob struct {
	Component          string          `json:"component"`
	Config             string          `json:"config,omitempty"`
	ConfigData         json.RawMessage `json:"configData,omitempty"`
	ConfigRowIDs       []string        `json:"configRowIds,omitempty"`
	Mode               string          `json:"mode,omitempty"`
	Tag                string          `json:"tag,omitempty"`
	VariableValuesID   string          `json:"variableValuesId,omitempty"`
	VariableValuesData json.RawMessage `json:"variableValuesData,omitempty"`
}

// kill requests the end of a job.
func (s *site) kill(w http.ResponseWriter, r *http.Request) error {
	j, err := s.Store.Job(r.PathValue("id"))
	if err != nil {
		return err
	}
	if err := s.call(r.Context(), http.MethodPost, "/queue/jobs/"+j.ID+"/kill", nil, nil); err != nil {
		return err
	}
	return s.goTo(w, r, jobURL(j.ID))
}

// again runs a job once more, with the same values of variables.
func (s *site) again(w http.ResponseWriter, r *http.Request) error {
	j, err := s.Store.Job(r.PathValue("id"))
	if err != nil {
		return err
	}
	return s.createJob(w, r, newJob{
		Component: j.Component, Config: j.Config, ConfigData: present(j.ConfigData), ConfigRowIDs: j.ConfigRowIDs,
		Mode: j.Mode, Tag: j.Tag, VariableValuesID: j.VariableValuesID, VariableValuesData: present(j.VariableValuesData),
	})
}

// present is a JSON text; nil if it is null, which the store returns for none.
func present(text json.RawMessage) json.RawMessage {
	if string(text) == "null" {
		return nil
	}
	return text
}

// run runs a configuration, with the values of variables in the form.
func (s *site) run(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxRunBytes)
	if err := r.ParseForm(); err != nil {
		return &refused{Status: http.StatusBadRequest, Message: "The form cannot be read."}
	}
	c, err := s.Store.Configuration(r.PathValue("component"), r.PathValue("id"))
	if err != nil {
		return err
	}
	job := newJob{Component: c.Component, Config: c.ID}
	if r.PostForm.Has("debug") {
		job.Mode = store.Debug
	}
	if job.VariableValuesData, err = s.givenValues(c, r.PostForm); err != nil {
		return err
	}
	return s.createJob(w, r, job)
}

// givenValues are the values of the form, and the default values of the variables that
// it leaves alone, because values that come with a job replace all others; nil if the
// form changes none. An empty field is left alone: the API takes no empty values, and the
// field of a secret is empty unless someone entered a value.
func (s *site) givenValues(c store.Configuration, form map[string][]string) (json.RawMessage, error) {
	list, err := s.formVariables(c)
	if err != nil {
		return nil, err
	}
	type item struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	var values []item
	changed := false
	for _, v := range list {
		text, inForm := "", false
		if given := form[valuePrefix+v.Name]; len(given) > 0 {
			text, inForm = given[0], true
		}
		switch {
		case inForm && text != "" && !(v.Given && text == v.Value):
			values = append(values, item{v.Name, text})
			changed = true
		case v.Given:
			values = append(values, item{v.Name, v.Value})
		}
	}
	if !changed {
		return nil, nil
	}
	return json.Marshal(map[string]any{"values": values})
}

// createJob makes a job and shows it.
func (s *site) createJob(w http.ResponseWriter, r *http.Request, job newJob) error {
	var made struct {
		ID string `json:"id"`
	}
	if err := s.call(r.Context(), http.MethodPost, "/queue/jobs", job, &made); err != nil {
		return err
	}
	return s.goTo(w, r, jobURL(made.ID))
}

// goTo shows another page after a change.
func (s *site) goTo(w http.ResponseWriter, r *http.Request, path string) error {
	http.Redirect(w, r, s.session.path+path, http.StatusSeeOther)
	return nil
}

// formVariables are the variables of a configuration with their default values: those
// that are declared, then those that it only uses.
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

// field is a variable in the form that runs a configuration.
type field struct {
	variable
	// Text is what the field has at first: the default value, or that of the last job.
	Text string
}

// Field is the name of the field.
func (f field) Field() string { return valuePrefix + f.Name }

// runFields are the fields of the form. last is the newest job, if there is one.
func (s *site) runFields(c store.Configuration, last *store.Job) ([]field, error) {
	list, err := s.formVariables(c)
	if err != nil {
		return nil, err
	}
	var found []field
	for _, v := range list {
		f := field{variable: v, Text: v.Value}
		if !v.Given && last != nil && last.Result != nil {
			for _, given := range last.Result.Variables {
				if given.Name == v.Name {
					f.Text = given.Value
				}
			}
		}
		if v.Secret {
			f.Text = ""
		}
		found = append(found, f)
	}
	return found, nil
}

// runnable says that jobs can run a configuration.
func runnable(c store.Configuration) bool {
	return c.Component != variables.DefaultComponent && !c.IsDeleted && !c.IsDisabled
}
