package webui

import (
	"encoding/json"
	"net/http"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// maxRunBytes is the size of the form that runs a configuration.
const maxRunBytes = 1 << 20

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
	values, err := s.givenValues(c, r.PostForm)
	if err != nil {
		return err
	}
	job.VariableValuesData = store.ValuesData(values)
	return s.createJob(w, r, job)
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

// runnable says that jobs can run a configuration.
func runnable(c store.Configuration) bool {
	return c.Component != variables.DefaultComponent && !c.IsDeleted && !c.IsDisabled
}
