package platformapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

func jobMembers() []string {
	all := []string{"component", "config", "configData", "configRowIds", "mode", "tag", "variableValuesId", "variableValuesData", "branchId"}
	for _, extra := range jobExtras() {
		all = append(all, extra.name)
	}
	return all
}

// createJob stores a new job. The queue picks it up from the store.
func (s *server) createJob(r *http.Request) (response, error) {
	f := jsonFields(r)
	job := store.Job{
		Component: f.id("component"), Config: f.id("config"), ConfigData: s.configData(f),
		ConfigRowIDs: f.rowIDs(), Mode: f.mode(), Tag: f.text("tag"),
		VariableValuesID: f.text("variableValuesId"), VariableValuesData: f.variableValues(), Extra: f.extras(r),
	}
	f.branch()
	if err := s.checkJob(job, f); err != nil {
		return response{}, err
	}
	stored, err := s.Store.CreateJob(job)
	return s.responseJob(r, http.StatusCreated, stored, err)
}

func (s *server) checkJob(job store.Job, f *fields) error {
	switch {
	case f.err != nil:
		return f.err
	case job.Component == "":
		return invalid(`"component" is required`)
	case job.Config == "" && job.ConfigData == nil:
		return invalid(`Provide "config" or "configData"`)
	case job.VariableValuesID != "" && hasValues(job.VariableValuesData):
		return invalid(`Provide either "variableValuesId" or "variableValuesData", but not both.`)
	}
	stored, err := s.resolve(job)
	if err != nil {
		return err
	}
	rows := rowIDsOf(job.ConfigData)
	if job.ConfigData == nil {
		rows = nil
		for _, row := range stored.Rows {
			rows = append(rows, row.ID)
		}
	}
	for _, id := range job.ConfigRowIDs {
		if !slices.Contains(rows, id) {
			return invalid(unresolved+"Row %q of configuration %q not found", id, job.Config)
		}
	}
	return nil
}

// resolve returns the configuration of a job. If the job has configData, the configuration
// may be missing, because its id is then only a name. It must not be in the trash.
func (s *server) resolve(job store.Job) (store.Configuration, error) {
	if job.Config == "" {
		return store.Configuration{}, nil
	}
	c, err := s.Store.Configuration(job.Component, job.Config)
	switch {
	case errors.Is(err, store.ErrNotFound) && job.ConfigData != nil:
		return store.Configuration{}, nil
	case errors.Is(err, store.ErrNotFound):
		return c, invalid(unresolved+"Configuration %q of component %q not found", job.Config, job.Component)
	case err != nil:
		return c, err
	case c.IsDeleted:
		return c, invalid(unresolved+"Configuration %q of component %q is in the trash", job.Config, job.Component)
	case c.IsDisabled && job.ConfigData == nil && job.Mode != store.ForceRun:
		return c, invalid("Configuration %q of component %q is disabled.", job.Config, job.Component)
	}
	return c, nil
}

const unresolved = "Cannot resolve job parameters: "

func (s *server) showJob(r *http.Request) (response, error) {
	job, err := s.Store.Job(r.PathValue("job"))
	return s.responseJob(r, http.StatusOK, job, err)
}

// killJob requests the end of a job. A job that has not started ends immediately; the queue
// ends a running job.
func (s *server) killJob(r *http.Request) (response, error) {
	job, err := s.Store.UpdateJob(r.PathValue("job"), s.kill)
	return s.responseJob(r, http.StatusOK, job, err)
}

func (s *server) kill(job *store.Job) error {
	switch {
	case job.Status.Finished():
		return cannotKill(job, "statusTerminal")
	case job.Status == store.Terminating:
		return cannotKill(job, "statusTargetEqualsCurrent")
	}
	job.Kill = true
	if job.Status == store.Processing {
		return nil
	}
	if err := job.To(store.Terminating, s.Now()); err != nil {
		return err
	}
	job.Result = &store.Result{Message: "The job was cancelled before it started."}
	return job.To(store.Cancelled, s.Now())
}

func cannotKill(job *store.Job, why string) error {
	e := invalid("Job %q cannot be killed: its status is %q, not created, waiting or processing", job.ID, job.Status)
	e.context = map[string]string{"stringCode": why}
	return e
}

// responseJob responds with a job, or with the error of the store for the job that the path
// names.
func (s *server) responseJob(r *http.Request, status int, job store.Job, err error) (response, error) {
	if err != nil {
		return response{}, replaceError(err, store.ErrNotFound, notFound("notFound", "Job %q not found", r.PathValue("job")))
	}
	record, err := s.jobOf(r, job)
	return response{status: status, record: record}, err
}

// orRaw returns the text, or the fallback if the text is empty or null. The store returns
// nil as null.
func orRaw(text json.RawMessage, fallback string) json.RawMessage {
	if len(text) == 0 || string(text) == "null" {
		return json.RawMessage(fallback)
	}
	return text
}
