package webui

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// evil is text that leaves an element, an attribute, a script and a line of a
// stream, if it can.
const evil = "\u202e\"'></title></script><script>evil()</script><img src=x onerror=evil()>\r\nevent: replace\ndata: x javascript:evil()&lt;"

// TestHostileText puts it wherever text comes from outside, and looks for the
// elements that a browser would see.
func TestHostileText(t *testing.T) {
	p := newPlatform(t)
	document, err := json.Marshal(map[string]any{evil: []any{evil, map[string]any{evil: evil}}, "variables_id": "v"})
	p.must(err)
	c := p.configure(store.Configuration{Component: "acme.ex-shop", ID: "evil", Name: evil, Description: evil, ChangeDescription: evil, Configuration: document,
		Rows: []store.Row{{ID: "r", Name: evil, Configuration: document}}})
	variables, err := json.Marshal(map[string]any{"variables": []any{map[string]any{"name": evil, "type": evil}}})
	p.must(err)
	p.configure(store.Configuration{Component: variablesComponent, ID: "v", Configuration: variables})
	p.load(store.Load{Table: "in.c-evil.t", Columns: []store.Column{{Name: "a", Type: evil}}, Job: evil}, []string{evil}, []string{strings.Repeat(evil, 3)})
	j, err := p.store.CreateJob(store.Job{Component: c.Component, Config: c.ID, Mode: evil, Tag: evil, ConfigRowIDs: []string{evil}})
	p.must(err)
	p.change(j.ID, func(j *store.Job) error { return j.To(store.Processing, p.clock.Now()) })
	p.say(j.ID, evil, evil, "event", "request.answered", "method", evil, "path", evil, "query", evil, "reason", evil, "seconds", evil, "status", evil, "attempt", 7)
	p.say(j.ID, evil, evil, "event", "job.live", "job", evil, "jobPointer", evil, "iteration", evil, "window", evil, "waiting", evil, "waitSeconds", evil, "parents", evil, "depth", evil)
	p.see(jobURL(j.ID)) // also while it runs
	p.say(j.ID, evil, evil, "event", "job.finished", "job", evil, "jobPointer", evil, "rule", evil, "rows", evil)
	p.say(j.ID, evil, evil, "event", "request.retried", "method", evil, "path", evil, "reason", evil, "waitSeconds", 3, "jobPointer", evil+"2")
	p.say(j.ID, "error", evil, "pointer", "/"+evil, "problems", []any{map[string]string{"pointer": "/" + evil, "expected": evil, "found": evil, "hint": evil}, map[string]string{"pointer": evil},
		map[string]string{"code": "missing-key", "pointer": "", "expected": "expected the key \"" + evil + "\""}, map[string]string{"pointer": "/" + strings.ReplaceAll(strings.ReplaceAll(evil, "~", ""), "/", "")}})
	p.end(j.ID, store.Error, store.Result{Message: evil, ErrorType: evil, ExceptionID: evil, ConfigVersion: evil, Tables: []string{evil, "in.c-evil.t"}, Images: []string{evil},
		Variables: []store.Variable{{Name: evil, Value: evil}}})

	pages := map[string]string{"/login": p.serve(httptest.NewRequest("GET", "/login?next=/"+url.QueryEscape(evil), nil)).Body.String()}
	for _, path := range []string{"/", jobURL(j.ID), "/configurations/acme.ex-shop/evil", "/tables",
		"/configurations/acme.ex-shop/evil/edit", "/configurations/acme.ex-shop/evil/edit?row=r&at=/", "/configurations/acme.ex-shop/evil/versions?from=1&to=2", "/begin?search=" + url.QueryEscape(evil), p.hostileDraft(), "/tables/in.c-evil.t", "/configurations/keboola.variables/v",
		jobURL(j.ID) + "?rq=" + url.QueryEscape(evil) + "&eq=" + url.QueryEscape(evil) + "&ekind=" + url.QueryEscape(evil), "/tables/in.c-evil.t?sort=a&desc=1&q=" + url.QueryEscape(evil[:20])} {
		pages[path] = p.see(path)
	}
	for _, m := range messages(p.see(jobURL(j.ID) + "/stream")) {
		if m.kind != "append" && m.kind != "replace" && m.kind != "end" {
			t.Errorf("event %q", m.kind)
		}
		pages["the stream, "+m.kind] += m.data
	}
	for path, page := range pages {
		checkElements(t, path, page)
	}
}

