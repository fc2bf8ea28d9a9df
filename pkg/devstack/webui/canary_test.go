package webui

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// TestSecretsAreNowhere puts secrets wherever they can be, and looks for them on every page,
// in every stream and download, and in what the editor asks.
func TestSecretsAreNowhere(t *testing.T) {
	const (
		stored   = "canary-stored-0"   // below #
		variable = "canary-variable-1" // the value of a variable that is used below #
		given    = "canary-given-2"    // one that is given with a try or a job
		typed    = "canary-typed-3"    // one that is only in the editor
		pasted   = "canary-pasted-4"   // in a curl command
		returned = "tok-9-secret"      // what the API returns for the login
	)
	p := newTryPlatform(t)
	declared := p.configure(store.Configuration{Component: variablesComponent, Name: "Variables", Configuration: []byte(`{"variables": [{"name": "pass", "type": "string"}]}`),
		Rows: []store.Row{{ID: "r", Configuration: []byte(`{"values": [{"name": "pass", "value": "` + variable + `"}]}`)}}})
	document := strings.NewReplacer(`"let-me-in-please"`, `"{{pass}}", "#deep": {"list": ["`+stored+`"], "number": 5}`, `"since": "2026"`, `"since": "2026", "#key": "`+stored+`"`).Replace(p.shop.document(`, {"endpoint": "nowhere", "params": {"key": {"attr": "#key"}}, "headers": {"X-Key": {"attr": "#key"}}}`))
	document = `{"variables_id": "` + declared.ID + `", "variables_values_id": "r",` + document[1:]
	_, err := p.store.UpdateConfiguration("acme.ex-shop", "1", func(c *store.Configuration) error {
		c.Configuration = []byte(document)
		c.Rows = []store.Row{{ID: "row", Name: "Row", Configuration: []byte(`{"parameters": {"config": {"#key": "` + stored + `"}}}`)}}
		return nil
	})
	p.must(err)
	edit := configurationPath("acme.ex-shop", "1") + "/edit"
	text, form := p.opened(edit)
	pages := map[string]string{}
	see := func(path string) { pages[path] = p.look(path) }

	// Jobs, and their streams.
	j := p.platform.start(p.c)
	p.request(j.ID, "/orders", "key=[hidden]", 1, 200, 5)
	p.change(j.ID, func(j *store.Job) error {
		j.VariableValuesData = []byte(`{"values":[{"name":"pass","value":"` + given + `"}]}`)
		return nil
	})
	see(jobURL(j.ID))
	p.end(j.ID, store.Success, store.Result{Message: "Done.", Variables: []store.Variable{{Name: "pass", Value: given}}})
	for _, path := range []string{"/", "/tables", jobURL(j.ID), jobURL(j.ID) + "/events", jobURL(j.ID) + "/stream", configurationPath("acme.ex-shop", "1"), configurationPath(variablesComponent, declared.ID),
		edit, edit + "?row=row", edit + "?at=/parameters/config/%23key", configurationPath(variablesComponent, declared.ID) + "/edit?row=r", configurationPath("acme.ex-shop", "1") + "/versions?from=1&to=2"} {
		see(path)
	}

	// Tries: of the text with dots, with a new secret, with a value of a variable, replayed.
	changed := strings.Replace(text, `"since": "2026"`, `"since": "2026", "#typed": "`+typed+`", "wrong": {"attr": "#typed"}`, 1)
	first := p.run(changed, "value.pass", given, "try-requests", "30")
	tries := []string{first, p.run(text), p.run(changed, "replay", strings.TrimPrefix(first, "/tries/"))}
	responses := 0
	for _, try := range tries {
		see(try)
		see(try + "/stream")
		for number := 1; ; number++ {
			path := fmt.Sprintf("%s/requests/%d", try, number)
			if p.get(path).Code != http.StatusOK {
				break
			}
			see(path)
			see(path + "/body")
			responses++
		}
	}
	if responses < 20 {
		t.Errorf("only %d requests", responses)
	}
	for _, form := range []url.Values{{"document": {changed + "}"}}, {"document": {changed}, "try-sample": {"x"}}, {"document": {`["` + stored + `"`}}} {
		pages["a try that is refused "+form.Get("document")[:1]] = p.submit(configurationPath("acme.ex-shop", "1")+"/try", form).Body.String()
	}

	// What the script of the editor asks. The responses are about a text that the browser has.
	ask := func(want, document string, cursor int) {
		body, err := json.Marshal(question{Want: want, Document: document, Cursor: cursor})
		p.must(err)
		pages[fmt.Sprintf("%s at %d", want, cursor)] = p.post(configurationPath("acme.ex-shop", "1")+"/assist", "application/json", "application/json", string(body)).Body.String()
	}
	for _, wrong := range []string{text, strings.Replace(text, `"limit"`, `"limitt"`, 1), strings.Replace(text, `"method": "response.param"`, `"method": {"attr": "#key"}`, 1), strings.Replace(text, `"queryParam": "page"`, `"queryParam": {"function": "nonsense", "args": [{"attr": "#key"}]}`, 1), text[:len(text)-3]} {
		ask("findings", wrong, len(wrong))
	}
	for cursor := 0; cursor < len(text); cursor += 3 {
		ask("hover", text, cursor)
		ask("completions", text, cursor)
	}

	// Saving, with a script and without one.
	form.Set("document", strings.Replace(text, `"since": "2026"`, `"since": "2026", "#typed": "`+typed+`"`, 1))
	form.Set("do", "save")
	if w := p.post(edit, "application/x-www-form-urlencoded", "application/json", form.Encode()); w.Code == http.StatusOK {
		pages["saved"] = w.Body.String()
	} else {
		t.Errorf("saving: %d %s", w.Code, w.Body)
	}
	see(edit)
	see(configurationPath("acme.ex-shop", "1") + "/versions?from=1&to=3")

	// A beginning, of an API that repeats what it was sent.
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"headers": r.Header, "address": r.URL.String(), "items": []any{map[string]any{"id": 1, "key": r.Header.Get("Authorization")}}})
	}))
	t.Cleanup(echo.Close)
	draft := p.led(p.submit("/begin", url.Values{"example": {"curl -H 'Authorization: Bearer " + pasted + "' -H 'Cookie: session=" + pasted + "' '" + echo.URL + "/items?api_key=" + pasted + "'"}}))
	see(draft)
	see(draft + "?key=id&paging=none")
	begun := p.led(p.submit(draft, url.Values{"component": {"acme.ex-begun"}, "name": {"Begun"}}))
	see(begun)
	see(strings.TrimSuffix(begun, "/edit"))
	see(strings.TrimSuffix(begun, "/edit") + "/versions")

	for path, page := range pages {
		for _, one := range []string{"canary-", returned} {
			if i := strings.Index(page, one); i >= 0 {
				t.Errorf("%s holds %s", path, page[max(0, i-80):min(len(page), i+80)])
			}
		}
	}
}
