package webui

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/authoring/example"
	"github.com/keboola/configurable-extractor/pkg/authoring/scaffold"

	"github.com/keboola/configurable-extractor/pkg/gallery"
)

// upload sends a form with a file.
func (p *platform) upload(path, name, content string) *httptest.ResponseRecorder {
	p.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	file, err := form.CreateFormFile(name, "a.har")
	p.must(err)
	_, _ = file.Write([]byte(content)) // into memory
	p.must(form.Close())
	return p.post(path, form.FormDataContentType(), "text/html", b.String())
}

// led is the path that a response leads to.
func (p *platform) led(w *httptest.ResponseRecorder) string {
	p.Helper()
	to, found := strings.CutPrefix(w.Header().Get("Location"), p.session.path)
	if w.Code != http.StatusSeeOther || !found {
		p.Fatalf("%d: %s", w.Code, w.Body)
	}
	return to
}

func TestBegin(t *testing.T) {
	orders := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") != "s3cret-key" {
			http.Error(w, "no key", http.StatusForbidden)
			return
		}
		fmt.Fprint(w, `{"total":4,"echo":"s3cret-key","facets":[{"name":"<script>"}],"orders":[{"id":1},{"id":2}],"next":"/orders?page=2"}`)
	}))
	t.Cleanup(orders.Close)
	p := newPlatform(t)
	apis := gallery.All()
	p.see("/begin", fmt.Sprintf("%d APIs", len(apis)), "Stripe", "A URL or a curl command")
	lacks(t, p.see("/begin?search=stripe", "Stripe"), "Airtable")

	draft := p.led(p.submit("/begin", url.Values{"example": {"curl -H 'X-Api-Key: s3cret-key' '" + orders.URL + "/orders?page=1'"}}))
	body := p.see(draft, "Where is the data?", "How does the API paginate?", "What is the primary key?", "returned 200", "[hidden]", `value="acme.ex-shop"`)
	lacks(t, body, "s3cret", "<script>\"", "--paging")
	lacks(t, p.see(draft+"?data=facets&paging=none&key=none", `value="facets" checked`, `value="none" checked`), "pagination", "s3cret")
	if w := p.get(draft + "?data=nonsense"); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "There is no list") {
		t.Errorf("a choice that is none: %d", w.Code)
	}
	p.see(draft+"?key=id&name=Mine&component=a.b", "primaryKey", `value="Mine"`, `value="a.b"`)

	if w := p.submit(draft, url.Values{"component": {"not/valid"}, "name": {"Orders"}}); w.Code < 400 || w.Code >= 500 || !strings.Contains(w.Body.String(), `role="alert"`) {
		t.Errorf("a component that is none: %d", w.Code)
	}
	edit := p.led(p.submit(draft, url.Values{"component": {"acme.ex-orders"}, "name": {"Orders"}, "key": {"id"}}))
	all, err := p.store.Configurations("acme.ex-orders", false)
	p.must(err)
	if len(all) != 1 || all[0].Name != "Orders" || edit != editPath("acme.ex-orders", all[0].ID, "") {
		t.Fatalf("%s: %+v", edit, all)
	}
	text := string(all[0].Configuration)
	if !strings.Contains(text, `"KBC::ProjectSecure`) || strings.Contains(text, "s3cret") || !strings.Contains(text, `"primaryKey":true`) {
		t.Error(text)
	}
	p.see(edit, "Orders", "No problems found.")
	if w := p.get(draft); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "Start again") {
		t.Errorf("the draft is still there: %d", w.Code)
	}
	if w := p.submit(draft, url.Values{}); w.Code != http.StatusNotFound {
		t.Errorf("no draft: %d", w.Code)
	}
}

