package webui

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/authoring/report"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tryrun"
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
	Limits            tryrun.Limits
	// Fields are the variables of the configuration.
	Fields []field
	// Off says that this platform runs no tries.
	Off bool
	// Last is the newest try, nil for none.
	Last *tryView
	// Problem is why the last one did not start.
	Problem string
}

// Open reports whether someone must enter a value before a try can succeed.
func (p tryPanel) Open() bool { return slices.ContainsFunc(p.Fields, field.Empty) }

// panel makes the panel of a configuration.
func (s *site) panel(component, id string) (tryPanel, error) {
	p := tryPanel{Component: component, Config: id, Limits: tryrun.DefaultLimits(), Off: s.Tries == nil}
	c, err := s.Store.Configuration(component, id)
	if err != nil {
		return p, err
	}
	if p.Off {
		return p, nil
	}
	if p.Fields, err = s.formFields(c); err != nil {
		return p, err
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
		var t *tryrun.Try
		if t, err = s.Tries.Start(wanted); err == nil {
			info := t.Info()
			http.Redirect(w, r, s.session.path+tryURL(info.ID), http.StatusSeeOther)
			return nil
		}
	}
	switch {
	case errors.Is(err, tryrun.ErrBusy):
		return s.refuse(w, r, http.StatusTooManyRequests, err.Error())
	case failure.KindOf(err) == failure.User:
		return s.refuse(w, r, http.StatusUnprocessableEntity, err.Error())
	default:
		return err
	}
}

// tryURL is the path of a try below the path of the session.
func tryURL(id string) string { return "/tries/" + url.PathEscape(id) }

// lookUp is the try of a request.
func (s *site) lookUp(r *http.Request) (*tryrun.Try, error) {
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
	tryrun.State
	ConfigName string
	Elapsed    time.Duration
	// What follows is there when the try has ended.
	Report *report.Report
	Tables []tryTable
	Tree   *requestTree
}

// tryTable is the beginning of a table; Total is -1 if the number of rows is unknown.
type tryTable struct {
	tryrun.Table
	Total int
}

// Shown is the status in the words of jobs.
func (v tryView) Shown() store.Status {
	switch v.Status {
	case tryrun.Running:
		return store.Processing
	case tryrun.Success, tryrun.Limited:
		return store.Success
	case tryrun.Cancelled:
		return store.Cancelled
	default:
		return store.Error
	}
}

// Bad reports whether the try failed.
func (v tryView) Bad() bool { return v.Status == tryrun.Failed }

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
func (s *site) tryView(t *tryrun.Try, from int) (*tryView, error) {
	info := t.Info()
	v := &tryView{State: info, ConfigName: info.Config}
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
