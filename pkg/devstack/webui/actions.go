package webui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

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

func (s *site) kill(w http.ResponseWriter, r *http.Request, j store.Job) error {
	if err := s.call(r.Context(), http.MethodPost, "/queue/jobs/"+j.ID+"/kill", nil, nil); err != nil {
		return err
	}
	return s.goTo(w, r, jobURL(j.ID))
}

func (s *site) again(w http.ResponseWriter, r *http.Request, j store.Job) error {
	// The store returns null for a missing text.
	present := func(text json.RawMessage) json.RawMessage {
		if string(text) == "null" {
			return nil
		}
		return text
	}
	return s.createJob(w, r, newJob{
		Component: j.Component, Config: j.Config, ConfigData: present(j.ConfigData), ConfigRowIDs: j.ConfigRowIDs,
		Mode: j.Mode, Tag: j.Tag, VariableValuesID: j.VariableValuesID, VariableValuesData: present(j.VariableValuesData),
	})
}

// run creates a job for a configuration, with the values of variables in the form.
func (s *site) run(w http.ResponseWriter, r *http.Request, c store.Configuration) error {
	if err := readForm(r); err != nil {
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

func (s *site) createJob(w http.ResponseWriter, r *http.Request, job newJob) error {
	var made struct {
		ID string `json:"id"`
	}
	if err := s.call(r.Context(), http.MethodPost, "/queue/jobs", job, &made); err != nil {
		return err
	}
	return s.goTo(w, r, jobURL(made.ID))
}

func (s *site) goTo(w http.ResponseWriter, r *http.Request, path string) error {
	http.Redirect(w, r, s.session.path+path, http.StatusSeeOther)
	return nil
}

func runnable(c store.Configuration) bool {
	return c.Component != variables.DefaultComponent && !c.IsDeleted && !c.IsDisabled
}

type apiError struct {
	Status  int
	Message string
}

func (e *apiError) Error() string { return e.Message }

// call sends a request to the platform's APIs with the token of the web UI. It sends body
// as JSON unless body is nil, and decodes the response into result unless result is nil.
// A response with status 4xx or 5xx is returned as an *apiError.
func (s *site) call(ctx context.Context, method, path string, body, result any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if body == nil {
		text = nil
	}
	r, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	r.Header.Set("X-StorageApi-Token", s.Token)
	r.Header.Set("Content-Type", "application/json")
	a := &recorder{header: http.Header{}}
	s.API.ServeHTTP(a, r)
	if a.status >= http.StatusBadRequest {
		var said struct {
			Error string `json:"error"`
		}
		if json.Unmarshal(a.body.Bytes(), &said) != nil || said.Error == "" {
			said.Error = http.StatusText(a.status)
		}
		return &apiError{Status: a.status, Message: said.Error}
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(a.body.Bytes(), result); err != nil {
		return fmt.Errorf("reading the response to %s %s: %w", method, path, err)
	}
	return nil
}

// recorder is an http.ResponseWriter that keeps the response.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *recorder) Header() http.Header { return a.header }

func (a *recorder) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *recorder) Write(text []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(text)
}
