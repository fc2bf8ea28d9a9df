package webui

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// TestHostileLayout: text that is long, has no blanks, changes the direction of writing or
// holds control characters stays in its box on every page.
func TestHostileLayout(t *testing.T) {
	slowtest.OutsideCI(t, "it starts a browser")
	p := newTryPlatform(t)
	wide := "\u202e\u2067\u001b[31m\u0007" + strings.Repeat("W", 10_000) + "<b>"
	response, err := json.Marshal(map[string]any{"orders": []any{map[string]any{"id": wide, wide[:300]: wide}}, wide: wide})
	p.must(err)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Wide", strings.Repeat("W", 5000))
		_, _ = w.Write(response)
	}))
	t.Cleanup(api.Close)
	document, err := json.Marshal(map[string]any{"variables_id": "v", "variables_values_id": "r", "parameters": map[string]any{"api": map[string]any{"baseUrl": api.URL, wide: 1},
		"config": map[string]any{"outputBucket": "b", wide: wide, "jobs": []any{map[string]any{"endpoint": "a/" + strings.Repeat("W", 3000), "dataField": "orders", "params": map[string]any{strings.Repeat("W", 1000): strings.Repeat("W", 3000)}}}}}})
	p.must(err)
	variables, err := json.Marshal(map[string]any{"variables": []any{map[string]any{"name": "known", "type": wide}, map[string]any{"name": wide[:500], "type": wide}}})
	p.must(err)
	p.configure(store.Configuration{Component: variablesComponent, ID: "v", Name: wide, Configuration: variables,
		Rows: []store.Row{{ID: "r", Name: wide, Configuration: []byte(`{"values": [{"name": "known", "value": "1"}]}`)}}})
	c := p.configure(store.Configuration{Component: "acme.ex-shop", ID: "wide", Name: wide, Description: wide, ChangeDescription: wide, Configuration: document,
		Rows: []store.Row{{ID: "r", Name: wide, Configuration: document}}})
	p.load(store.Load{Table: "in.c-" + strings.Repeat("w", 60) + "." + strings.Repeat("w", 90), Columns: []store.Column{{Name: strings.Repeat("w", 64), Type: wide}}, PrimaryKey: []string{strings.Repeat("w", 64)}, Job: "1"}, []string{wide})
	j := p.platform.start(c)
	p.say(j.ID, "error", wide, "event", "request.answered", "method", "GET", "path", "/"+wide, "query", wide, "status", 500, "seconds", 1, "job", wide, "jobPointer", wide)
	p.say(j.ID, "info", wide, "event", "job.live", "job", wide, "jobPointer", wide, "waiting", wide, "waitSeconds", 3)
	p.say(j.ID, "error", wide, "pointer", "/"+wide, "problems", []any{map[string]string{"pointer": "/parameters/api/" + wide, "expected": wide, "found": wide, "hint": wide}})
	p.end(j.ID, store.Error, store.Result{Message: wide, ErrorType: "user", ExceptionID: wide, ConfigVersion: "1", Tables: []string{wide}, Variables: []store.Variable{{Name: wide, Value: wide}}})
	try := p.run(string(document))
	failed := p.run(strings.Replace(string(document), `"jobs"`, `"jobs`+strings.Repeat("W", 900)+`"`, 1))
	archive, err := json.Marshal(map[string]any{"log": map[string]any{"entries": []any{map[string]any{
		"request":  map[string]any{"method": "GET", "url": "https://h/" + strings.Repeat("W", 3000) + "?" + strings.Repeat("w", 3000) + "=1"},
		"response": map[string]any{"status": 200, "content": map[string]any{"text": string(response), "mimeType": "application/json"}},
	}}}})
	p.must(err)
	_, err = p.store.UpdateConfiguration(c.Component, c.ID, func(c *store.Configuration) error {
		c.Configuration = []byte(`{"a": "` + strings.Repeat("W", 4000) + `"}`)
		return nil
	})
	p.must(err)

	paths := []string{
		"/", "/tables", tableURL("in.c-" + strings.Repeat("w", 60) + "." + strings.Repeat("w", 90)), jobURL(j.ID), jobURL(j.ID) + "?rq=" + strings.Repeat("W", 3000),
		configurationPath(c.Component, c.ID), configurationPath(variablesComponent, "v"), configurationPath(c.Component, c.ID) + "/edit", configurationPath(c.Component, c.ID) + "/edit?row=r",
		configurationPath(c.Component, c.ID) + "/versions?from=1&to=2", "/begin?search=" + url.QueryEscape(wide[:3000]),
		try, try + "/requests/1", failed, "/nowhere/" + strings.Repeat("W", 3000),
	}
	b := newBrowser(p.platform)
	b.Do(chromedp.Navigate(b.server + "/?token=" + url.QueryEscape(testToken)))
	b.visit("/begin")
	quoted, err := json.Marshal(string(archive))
	p.must(err)
	b.Until(`(window.sent ??= (() => {
		const form = new FormData();
		form.append("har", new File([` + string(quoted) + `], "\u202e" + "W".repeat(3000) + "<b>.har"));
		return fetch(location.href, {method: "POST", body: form}).then((answer) => window.led = answer.url);
	})(), window.led !== undefined)`)
	draft := strings.TrimPrefix(ask[string](b, "window.led"), b.server+b.session.path)
	if !strings.HasPrefix(draft, "/begin/") {
		t.Fatalf("the archive leads to %s", draft)
	}
	paths = append(paths, draft)
	const most = 12_000
	for _, path := range paths {
		b.Look(1440, 900, "light")
		b.visit(path)
		if got := ask[int64](b, "document.documentElement.scrollHeight"); got > most {
			t.Errorf("%.100s is %d pixels high", path, got)
		}
	}
	for _, width := range []int64{1440, 390} {
		b.Look(width, 900, "light")
		for _, path := range paths {
			b.visit(path)
			if got := ask[int64](b, "document.documentElement.scrollWidth"); got > width {
				const widest = `[...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > innerWidth && getComputedStyle(e).position !== "absolute" && !e.closest(".panel, .code, .editor-box, pre, .compared")).slice(0, 3).map((e) => e.tagName + "." + e.className).join(", ")`
				t.Errorf("%.100s is %d pixels wide on %d: %s", path, got, width, ask[string](b, widest))
			}
		}
	}
	if ask[bool](b, `[...document.querySelectorAll("main h1, main p, main a")].some((e) => getComputedStyle(e).unicodeBidi !== "isolate")`) {
		t.Error("text from outside can change the direction of what is around it")
	}
}
