package webui

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
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
	Findings []finding
	// Lines are the jobs of the configuration.
	Lines     lines
	Events    eventList
	Requests  requestList
	Tables    []jobTable
	Variables []variable
}

// lines are the jobs of a configuration at a time.
type lines struct {
	Lines []lineView
	More  bool
	// Iterations, Parents and Waiting say that at least one has any.
	Iterations, Parents, Waiting bool
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
	// Counted is what it fetched, or has fetched so far; nil if unknown.
	Counted *store.Counted
}

// Killable says that someone may still request its end.
func (v jobView) Killable() bool {
	return !v.Kill && !v.Status.Finished() && v.Status != store.Terminating
}

// Programs are the names of what ran, without the directories.
func (v jobView) Programs() (names []string) {
	if v.Result == nil {
		return nil
	}
	for _, image := range v.Result.Images {
		if filepath.IsAbs(image) {
			image = filepath.Base(image)
		}
		if !slices.Contains(names, image) {
			names = append(names, image)
		}
	}
	return names
}

// Plain says that the message of the result says nothing that is not shown elsewhere.
func (v jobView) Plain() bool {
	return v.Status == store.Success && v.Counted != nil || v.Message() == ""
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
	// Rows is how many it had after the job, Now how many it has; Gone says that it was
	// deleted.
	Rows, Now int
	Gone      bool
}

func (s *site) job(w http.ResponseWriter, r *http.Request) error {
	j, err := s.Store.Job(r.PathValue("id"))
	if err != nil {
		return err
	}
	d, err := s.digest(r.Context(), j.ID)
	if err != nil {
		return err
	}
	page, err := s.jobPage(r, j, &d)
	if err != nil {
		return err
	}
	l := layout{Title: page.Job.Title(), Section: "overview", Body: page}
	if !j.Status.Finished() {
		q := page.Events.query()
		for _, list := range []listing{page.Events.listing, page.Requests.listing} {
			maps.Copy(q, list.query())
			if list.paged {
				q.Set(list.Prefix+"after", "0")
			}
		}
		q.Set("after", decimalID(d.after))
		l.Stream = jobURL(j.ID) + "/stream?" + q.Encode()
	}
	s.show(w, http.StatusOK, "job", l)
	return nil
}

func (s *site) jobPage(r *http.Request, j store.Job, d *digest) (page jobPage, err error) {
	if page.Job, err = s.viewOf(r.Context(), j); err != nil {
		return page, err
	}
	page.Findings, page.Lines = d.findings, s.lines(d, j)
	if page.Events, err = s.eventList(r, j.ID, d); err != nil {
		return page, err
	}
	if page.Requests, err = s.requestList(r, j.ID, d); err != nil {
		return page, err
	}
	if page.Fault, err = s.fault(j, d.faults); err != nil {
		return page, err
	}
	if page.Tables, err = s.jobTables(j); err != nil {
		return page, err
	}
	page.Variables, err = s.jobVariables(j)
	return page, err
}

func (s *site) lines(d *digest, j store.Job) lines {
	l := lines{Lines: d.progress.views(s.Now(), !j.Status.Finished()), More: d.progress.More}
	for _, v := range l.Lines {
		l.Iterations = l.Iterations || v.Iteration != ""
		l.Parents = l.Parents || v.Parents > 0
		l.Waiting = l.Waiting || v.Running
	}
	return l
}

// viewOf looks up what else is known about a job.
func (s *site) viewOf(ctx context.Context, j store.Job) (jobView, error) {
	v := jobView{Job: j, ConfigName: j.Config}
	switch {
	case j.Ended.IsZero() && !j.Started.IsZero():
		v.Elapsed = max(s.Now().Sub(j.Started), 0)
	case !j.Started.IsZero():
		v.Elapsed = j.Ended.Sub(j.Started)
	}
	switch {
	case j.Result != nil && j.Result.Counted != nil:
		v.Counted = j.Result.Counted
	case !j.Status.Finished() && !j.Started.IsZero():
		d, err := s.digest(ctx, j.ID)
		if err != nil {
			return v, err
		}
		v.Counted = &store.Counted{Rows: d.rows(), Tables: d.tables, Requests: d.sent, Bytes: d.bytes}
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
	f.Component, f.Config = c.Component, c.ID
	f.Outdated = j.Result != nil && j.Result.ConfigVersion != "" && j.Result.ConfigVersion != fmt.Sprint(c.Version)
	return f, nil
}

func (s *site) jobTables(j store.Job) ([]jobTable, error) {
	if j.Result == nil {
		return nil, nil
	}
	var found []jobTable
	for i, id := range j.Result.Tables {
		t, err := s.Store.Table(id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		shown := jobTable{ID: id, Rows: t.Rows, Gone: err != nil, Now: t.Rows}
		if i < len(j.Result.Loaded) {
			shown.Rows = j.Result.Loaded[i].Rows
		}
		found = append(found, shown)
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
