package page

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/authoring/report"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/queue"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/trial"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

func (s *site) tryPages() paths {
	return paths{
		"POST /configurations/{component}/{id}/try": s.startTry,
		"GET /tries/{id}":                        s.try,
		"GET /tries/{id}/stream":                 s.followTry,
		"POST /tries/{id}/cancel":                s.cancelTry,
		"GET /tries/{id}/requests/{number}":      s.tryRequest,
		"GET /tries/{id}/requests/{number}/body": s.tryBody,
	}
}

// tryPanel is what the editor shows to start a try, see the template try-panel. The
// fields of its form belong to the form of the editor.
type tryPanel struct {
	Component, Config string
	Limits            trial.Limits
	// Variables are those whose values can be given, with the values that count if none
	// are.
	Variables []variable
	// Off says that this platform runs no tries.
	Off bool
	// Last is the newest try, nil for none.
	Last *tryView
	// Problem is why the last one did not start.
	Problem string
}

// panel makes the panel of a configuration.
func (s *site) panel(component, id string) (tryPanel, error) {
	p := tryPanel{Component: component, Config: id, Limits: trial.DefaultLimits(), Off: s.Tries == nil}
	c, err := s.Store.Configuration(component, id)
	if err != nil {
		return p, err
	}
	declared, err := s.variables(c)
	if err != nil {
		return p, err
	}
	if declared != nil {
		p.Variables = declared.List
	}
	if p.Off {
		return p, nil
	}
	if all := s.Tries.Of(component, id); len(all) > 0 {
		p.Last, err = s.tryView(all[0], 0)
	}
	return p, err
}

// startTry starts a try of the text of the editor, and leads to it.
func (s *site) startTry(w http.ResponseWriter, r *http.Request) error {
	if s.Tries == nil {
		return store.ErrNotFound
	}
	if err := readForm(w, r); err != nil {
		return s.refuse(w, r, http.StatusBadRequest, err.Error())
	}
	e, err := s.edited(r.PathValue("component"), r.PathValue("id"), r.PostForm.Get("row"))
	if err != nil {
		return err
	}
	wanted, err := s.wantedTry(r, e)
	if err == nil {
		var t *trial.Try
		if t, err = s.Tries.Start(wanted); err == nil {
			info := t.Info()
			http.Redirect(w, r, s.session.path+tryURL(info.ID), http.StatusSeeOther)
			return nil
		}
	}
	switch {
	case errors.Is(err, trial.ErrBusy):
		return s.refuse(w, r, http.StatusTooManyRequests, err.Error())
	case failure.KindOf(err) == failure.User:
		return s.refuse(w, r, http.StatusUnprocessableEntity, err.Error())
	default:
		return err
	}
}

// wantedTry reads the form of the panel. Errors are user errors, or those of the store.
func (s *site) wantedTry(r *http.Request, e edited) (trial.Request, error) {
	c := e.Configuration
	wanted := trial.Request{Component: c.Component, Config: c.ID}
	text, err := s.restoreSecrets(r.Context(), c.Component, c.ID, []byte(r.PostForm.Get("document")))
	if err != nil {
		return wanted, err
	}
	if err := checkDocument(text); err != nil {
		return wanted, err
	}
	wanted.Document = e.whole(text)
	if wanted.Limits, err = limitsOf(r.PostForm); err != nil {
		return wanted, err
	}
	if from := r.PostForm.Get("replay"); from != "" {
		t, ok := s.Tries.Get(from)
		if !ok {
			return wanted, failure.Userf("The recording is not kept any more: try again with the API.")
		}
		if info := t.Info(); info.Component != c.Component || info.Config != c.ID {
			return wanted, failure.Userf("The recording belongs to another configuration.")
		}
		wanted.From = t
	}
	wanted.Values, err = s.valuesOf(r.PostForm, c)
	return wanted, err
}

// whole is the document that a job would run with a text of the editor: of a row on top of its
// configuration, of a configuration with rows below the first one.
func (e edited) whole(text []byte) []byte {
	switch {
	case e.Row != nil:
		return queue.RowDocument(fields(e.Configuration.Configuration), fields(text)).AppendJSON(nil)
	case len(e.Rows) > 0:
		return queue.RowDocument(fields(text), fields(e.Rows[0].Configuration)).AppendJSON(nil)
	default:
		return text
	}
}

