package webui

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/devstack/queue"
	"github.com/keboola/configurable-extractor/pkg/devstack/tryrun"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// wantedTry reads the form of the panel. Its errors are user errors or errors of the
// store.
func (s *site) wantedTry(r *http.Request, e editTarget) (tryrun.Input, error) {
	c := e.Configuration
	wanted := tryrun.Input{Component: c.Component, Config: c.ID}
	text, err := s.restoreSecrets(c.Component, c.ID, []byte(r.PostForm.Get("document")))
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
	return l, l.Check()
}

// checkDocument returns an error if a text is empty or not JSON, so that no try is
// started.
func checkDocument(text []byte) error {
	if len(text) == 0 {
		return failure.Userf("There is no configuration to try: the editor is empty.")
	}
	if _, err := config.Parse(text); err != nil {
		return err
	}
	return nil
}
