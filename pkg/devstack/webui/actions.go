package webui

import (
	"encoding/json"
	"net/http"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// maxRunBytes is the maximum size, in bytes, of the form that runs a configuration.
const maxRunBytes = 1 << 20

// newJob is the body of a request to the queue API that creates a job.
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

// present returns a JSON text, or nil if it is null. The store returns null for a missing
// text.
func present(text json.RawMessage) json.RawMessage {
	if string(text) == "null" {
		return nil
	}
	return text
}

// run creates a job for a configuration, with the values of variables in the form.
func (s *site) run(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxRunBytes)
	if err := r.ParseForm(); err != nil {
		return &apiError{Status: http.StatusBadRequest, Message: "Cannot read the form."}
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

// createJob creates a job and redirects to its page.
func (s *site) createJob(w http.ResponseWriter, r *http.Request, job newJob) error {
	var made struct {
		ID string `json:"id"`
	}
	if err := s.call(r.Context(), http.MethodPost, "/queue/jobs", job, &made); err != nil {
		return err
	}
	return s.goTo(w, r, jobURL(made.ID))
}

// goTo redirects to another page after a change.
func (s *site) goTo(w http.ResponseWriter, r *http.Request, path string) error {
	http.Redirect(w, r, s.session.path+path, http.StatusSeeOther)
	return nil
}

// runnable reports whether jobs can run a configuration.
func runnable(c store.Configuration) bool {
	return c.Component != variables.DefaultComponent && !c.IsDeleted && !c.IsDisabled
}