// limitsOf reads the limits in a form; one that is missing has its default.
func limitsOf(form url.Values) (trial.Limits, error) {
	l := trial.DefaultLimits()
	var seconds, megabytes int
	for _, one := range []struct {
		name, what string
		to         *int
	}{{"sample", "The sample", &l.Sample}, {"requests", "The limit of requests", &l.Requests}, {"seconds", "The limit of time", &seconds}, {"megabytes", "The limit of data", &megabytes}} {
		text := form.Get("try-" + one.name)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			return l, failure.Userf("%s must be a whole number above 0, found %q.", one.what, text)
		}
		*one.to = n
	}
	if seconds > 0 {
		l.Time = time.Duration(min(seconds, 1e6)) * time.Second
	}
	if megabytes > 0 {
		l.Bytes = int64(min(megabytes, 1e6)) * 1e6
	}
	return l, l.Check()
}

// valuesOf are the values of variables in a form, with the stored ones for those that
// were left alone; nil if all were.
func (s *site) valuesOf(form url.Values, c store.Configuration) ([]store.Variable, error) {
	document := fields(c.Configuration)
	declared, err := s.Store.Configuration(variables.DefaultComponent, document.Field("variables_id").Raw())
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	stored := map[string]string{}
	if row, ok := declared.Row(document.Field("variables_values_id").Raw()); ok {
		for _, item := range fields(row.Configuration).Field("values").Items() {
			stored[item.Field("name").Raw()] = item.Field("value").Cell()
		}
	}
	var values []store.Variable
	changed := false
	for _, item := range fields(declared.Configuration).Field("variables").Items() {
		name := item.Field("name").Raw()
		had, known := stored[name]
		given := form.Get("variable." + name)
		if given != "" && (given != had || !known) {
			changed = true
		}
		if given != "" || known {
			values = append(values, store.Variable{Name: name, Value: cmp.Or(given, had)})
		}
	}
	if !changed {
		return nil, nil
	}
	return values, nil
}

// tryURL is the path of a try below the path of the session.
func tryURL(id string) string { return "/tries/" + url.PathEscape(id) }

// lookUp is the try of a request.
func (s *site) lookUp(r *http.Request) (*trial.Try, error) {
	if s.Tries == nil {
		return nil, store.ErrNotFound
	}
	t, ok := s.Tries.Get(r.PathValue("id"))
	if !ok {
		return nil, store.ErrNotFound
	}
	return t, nil
}

// tryView is a try as it is shown.
type tryView struct {
	trial.Info
	ConfigName string
	Elapsed    time.Duration
	// What follows is there when the try has ended.
	Report *report.Report
	Tables []tryTable
	Tree   *requestTree
}

// tryTable is the beginning of a table; Total is -1 if the number of rows is unknown.
type tryTable struct {
	trial.Table
	Total int
}

// Shown is the status in the words of jobs.
func (v tryView) Shown() store.Status {
	switch v.Status {
	case trial.Running:
		return store.Processing
	case trial.Success, trial.Limited:
		return store.Success
	case trial.Cancelled:
		return store.Cancelled
	default:
		return store.Error
	}
}

// Bad reports whether the try failed.
func (v tryView) Bad() bool { return v.Status == trial.Failed }

// Path is that of the try below the path of the session.
func (v tryView) Path() string { return tryURL(v.ID) }

// EditPath is that of the editor, at a place of the document.
func (v tryView) EditPath(pointer string) string { return editURL(v.Component, v.Config, pointer) }

// editURL is the path of the editor below the path of the session.
func editURL(component, id, pointer string) string {
	at := configurationPath(component, id) + "/edit"
	if pointer != "" {
		at += "?at=" + url.QueryEscape(pointer)
	}
	return at
}

