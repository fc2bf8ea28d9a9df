package webui

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// made is the job that a form made.
func (p *platform) made(w *httptest.ResponseRecorder) store.Job {
	p.Helper()
	path := strings.TrimPrefix(w.Header().Get("Location"), p.session.path+"/jobs/")
	if w.Code != http.StatusSeeOther {
		p.Fatalf("status %d: %s", w.Code, w.Body)
	}
	j, err := p.store.Job(path)
	p.must(err)
	return j
}

func TestRunWithValues(t *testing.T) {
	p := newPlatform(t)
	s := p.fill()
	path := "/configurations/acme.ex-shop/" + s.orders.ID
	for _, c := range []struct {
		name string
		form url.Values
		want string
	}{
		{"nothing", nil, "null"},
		{"the defaults", url.Values{"value.bucket": {"shop"}, "value.secret": {""}, "value.since": {""}}, "null"},
		{"one of its own", url.Values{"value.bucket": {"other"}, "value.secret": {""}}, `{"values":[{"name":"bucket","value":"other"},{"name":"secret","value":"let-me-in"}]}`},
		{"one without a default", url.Values{"value.bucket": {"shop"}, "value.since": {"2026"}}, `{"values":[{"name":"bucket","value":"shop"},{"name":"secret","value":"let-me-in"},{"name":"since","value":"2026"}]}`},
		{"another secret", url.Values{"value.bucket": {"shop"}, "value.secret": {"new"}}, `{"values":[{"name":"bucket","value":"shop"},{"name":"secret","value":"new"}]}`},
		{"a default that is emptied", url.Values{"value.bucket": {""}}, "null"},
		{"a variable that is none", url.Values{"value.other": {"x"}}, "null"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := p.made(p.submit(path+"/run", c.form))
			if got := string(j.VariableValuesData); j.Config != s.orders.ID || got != c.want {
				t.Errorf("job %+v with %s, want %s", j, got, c.want)
			}
		})
	}
	if j := p.made(p.submit(path+"/run", url.Values{"debug": {"1"}})); j.Mode != store.Debug {
		t.Errorf("mode %q", j.Mode)
	}
	// Without declarations the values of the last job are there again, but no secrets.
	used := p.configure(store.Configuration{Component: "acme.ex-shop", Configuration: json.RawMessage(`{"parameters": {"a": "{{day}}", "#b": "{{key}}"}}`)})
	p.end(p.start(used).ID, store.Success, store.Result{Variables: []store.Variable{{Name: "day", Value: "monday"}, {Name: "key", Value: "let-me-in"}}})
	lacks(t, p.see("/configurations/acme.ex-shop/"+used.ID, `name="value.day" value="monday"`, `name="value.key" type="password"`), "let-me-in")
}

func TestRunIsRefused(t *testing.T) {
	p := newPlatform(t)
	s := p.fill()
	_, err := p.store.UpdateConfiguration(s.stock.Component, s.stock.ID, func(c *store.Configuration) error { c.IsDisabled = true; return nil })
	p.must(err)
	if w := p.submit("/configurations/acme.ex-shop/"+s.stock.ID+"/run", nil); w.Code != http.StatusBadRequest && w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "is disabled") {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
	lacks(t, p.see("/configurations/acme.ex-shop/"+s.stock.ID), `id="run"`)
	if w := p.submit("/configurations/acme.ex-shop/nothing/run", nil); w.Code != http.StatusNotFound {
		t.Errorf("status %d", w.Code)
	}
}

func TestKillAndAgain(t *testing.T) {
	p := newPlatform(t)
	s := p.fill()
	p.see(jobURL(s.running.ID), `action="/jobs/`+s.running.ID+`/kill"`)
	if w := p.submit(jobURL(s.running.ID)+"/kill", nil); w.Code != http.StatusSeeOther || w.Header().Get("Location") != p.session.path+jobURL(s.running.ID) {
		t.Errorf("%d to %q", w.Code, w.Header().Get("Location"))
	}
	if j, err := p.store.Job(s.running.ID); err != nil || !j.Kill {
		t.Errorf("%+v, %v", j, err)
	}
	lacks(t, p.see(jobURL(s.running.ID), "The job is being cancelled."), "/kill")
	if w := p.submit(jobURL(s.succeeded.ID)+"/kill", nil); w.Code < 400 || w.Code > 499 || !strings.Contains(w.Body.String(), "cannot be killed") {
		t.Errorf("%d: %s", w.Code, w.Body)
	}

	given, err := p.store.CreateJob(store.Job{Component: "acme.ex-shop", ConfigData: json.RawMessage(`{"parameters":{}}`), Mode: store.Debug, Tag: "1.0.0", VariableValuesData: json.RawMessage(`{"values":[{"name":"a","value":"b"}]}`)})
	p.must(err)
	again := p.made(p.submit(jobURL(given.ID)+"/again", nil))
	if again.ID == given.ID || string(again.ConfigData) != string(given.ConfigData) || again.Mode != store.Debug || again.Tag != "1.0.0" || string(again.VariableValuesData) != string(given.VariableValuesData) {
		t.Errorf("again %+v", again)
	}
	if w := p.submit("/jobs/999/again", nil); w.Code != http.StatusNotFound {
		t.Errorf("status %d", w.Code)
	}
}
