package page

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/value"
)

type jobPage struct {
	Job jobView
	// Fault is nil unless the job failed.
	Fault *fault
	// Findings say which data may be missing. They are listed if the job is
	// incomplete.
	Findings  []finding
	Events    []eventLine
	Earlier   int
	Types     []string
	Requests  *waterfall
	Tables    []jobTable
	Variables []variable
}

// jobView is a job with what the store knows about it elsewhere.
type jobView struct {
	store.Job
	// ConfigName is the name of its configuration, or its id if it has no name.
	ConfigName string
	// Known says that the configuration exists.
	Known bool
	// Elapsed is how long the job took, or has taken so far.
	Elapsed time.Duration
}

// Title is the job and its state.
func (v jobView) Title() string {
	title := fmt.Sprintf("Job %s: %s", v.ID, v.Status)
	if incomplete(v.Job) {
		title += ", incomplete"
	}
	return title
}

// Message is the message of the result, "" before the end.
func (v jobView) Message() string {
	if v.Result == nil {
		return ""
	}
	return v.Result.Message
}

type jobTable struct {
	ID string
	// Rows is how many it has now; Gone says that it was deleted.
	Rows int
	Gone bool
}

func (s *site) job(w http.ResponseWriter, r *http.Request) error {
	j, err := s.Store.Job(r.PathValue("id"))
	if err != nil {
		return err
	}
	var d digest
	if err := s.Store.EventsOf(j.ID, 0, func(e store.Event) bool {
		d.add(e)
		return r.Context().Err() == nil
	}); err != nil {
		return err
	}
	page, err := s.jobPage(j, &d)
	if err != nil {
		return err
	}
	l := layout{Title: page.Job.Title(), Section: "overview", Body: page}
	if !j.Status.Finished() {
		l.Stream = fmt.Sprintf("%s/stream?after=%d", jobURL(j.ID), d.after)
	}
	s.show(w, http.StatusOK, "job", l)
	return nil
}

func (s *site) jobPage(j store.Job, d *digest) (jobPage, error) {
	view, err := s.viewOf(j)
	if err != nil {
		return jobPage{}, err
	}
	page := jobPage{Job: view, Findings: d.findings, Events: d.events(), Earlier: d.earlier(), Types: eventTypes(), Requests: &d.requests}
	if page.Fault, err = s.fault(j, d.faults); err != nil {
		return page, err
	}
	if page.Tables, err = s.jobTables(j); err != nil {
		return page, err
	}
	page.Variables, err = s.jobVariables(j)
	return page, err
}

// viewOf looks up what else is known about a job.
func (s *site) viewOf(j store.Job) (jobView, error) {
	v := jobView{Job: j, ConfigName: j.Config}
	switch {
	case j.Ended.IsZero() && !j.Started.IsZero():
		v.Elapsed = max(s.Now().Sub(j.Started), 0)
	case !j.Started.IsZero():
		v.Elapsed = j.Ended.Sub(j.Started)
	}
	if j.Config == "" {
		return v, nil
	}
	c, err := s.Store.Configuration(j.Component, j.Config)
	if errors.Is(err, store.ErrNotFound) {
		return v, nil
	}
	v.Known, v.ConfigName = true, cmp.Or(c.Name, j.Config)
	return v, err
}

// fault is why a job failed, nil if it did not.
func (s *site) fault(j store.Job, found []note) (*fault, error) {
	if j.Status != store.Error {
		return nil, nil
	}
	if fields(j.ConfigData).Kind() == value.Object {
		secret := map[string]bool{}
		secretVariables(j.ConfigData, secret)
		return newFault(j, found, []source{{Title: "Configuration given with the job", Document: newDocument(j.ConfigData, secret)}}), nil
	}
	c, err := s.Store.Configuration(j.Component, j.Config)
	if errors.Is(err, store.ErrNotFound) {
		return newFault(j, found, nil), nil
	}
	if err != nil {
		return nil, err
	}
	sources, err := s.sources(c, j.ConfigRowIDs)
	if err != nil {
		return nil, err
	}
	f := newFault(j, found, sources)
	f.Outdated = j.Result != nil && j.Result.ConfigVersion != "" && j.Result.ConfigVersion != fmt.Sprint(c.Version)
	return f, nil
}

func (s *site) jobTables(j store.Job) ([]jobTable, error) {
	if j.Result == nil {
		return nil, nil
	}
	var found []jobTable
	for _, id := range j.Result.Tables {
		t, err := s.Store.Table(id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		found = append(found, jobTable{ID: id, Rows: t.Rows, Gone: err != nil})
	}
	return found, nil
}

// jobVariables are the values that a job ran with, secrets hidden.
func (s *site) jobVariables(j store.Job) ([]variable, error) {
	if j.Result == nil {
		return nil, nil
	}
	secret := map[string]bool{}
	secretVariables(j.ConfigData, secret)
	c, err := s.Store.Configuration(j.Component, j.Config)
	if err == nil {
		var stored map[string]bool
		if stored, err = s.secretNames(c); err != nil {
			return nil, err
		}
		maps.Copy(secret, stored)
	} else if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	var found []variable
	for _, v := range j.Result.Variables {
		found = append(found, variable{Name: v.Name, Value: v.Value, Given: true, Secret: secret[v.Name] || isSecret(v.Name)})
	}
	return found, nil
}

// eventLog writes all events of a job as JSON lines.
func (s *site) eventLog(w http.ResponseWriter, r *http.Request) error {
	j, err := s.Store.Job(r.PathValue("id"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	to := newPatient(w)
	defer to.release()
	out := bufio.NewWriter(to)
	var last uint64
	for {
		batch, next, err := s.eventsAfter(r.Context(), j.ID, last)
		if err != nil {
			return s.broken(r, err)
		}
		if len(batch) == 0 {
			return s.broken(r, out.Flush())
		}
		for _, e := range batch {
			record := value.OfMembers(
				value.Member{Name: "time", Value: value.OfString(e.Created.UTC().Format(time.RFC3339Nano))},
				value.Member{Name: "type", Value: value.OfString(e.Type)},
				value.Member{Name: "message", Value: value.OfString(e.Message)},
				value.Member{Name: "fields", Value: conceal(fields(e.Results), nil)},
			)
			if _, err := out.Write(append(record.AppendJSON(nil), '\n')); err != nil {
				return s.broken(r, err)
			}
		}
		last = next
	}
}