// tryView reads what is known about a try. from is the first request of its tree to show.
func (s *site) tryView(t *trial.Try, from int) (*tryView, error) {
	info := t.Info()
	v := &tryView{Info: info, ConfigName: info.Config}
	if c, err := s.Store.Configuration(info.Component, info.Config); err == nil {
		v.ConfigName = cmp.Or(c.Name, info.Config)
	} else if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	if v.Running() {
		v.Elapsed = max(s.Now().Sub(info.Started), 0)
		return v, nil
	}
	v.Elapsed = info.Ended.Sub(info.Started)
	var err error
	if v.Report, err = t.Report(); err != nil {
		return nil, err
	}
	tables, err := t.Tables()
	if err != nil {
		return nil, err
	}
	for _, one := range tables {
		shown := tryTable{one, -1}
		if v.Report != nil {
			for _, counted := range v.Report.Tables {
				if counted.Table == one.Name {
					shown.Total = counted.Rows
				}
			}
		}
		v.Tables = append(v.Tables, shown)
	}
	index, err := t.Index()
	if err != nil {
		return nil, err
	}
	if index != nil {
		v.Tree = newRequestTree(index, v.Path(), from)
	}
	return v, nil
}

func (s *site) try(w http.ResponseWriter, r *http.Request) error {
	t, err := s.lookUp(r)
	if err != nil {
		return err
	}
	from, _ := strconv.Atoi(r.URL.Query().Get("from")) // anything else is the beginning
	v, err := s.tryView(t, from)
	if err != nil {
		return err
	}
	l := layout{Title: "Try of " + v.ConfigName + ": " + string(v.Shown()), Section: "overview", Assets: []string{"try.css", "try.js"}, Body: v}
	s.show(w, http.StatusOK, "try", l)
	return nil
}

func (s *site) cancelTry(w http.ResponseWriter, r *http.Request) error {
	t, err := s.lookUp(r)
	if err != nil {
		return err
	}
	t.Cancel()
	info := t.Info()
	http.Redirect(w, r, s.session.path+tryURL(info.ID), http.StatusSeeOther)
	return nil
}

// followTry sends the head of a running try when it changes, at most once per beat, and
// its result at the end.
func (s *site) followTry(w http.ResponseWriter, r *http.Request) error {
	t, err := s.lookUp(r)
	if err != nil {
		return err
	}
	out := newStream(w)
	if headOnly(r) {
		return nil
	}
	defer out.to.release()
	beats, stop := s.Ticker(beat)
	defer stop()
	sent := ""
	for {
		info := t.Info()
		if !info.Running() {
			return s.broken(r, s.sendTry(r.Context(), out, t))
		}
		v, err := s.tryView(t, 0)
		if err != nil {
			return s.broken(r, err)
		}
		html, err := s.fragment("try-live", v)
		if err != nil {
			return s.broken(r, err)
		}
		if html != sent {
			if out.send("replace", 0, html) != nil {
				return nil // the client has gone
			}
			sent = html
		} else if out.alive() != nil {
			return nil
		}
		select {
		case <-t.Done():
		case <-beats:
		case <-r.Context().Done():
			return nil
		case <-s.Done:
			return nil
		}
	}
}

// sendTry sends the result of a try that has ended.
func (s *site) sendTry(_ context.Context, out stream, t *trial.Try) error {
	v, err := s.tryView(t, 0)
	if err != nil {
		return err
	}
	html, err := s.fragment("try-result", v)
	if err != nil {
		return err
	}
	if err := out.send("replace", 0, html); err != nil {
		return err
	}
	return out.send("end", 0, "end")
}

// checkDocument refuses a text that is not JSON before anything is started.
func checkDocument(text []byte) error {
	if len(text) == 0 {
		return failure.Userf("There is no configuration to try: the editor is empty.")
	}
	if _, err := config.Parse(text); err != nil {
		return err
	}
	return nil
}

// Announcement is what a screen reader says when the status changes.
func (v tryView) Announcement() string {
	if v.Running() {
		return "The try is running."
	}
	return "The try has ended: " + string(v.Shown()) + "."
}

// maxProblems is how many problems of a configuration are listed.
const maxProblems = 100

// Problems are those of the configuration that the try failed with.
func (v tryView) Problems() []report.Problem {
	if v.Report == nil || v.Report.Error == nil {
		return nil
	}
	return v.Report.Error.Problems[:min(len(v.Report.Error.Problems), maxProblems)]
}

// FaultPointer is the setting that the try failed at, "" if it is in the message.
func (v tryView) FaultPointer() string {
	if v.Report == nil || v.Report.Error == nil {
		return ""
	}
	return v.Report.Error.Pointer
}

// Reason is the message without the setting, which is linked.
func (v tryView) Reason() string {
	return strings.TrimSuffix(v.Message, " (at "+v.FaultPointer()+")")
}
