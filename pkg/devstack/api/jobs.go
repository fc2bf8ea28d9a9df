package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// createJob stores a new job, for whoever runs it to find.
func (s *server) createJob(r *http.Request) (answer, error) {
	f := jsonFields(r)
	job := store.Job{
		Component: f.id("component"), Config: f.id("config"), ConfigData: f.configData(),
		ConfigRowIDs: f.rowIDs(), Mode: f.mode(), Tag: f.text("tag"),
		VariableValuesID: f.text("variableValuesId"), VariableValuesData: f.variableValues(), Extra: f.extra(r),
	}
	f.branch()
	if err := s.checkJob(job, f); err != nil {
		return answer{}, err
	}
	stored, err := s.store.CreateJob(job)
	if err != nil {
		return answer{}, err
	}
	return s.answerJob(r, http.StatusCreated, stored)
}

func (s *server) checkJob(job store.Job, f *fields) error {
	switch {
	case f.err != nil:
		return f.err
	case job.Component == "":
		return invalid(`"component" is required`)
	case job.Config == "" && job.ConfigData == nil:
		return invalid(`Provide "config" or "configData"`)
	case job.VariableValuesID != "" && givenValues(job.VariableValuesData):
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
			return unresolved("Row %q of configuration %q not found", id, job.Config)
		}
	}
	return nil
}

// resolve finds the configuration of a job. With configData it may be missing,
// for then its id is just a name; but not lie in the trash.
func (s *server) resolve(job store.Job) (store.Configuration, error) {
	if job.Config == "" {
		return store.Configuration{}, nil
	}
	c, err := s.store.Configuration(job.Component, job.Config)
	switch {
	case errors.Is(err, store.ErrNotFound) && job.ConfigData != nil:
		return store.Configuration{}, nil
	case errors.Is(err, store.ErrNotFound):
		return c, unresolved("Configuration %q of component %q not found", job.Config, job.Component)
	case err != nil:
		return c, err
	case c.IsDeleted:
		return c, unresolved("Configuration %q of component %q lies in the trash", job.Config, job.Component)
	case c.IsDisabled && job.ConfigData == nil && job.Mode != store.ForceRun:
		return c, invalid("Configuration %q of component %q is disabled.", job.Config, job.Component)
	}
	return c, nil
}

func unresolved(format string, args ...any) error {
	return invalid("Cannot resolve job parameters: %s", fmt.Sprintf(format, args...))
}

func (s *server) showJob(r *http.Request) (answer, error) {
	id := r.PathValue("job")
	job, err := s.store.Job(id)
	if err = instead(err, store.ErrNotFound, noJob(id)); err != nil {
		return answer{}, err
	}
	return s.answerJob(r, http.StatusOK, job)
}

func noJob(id string) *refusal { return notFound("notFound", "Job %q not found", id) }

// killJob tells a job to end. One that has not started ends here; any other is
// ended by whoever runs it.
func (s *server) killJob(r *http.Request) (answer, error) {
	id := r.PathValue("job")
	job, err := s.store.UpdateJob(id, s.kill)
	if err = instead(err, store.ErrNotFound, noJob(id)); err != nil {
		return answer{}, err
	}
	return s.answerJob(r, http.StatusOK, job)
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
	if err := job.To(store.Terminating, s.now()); err != nil {
		return err
	}
	job.Result = &store.Result{Message: "The job was cancelled before it started."}
	return job.To(store.Cancelled, s.now())
}

func cannotKill(job *store.Job, why string) error {
	e := invalid("Job %q cannot be killed: its status is %q, not created, waiting or processing", job.ID, job.Status)
	e.context = map[string]string{"stringCode": why}
	return e
}

func (s *server) answerJob(r *http.Request, status int, job store.Job) (answer, error) {
	record, err := s.jobOf(r, job)
	return answer{status: status, record: record}, err
}

// orRaw is the text, or else a JSON literal. What was nil comes back from the
// store as null.
func orRaw(text json.RawMessage, fallback string) json.RawMessage {
	if len(text) == 0 || string(text) == "null" {
		return json.RawMessage(fallback)
	}
	return text
}
