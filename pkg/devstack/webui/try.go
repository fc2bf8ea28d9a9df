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

// tryPanel is the panel for tries in the editor, see the template try-panel. The fields
// of its form belong to the form of the editor.
type tryPanel struct {
	Component, Config string
	Limits            tryrun.Limits
	// Fields are the variables of the configuration.
	Fields []field
	// Off is true if this platform runs no tries.
	Off bool
	// Last is the newest try, or nil.
	Last *tryView
	// Problem is the reason why the last try did not start.
	Problem string
}

// Open reports whether someone must enter a value before a try can succeed.
func (p tryPanel) Open() bool { return slices.ContainsFunc(p.Fields, field.Empty) }

// panel returns the panel of a configuration.
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

// startTry starts a try of the text in the editor and redirects to its page.
func (s *site) startTry(w http.ResponseWriter, r *http.Request) error {
	if s.Tries == nil {
		return store.ErrNotFound
	}
	if err := readForm(w, r); err != nil {
		return s.refuse(w, r, http.StatusBadRequest, err.Error())
	}
	e, err := s.findTarget(r.PathValue("component"), r.PathValue("id"), r.PostForm.Get("row"))
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
	case errors.Is(err, tryrun.ErrClosed):
		return s.refuse(w, r, http.StatusServiceUnavailable, err.Error())
	case failure.KindOf(err) == failure.User:
		return s.refuse(w, r, http.StatusUnprocessableEntity, err.Error())
	default:
		return err
	}
}

// tryURL returns the path of a try, below the path of the session.
func tryURL(id string) string { return "/tries/" + url.PathEscape(id) }

// lookUp returns the try that the path of r names.
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

// tryView is a try with data from its files.
type tryView struct {
	tryrun.State
	ConfigName string
	Elapsed    time.Duration
	// Report, Tables and Tree are set when the try has ended.
	Report *report.Report
	Tables []tryTable
	Tree   *requestTree
}

// tryTable holds the first rows of a table. Total is the number of rows, or -1 if
// unknown.
type tryTable struct {
	tryrun.Table
	Total int
}

// Shown returns the job status that corresponds to the status of the try.
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

// Path returns the path of the try, below the path of the session.
func (v tryView) Path() string { return tryURL(v.ID) }

// EditPath returns the path of the editor, scrolled to the value at pointer.
func (v tryView) EditPath(pointer string) string { return editURL(v.Component, v.Config, pointer) }

// editURL returns the path of the editor, below the path of the session.
func editURL(component, id, pointer string) string {
	at := configurationPath(component, id) + "/edit"
	if pointer != "" {
		at += "?at=" + url.QueryEscape(pointer)
	}
	return at
}

// tryView reads a try from its files. from is the index of the first request in its tree
// to show.
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
	from, _ := strconv.Atoi(r.URL.Query().Get("from")) // invalid values become 0
	v, err := s.tryView(t, from)
	if err != nil {
		return err
	}
	l := layout{Title: "Try of " + v.ConfigName + ": " + string(v.Shown()), Section: "overview", Assets: []string{"try.css", "try.js"}, Body: v}
	s.show(w, http.StatusOK, "try", l)
	return nil
}

// Announcement returns the text that a screen reader speaks when the status changes.
func (v tryView) Announcement() string {
	if v.Running() {
		return "The try is running."
	}
	return "The try has ended: " + string(v.Shown()) + "."
}

// maxProblems is the maximum number of problems that are listed.
const maxProblems = 100

// Problems returns the problems of the configuration that made the try fail.
func (v tryView) Problems() []report.Problem {
	if v.Report == nil || v.Report.Error == nil {
		return nil
	}
	return v.Report.Error.Problems[:min(len(v.Report.Error.Problems), maxProblems)]
}

// FaultPointer returns the setting that made the try fail, or "" if it is unknown.
func (v tryView) FaultPointer() string {
	if v.Report == nil || v.Report.Error == nil {
		return ""
	}
	return v.Report.Error.Pointer
}

// Reason returns the message without the pointer, which the page shows as a link.
func (v tryView) Reason() string {
	return strings.TrimSuffix(v.Message, " (at "+v.FaultPointer()+")")
}
