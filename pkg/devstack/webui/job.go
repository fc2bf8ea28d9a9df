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
	// Findings are the warnings that data may be missing. The page lists them if the job
	// is incomplete.
	Findings []finding
	// Lines shows the progress of the jobs of the configuration.
	Lines    lines
	Events   eventList
	Requests requestList
	Tables   []jobTable
	// Stored is the number of files that the job stored.
	Stored    int
	Variables []variable
}

// lines shows the progress of the jobs of a configuration.
type lines struct {
	Lines []lineView
	More  bool
	// Iterations, Parents and Waiting are true if at least one line has an iteration, has
	// parents, or is running. They decide which columns are shown.
	Iterations, Parents, Waiting bool
}

// jobView is a job with related data from the store.
type jobView struct {
	store.Job
	// ConfigName is the name of the configuration, or its id if it has no name.
	ConfigName string
	// Known is true if the configuration exists.
	Known bool
	// Elapsed is the duration of the job so far.
	Elapsed time.Duration
	// Counted holds the totals of the job so far, or is nil if they are unknown.
	Counted *store.Counted
	// Title is the number of the job and its status.
	Title string
	// Killable is true if the end of the job can still be requested.
	Killable bool
	// Message is the message of the result, or "" before the end. Plain is true if the
	// message can be omitted, because it is empty or the page already shows its content.
	Message string
	Plain   bool
	// Programs are the names of the programs or images that ran, without directories.
	Programs []string
}

type jobTable struct {
	ID string
	// Rows is the number of rows after the job, Now the current number. Gone is true if
	// the table was deleted.
	Rows, Now int
	Gone      bool
}

func (s *site) job(w http.ResponseWriter, r *http.Request, j store.Job) error {
	d, err := s.digest(r.Context(), j.ID)
	if err != nil {
		return err
	}
	page, err := s.jobPage(r, j, &d)
	if err != nil {
		return err
	}
	l := layout{Title: page.Job.Title, Section: "overview", Body: page}
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
	return s.show(w, http.StatusOK, "job", l)
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
	if j.Result != nil {
		page.Stored = j.Result.Files
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

// viewOf adds related data from the store to a job.
func (s *site) viewOf(ctx context.Context, j store.Job) (jobView, error) {
	v := jobView{Job: j, ConfigName: j.Config, Title: fmt.Sprintf("Job %s: %s", j.ID, j.Status)}
	if incomplete(j) {
		v.Title += ", incomplete"
	}
	v.Killable = !j.Kill && !j.Status.Finished() && j.Status != store.Terminating
	if j.Result != nil {
		v.Message = j.Result.Message
		for _, image := range j.Result.Images {
			if filepath.IsAbs(image) {
				image = filepath.Base(image)
			}
			if !slices.Contains(v.Programs, image) {
				v.Programs = append(v.Programs, image)
			}
		}
	}
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
	v.Plain = v.Status == store.Success && v.Counted != nil || v.Message == ""
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

// fault returns why a job failed, or nil if it did not fail.
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

// jobVariables returns the values of variables that a job ran with. Secret values are
// marked.
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
func (s *site) eventLog(w http.ResponseWriter, r *http.Request, j store.Job) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	to := newDeadlineWriter(w)
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
				value.Member{Name: "fields", Value: maskSecrets(fields(e.Results), nil)},
			)
			if _, err := out.Write(append(record.AppendJSON(nil), '\n')); err != nil {
				return s.broken(r, err)
			}
		}
		last = next
	}
}