// TestHostileTry: an API that answers evil to a configuration of evil names.
func TestHostileTry(t *testing.T) {
	p := newTryPlatform(t)
	text, err := json.Marshal(map[string]any{"meta": map[string]any{"next": evil}, evil: evil, "orders": []any{map[string]any{"id": evil, evil: evil}}})
	p.must(err)
	responded := 0
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := strings.NewReplacer("\r", "", "\n", "").Replace(evil)
		w.Header().Set("Content-Type", "application/json; "+header)
		w.Header().Set("X-Evil", header)
		if responded++; responded > 2 {
			w.WriteHeader(http.StatusTeapot)
		}
		_, _ = w.Write(text)
	}))
	t.Cleanup(api.Close)
	document, err := json.Marshal(map[string]any{"parameters": map[string]any{
		"api": map[string]any{"baseUrl": api.URL, "http": map[string]any{"headers": map[string]any{"X-Sent": "javascript:" + evil[:10]}, "maxRetries": 0},
			"pagination": map[string]any{"method": "response.param", "responseParam": "meta.next", "queryParam": evil}},
		"config": map[string]any{"outputBucket": "b", evil: evil, "jobs": []any{map[string]any{"endpoint": "a/" + evil, "dataField": "orders", "params": map[string]any{evil: evil}}, map[string]any{"endpoint": evil, "dataType": evil}}},
	}})
	p.must(err)
	pages := map[string]string{"a refusal": p.submit("/configurations/acme.ex-shop/1/try", url.Values{"document": {"{"}, "try-sample": {evil}}).Body.String()}
	for _, form := range [][]string{nil, {"value." + evil, evil}} {
		path := p.run(string(document), form...)
		pages[path] = p.look(path)
		pages["the editor after "+path] = p.look("/configurations/acme.ex-shop/1/edit")
		for _, m := range messages(p.look(path + "/stream")) {
			pages["the stream of "+path+", "+m.kind] += m.data
		}
		for number := 1; number <= 3; number++ {
			if w := p.get(fmt.Sprintf("%s/requests/%d", path, number)); w.Code == http.StatusOK {
				pages[fmt.Sprintf("request %d of %s", number, path)] = w.Body.String()
			}
		}
		body := p.get(path + "/requests/1/body")
		if body.Code != http.StatusOK || body.Header().Get("Content-Type") != "application/octet-stream" || body.Header().Get("Content-Disposition") != "attachment; filename=response-1.json" {
			t.Errorf("the body: %d %v", body.Code, body.Header())
		}
	}
	if len(pages) < 9 {
		t.Errorf("only %d pages", len(pages))
	}
	for path, page := range pages {
		checkElements(t, path, page)
	}
}

// hostileDraft is the page about an API whose response is evil, and whose document has an
// earlier version.
func (p *platform) hostileDraft() string {
	p.Helper()
	_, err := p.store.UpdateConfiguration("acme.ex-shop", "evil", func(c *store.Configuration) error {
		c.Configuration = []byte("{\"a\": 1}")
		return nil
	})
	p.must(err)
	text, err := json.Marshal(map[string]any{evil: []any{map[string]any{evil: evil}}, "other": []any{map[string]any{"id": 1}}})
	p.must(err)
	archive, err := json.Marshal(map[string]any{"log": map[string]any{"entries": []any{map[string]any{
		"request":  map[string]any{"method": "GET", "url": "https://h/" + url.PathEscape(evil) + "?a=" + url.QueryEscape(evil)},
		"response": map[string]any{"status": 200, "content": map[string]any{"text": string(text), "mimeType": evil}},
	}}}})
	p.must(err)
	return p.led(p.upload("/begin", "har", string(archive)))
}

// checkElements fails for elements and attributes that only evil text has, and for text that
// reverses the text after it.
func checkElements(t *testing.T, path, page string) {
	t.Helper()
	tokens := html.NewTokenizer(strings.NewReader(page))
	edited := false
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		token := tokens.Token()
		if token.Data == "textarea" {
			edited = kind == html.StartTagToken
		}
		if kind == html.TextToken && !edited && strings.ContainsAny(token.Data, directions) {
			t.Errorf("%s: %q", path, token.Data)
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		if token.Data == "img" {
			t.Errorf("%s: %s", path, token)
		}
		for _, a := range token.Attr {
			script := token.Data == "script" && !(a.Key == "defer" || a.Key == "src" && strings.HasPrefix(a.Val, "/assets/"))
			if script || strings.HasPrefix(a.Key, "on") || a.Key == "style" || (a.Key == "href" || a.Key == "action") && !strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "#") {
				t.Errorf("%s: %s", path, token)
			}
		}
		if token.Data == "script" && len(token.Attr) == 0 {
			t.Errorf("%s: %s", path, token)
		}
	}
}
