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

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/devstack/queue"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tryrun"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/report"
)

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
	// Open is true if someone must enter a value before a try can succeed.
	Open bool
}

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
	p.Open = slices.ContainsFunc(p.Fields, func(f field) bool { return f.Text == "" && !f.Given })
	if all := s.Tries.Of(component, id); len(all) > 0 {
		p.Last, err = s.tryView(all[0], 0)
	}
	return p, err
}

// startTry starts a try of the text in the editor and redirects to its page.
func (s *site) startTry(w http.ResponseWriter, r *http.Request, e editTarget) error {
	if s.Tries == nil {
		return store.ErrNotFound
	}
	wanted, err := s.wantedTry(r, e)
	if err == nil {
		var t *tryrun.Try
		if t, err = s.Tries.Start(wanted); err == nil {
			return s.goTo(w, r, tryURL(t.Info().ID))
		}
	}
	switch {
	case errors.Is(err, tryrun.ErrBusy):
		return &apiError{http.StatusTooManyRequests, sentence(err.Error())}
	case errors.Is(err, tryrun.ErrClosed):
		return &apiError{http.StatusServiceUnavailable, sentence(err.Error())}
	case failure.KindOf(err) == failure.User:
		return &apiError{http.StatusUnprocessableEntity, sentence(err.Error())}
	default:
		return err
	}
}

func tryURL(id string) string { return "/tries/" + url.PathEscape(id) }

func (s *site) tryOf(r *http.Request) (*tryrun.Try, error) {
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
	// Path is the path of the try, below the path of the session.
	Path       string
	ConfigName string
	Shown      store.Status
	// Announcement is the text that a screen reader speaks when the status changes.
	Announcement string
	// Problems are the problems of the configuration that made the try fail. FaultPointer
	// is the setting that made it fail, or "". Reason is the message without the pointer.
	Problems             []report.Problem
	FaultPointer, Reason string
	Elapsed              time.Duration
	// Report, Tables and Tree are set when the try has ended.
	Report *report.Report
	Tables []tryTable
	Tree   *requestTree
	// Files are the first files. FileCount is the number of all files.
	Files     []tryrun.File
	FileCount int
}

// tryTable holds the first rows of a table. Total is the number of rows, or -1 if
// unknown.
type tryTable struct {
	tryrun.Table
	Total int
}

// shownStatus returns the job status that corresponds to the status of a try.
func shownStatus(status tryrun.Status) store.Status {
	switch status {
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

// tryView reads a try from its files. from is the index of the first request in its tree
// to show.
func (s *site) tryView(t *tryrun.Try, from int) (*tryView, error) {
	info := t.Info()
	v := &tryView{
		State: info, Path: tryURL(info.ID), ConfigName: info.Config,
		Shown: shownStatus(info.Status), Announcement: "The try is running.",
	}
	if c, err := s.Store.Configuration(info.Component, info.Config); err == nil {
		v.ConfigName = cmp.Or(c.Name, info.Config)
	} else if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	if v.Running() {
		v.Elapsed = max(s.Now().Sub(info.Started), 0)
		return v, nil
	}
	v.Elapsed, v.Announcement = info.Ended.Sub(info.Started), "The try has ended: "+string(v.Shown)+"."
	var err error
	if v.Report, err = t.Report(); err != nil {
		return nil, err
	}
	if v.Report != nil && v.Report.Error != nil {
		v.Problems = v.Report.Error.Problems[:min(len(v.Report.Error.Problems), maxProblems)]
		v.FaultPointer = v.Report.Error.Pointer
	}
	v.Reason = strings.TrimSuffix(v.Message, " (at "+v.FaultPointer+")")
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
	if v.Files, v.FileCount, err = t.Files(); err != nil {
		return nil, err
	}
	index, err := t.Index()
	if err != nil {
		return nil, err
	}
	if index != nil {
		v.Tree = newRequestTree(index, v.Path, from)
	}
	return v, nil
}

func (s *site) try(w http.ResponseWriter, r *http.Request, t *tryrun.Try) error {
	from, _ := strconv.Atoi(r.URL.Query().Get("from")) // invalid values become 0
	v, err := s.tryView(t, from)
	if err != nil {
		return err
	}
	l := layout{Title: "Try of " + v.ConfigName + ": " + string(v.Shown), Section: "overview", Assets: []string{"try.css", "try.js"}, Body: v}
	return s.show(w, http.StatusOK, "try", l)
}

const maxProblems = 100

// wantedTry reads the form of the panel. Its errors are user errors or errors of the
// store.
func (s *site) wantedTry(r *http.Request, e editTarget) (tryrun.Input, error) {
	c := e.Configuration
	wanted := tryrun.Input{Component: c.Component, Config: c.ID}
	text, err := s.restoreSecrets(c.Component, c.ID, []byte(r.PostForm.Get("document")))
	if err != nil {
		return wanted, err
	}
	if len(text) == 0 {
		return wanted, failure.Userf("There is no configuration to try: the editor is empty.")
	}
	if _, err := config.Parse(text); err != nil {
		return wanted, err
	}
	wanted.Document = e.whole(text)
	if wanted.Limits, err = limitsOf(r.PostForm); err != nil {
		return wanted, err
	}
	if from := r.PostForm.Get("replay"); from != "" {
		t, ok := s.Tries.Get(from)
		if !ok {
			return wanted, failure.Userf("The recording has been removed. Start a new try that sends requests.")
		}
		if info := t.Info(); info.Component != c.Component || info.Config != c.ID {
			return wanted, failure.Userf("The recording belongs to another configuration.")
		}
		wanted.From = t
	}
	asked := c // a text that is not saved may use other variables
	asked.Configuration = wanted.Document
	wanted.Values, err = s.givenValues(asked, r.PostForm)
	return wanted, err
}

// whole returns the document that a job would run with a text of the editor. A row is
// merged over its configuration. For a configuration with rows, its first row is merged
// over it.
func (e editTarget) whole(text []byte) []byte {
	switch {
	case e.Row != nil:
		return queue.RowDocument(fields(e.Configuration.Configuration), fields(text)).AppendJSON(nil)
	case len(e.Rows) > 0:
		return queue.RowDocument(fields(text), fields(e.Rows[0].Configuration)).AppendJSON(nil)
	default:
		return text
	}
}

// limitsOf reads the limits in a form. Missing limits have their defaults.
func limitsOf(form url.Values) (tryrun.Limits, error) {
	l := tryrun.DefaultLimits()
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
	return l, nil
}

func (s *site) cancelTry(w http.ResponseWriter, r *http.Request, t *tryrun.Try) error {
	t.Cancel()
	return s.goTo(w, r, tryURL(t.Info().ID))
}

// followTry sends the head of a running try when it changes, at most once per beat, and
// its result at the end.
func (s *site) followTry(w http.ResponseWriter, r *http.Request, t *tryrun.Try) error {
	return s.follow(w, r, func(out stream) error {
		var sent string
		for t.Info().Running() {
			v, err := s.tryView(t, 0)
			if err != nil {
				return err
			}
			if err := out.replace("try-live", v, &sent); err != nil {
				return err
			}
			if out.wait(t.Done()) == over {
				return nil
			}
			if err := out.alive(); err != nil {
				return err
			}
		}
		v, err := s.tryView(t, 0)
		if err != nil {
			return err
		}
		if err := out.replace("try-result", v, nil); err != nil {
			return err
		}
		return out.send("end", 0, "end")
	})
}