func TestBeginWithAnAPI(t *testing.T) {
	p := newPlatform(t)
	draft := p.led(p.submit("/begin", url.Values{"api": {"stripe"}}))
	p.see(draft, "Stripe", "Replace in the editor", "#key")
	edit := p.led(p.submit(draft, url.Values{"component": {"acme.ex-stripe"}, "name": {"Payments"}}))
	if !strings.HasSuffix(edit, "/edit?at=%2Fparameters%2Fconfig%2F%23key") {
		t.Errorf("leads to %s", edit)
	}
	p.see(edit, "••••••••")
	if w := p.submit("/begin", url.Values{"api": {"strip"}}); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "did you mean") {
		t.Errorf("%d", w.Code)
	}
}

func TestBeginWithAnArchive(t *testing.T) {
	const archive = `{"log":{"entries":[
 {"request":{"method":"GET","url":"https://h/few?token=s3cret-1"},"response":{"status":200,"content":{"text":"{\"few\":[{\"id\":1}]}"}},"startedDateTime":"2026-01-02T03:04:05Z"},
 {"request":{"method":"GET","url":"https://h/many?token=s3cret-2"},"response":{"status":200,"content":{"text":"{\"many\":[{\"id\":1},{\"id\":2}]}"}},"startedDateTime":"2026-01-02T03:04:05Z"}]}}`
	p := newPlatform(t)
	draft := p.led(p.upload("/begin", "har", archive))
	body := p.see(draft, "Which request is the example?", "GET https://h/many", "2 items", "&#34;many&#34;")
	lacks(t, body, "s3cret")
	p.see(draft+"?exchange=1", `value="1" checked`, "&#34;few&#34;")
	known := p.led(p.upload("/begin", "har", strings.ReplaceAll(archive, "https://h/", "https://api.stripe.com/")))
	p.see(known, "The complete configuration for Stripe", "A configuration inferred from the example")
	p.see(known+"?use=example", "Findings")
	if w := p.upload("/begin", "har", "{"); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("broken: %d", w.Code)
	}
}

func TestBeginRefuses(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "who? s3cret-key", http.StatusForbidden) }))
	t.Cleanup(silent.Close)
	p := newPlatform(t)
	for _, row := range []struct{ name, example, want string }{
		{"nothing", " ", "Enter a URL"},
		{"no command", "wget x", "begins with curl"},
		{"refused", "curl -H 'X-Api-Key: s3cret-key' " + silent.URL, "status 403"},
		{"no one there", "http://127.0.0.1:1/?token=s3cret-wrong", "No response from 127.0.0.1:1"},
		{"a variable of this program", "curl https://h/$HOME", "HOME"},
		{"a file of this machine", "curl -d @/etc/passwd https://h/", "names a file, which is not read"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := p.submit("/begin", url.Values{"example": {row.example}})
			body := strings.ReplaceAll(w.Body.String(), "&#39;", "'")
			alert := body[max(strings.Index(body, `role="alert"`), 0):]
			alert, _, _ = strings.Cut(alert, "</p>")
			if w.Code != http.StatusUnprocessableEntity || !strings.Contains(alert, row.want) || strings.Contains(alert, "s3cret") {
				t.Errorf("%d: %s, want %s", w.Code, alert, row.want)
			}
		})
	}
}

// TestDraftsAreBounded in number and size.
func TestDraftsAreBounded(t *testing.T) {
	var kept drafts
	var ids []string
	for range keptDrafts + 2 {
		d := newDraft()
		ids = append(ids, d.id)
		kept.add(d)
	}
	for i, id := range ids {
		if _, found := kept.get(id); found != (i >= 2) {
			t.Errorf("draft %d: %t", i, found)
		}
	}
	large := newDraft()
	large.candidates = []scaffold.Candidate{{Exchange: example.Exchange{Response: make([]byte, keptBytes)}}}
	kept.add(large)
	last := newDraft()
	last.candidates = []scaffold.Candidate{{Exchange: example.Exchange{Response: []byte("x")}}}
	kept.add(last)
	if _, found := kept.get(large.id); found || len(kept.list) != 1 {
		t.Errorf("%d are kept", len(kept.list))
	}
}
