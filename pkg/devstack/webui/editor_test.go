package webui

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/authoring/langservice"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// post sends a body after a login.
func (p *platform) post(path, kind, accept, body string) *httptest.ResponseRecorder {
	p.Helper()
	r := httptest.NewRequest(http.MethodPost, p.session.path+path, strings.NewReader(body))
	r.Host = "localhost:8088"
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Accept", accept)
	r.AddCookie(p.cookie())
	w := httptest.NewRecorder()
	p.page.ServeHTTP(w, r)
	return w
}

// submit sends a form as a browser without scripts does.
func (p *platform) submit(path string, form url.Values) *httptest.ResponseRecorder {
	p.Helper()
	return p.post(path, "application/x-www-form-urlencoded", "text/html", form.Encode())
}

// asked is what the server says to the script of the editor.
func asked[T any](p *platform, path string, q question) (response T) {
	p.Helper()
	body, err := json.Marshal(q)
	p.must(err)
	w := p.post(path, "application/json", "application/json", string(body))
	if w.Code != http.StatusOK {
		p.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	p.must(json.Unmarshal(w.Body.Bytes(), &response))
	return response
}

const secretDocument = `{"parameters":{"api":{"baseUrl":"https://h/"},"config":{"#key":"s3cret-1","#other":"s3cret-2","#variable":"{{key}}","#env":{"env":"KEY"},"plain":"p","outputBucket":"b","jobs":[{"endpoint":"e","params":{"k":{"attr":"#key"}}}]}},"variableValuesData":{"values":[{"name":"key","value":"s3cret-3"}]}}`

var textOfEditor = regexp.MustCompile(`(?s)<textarea id="document"[^>]*>\n(.*)</textarea>`)

// opened is the text in the editor and the form around it.
func (p *platform) opened(path string) (text string, form url.Values) {
	p.Helper()
	page := p.see(path)
	match := textOfEditor.FindStringSubmatch(page)
	base := regexp.MustCompile(`name="base"[^>]* value="([^"]+)"`).FindStringSubmatch(page)
	if match == nil || base == nil {
		p.Fatalf("no editor: %s", page)
	}
	text = strings.NewReplacer("&#34;", `"`, "&#39;", "'", "&lt;", "<", "&gt;", ">", "&amp;", "&", "&#43;", "+").Replace(match[1])
	return text, url.Values{"document": {text}, "base": {base[1]}, "do": {"save"}}
}

func TestEditor(t *testing.T) {
	p := newPlatform(t)
	c := p.configure(store.Configuration{Component: "acme.ex-shop", Name: "Shop", Configuration: []byte(secretDocument)})
	path := configurationPath(c.Component, c.ID) + "/edit"
	text, form := p.opened(path)
	lacks(t, text, "s3cret")
	for _, shown := range []string{`"#variable": "{{key}}"`, `"#env": {"env": "KEY"}`, `"plain": "p"`, `"#key": "` + dots} {
		if !strings.Contains(text, shown) {
			t.Errorf("lacks %s:\n%s", shown, text)
		}
	}

	form.Set("document", strings.Replace(text, `"plain": "p"`, `"plain": "q"`, 1))
	form.Set("comment", "Another <b>plain</b>")
	w := p.submit(path, form)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != p.session.path+path+"?saved=1" {
		t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	saved, err := p.store.Configuration(c.Component, c.ID)
	p.must(err)
	want := strings.Replace(secretDocument, `"plain":"p"`, `"plain":"q"`, 1)
	if got := openedBox(p, saved); got != want || saved.Version != 2 || saved.ChangeDescription != "Another <b>plain</b>" {
		t.Errorf("version %d, %q:\n%s, want\n%s", saved.Version, saved.ChangeDescription, got, want)
	}
	if text := string(saved.Configuration); !strings.Contains(text, `"#variable":"{{key}}"`) || !strings.Contains(text, `"#other":"KBC::`) {
		t.Errorf("encrypted: %s", text)
	}
	p.see(path+"?saved=1", "Saved as version 2.")

	t.Run("a version in between", func(t *testing.T) {
		w := p.submit(path, form)
		if w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "Version 2 was stored since") || !strings.Contains(w.Body.String(), "&#34;q&#34;") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
	_, form = p.opened(path)
	for _, row := range []struct {
		name, old, new, want string
	}{
		{"not JSON", `"plain":`, `"plain"`, "The text is not valid JSON, so it cannot be saved: line "},
		{"a secret elsewhere", `"plain": "q"`, `"plain": "` + p.placeholderOf("s3cret-1") + `"`, "below a key that begins with # (at /parameters/config/plain)."},
		{"a secret in a text", `"plain": "q"`, `"plain": "Bearer ` + p.placeholderOf("s3cret-1") + `"`, "(at /parameters/config/plain)."},
		{"a part of the dots", `••••`, `•••x`, "type the whole value again (at /parameters/config/#key)."},
		{"dots of another secret", `"#key": "` + dots, `"#key": "` + dots + "0", "type the whole value again"},
	} {
		t.Run(row.name, func(t *testing.T) {
			changed := url.Values{"document": {strings.Replace(form.Get("document"), row.old, row.new, 1)}, "base": form["base"]}
			w := p.submit(path, changed)
			if w.Code != http.StatusUnprocessableEntity || !strings.Contains(strings.ReplaceAll(w.Body.String(), "&#39;", "'"), row.want) {
				t.Errorf("%d, want %s: %s", w.Code, row.want, w.Body)
			}
		})
	}
	t.Run("a list", func(t *testing.T) {
		w := p.submit(path, url.Values{"document": {"[]"}, "base": form["base"]})
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "A configuration must be an object, this is an array.") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
	t.Run("format", func(t *testing.T) {
		w := p.submit(path, url.Values{"document": {`{"a":[1.50]}`}, "base": form["base"], "do": {"format"}, "comment": {"mine"}})
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "{\n  &#34;a&#34;: [\n    1.50\n  ]\n}</textarea>") || !strings.Contains(w.Body.String(), `value="mine"`) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
	t.Run("in the trash", func(t *testing.T) {
		other := p.configure(store.Configuration{Component: "acme.ex-shop", Name: "Old"})
		p.must(p.store.DeleteConfiguration(other.Component, other.ID))
		if w := p.get(configurationPath(other.Component, other.ID) + "/edit"); w.Code != http.StatusNotFound {
			t.Errorf("%d", w.Code)
		}
	})
}

// TestSavedTextCanBeSavedAgain: a new secret is saved, and the text that the editor then has
// is checked, tried and saved again. So is the placeholder of a secret that was stored in plain
// text.
func TestSavedTextCanBeSavedAgain(t *testing.T) {
	p := newTryPlatform(t)
	path := configurationPath(p.c.Component, p.c.ID)
	text, form := p.opened(path + "/edit")
	if !strings.Contains(text, `"#password": "`+dots) {
		t.Fatal(text)
	}
	document := strings.Replace(text, `"outputBucket"`, `"#new": {"deep": ["typed-s3cret"]}, "outputBucket"`, 1)
	base := form.Get("base")
	for version := 2; version < 5; version++ {
		form := url.Values{"document": {document}, "base": {base}, "do": {"save"}}
		w := p.post(path+"/edit", "application/x-www-form-urlencoded", "application/json", form.Encode())
		var reply editorResponse
		p.must(json.Unmarshal(w.Body.Bytes(), &reply))
		if w.Code != http.StatusOK || reply.Version != version || strings.Contains(reply.Document, "s3cret") {
			t.Fatalf("save %d: %d %s", version, w.Code, w.Body)
		}
		document, base = reply.Document, reply.Base
		for _, problem := range asked[findingList](p.platform, path+"/assist", question{Want: "findings", Document: document}).List {
			if problem.Severity == "error" {
				t.Errorf("version %d: %+v", version, problem)
			}
		}
		p.see(p.run(document), "success")
	}
	c, err := p.store.Configuration(p.c.Component, p.c.ID)
	p.must(err)
	if got := openedBox(p.platform, c); !strings.Contains(got, `"#new":{"deep":["typed-s3cret"]}`) || !strings.Contains(got, `"#password":"let-me-in-please"`) {
		t.Error(got)
	}
}

// openedBox is a stored configuration with its ciphers decrypted, as compact JSON.
func openedBox(p *platform, c store.Configuration) string {
	p.Helper()
	s := &site{Options: Options{Store: p.store}}
	names, err := s.namesIn(c, nil)
	p.must(err)
	f, err := s.decrypted(s.storedSecrets(c, names), c).fill(s.shownText(editTarget{Configuration: c, secretNames: names}), names)
	p.must(err)
	return compact(f.text)
}

func (p *platform) placeholderOf(secret string) string {
	return (&site{Options: Options{Store: p.store}}).placeholder(compact(`"` + secret + `"`))
}

// TestEditorOfRow: a row has its own text and version; secrets move between documents.
func TestEditorOfRow(t *testing.T) {
	p := newPlatform(t)
	c := p.configure(store.Configuration{Component: "acme.ex-shop", Name: "Shop", Configuration: []byte(`{"parameters":{"api":{"baseUrl":"https://h/"},"config":{"#key":"s3cret-1","outputBucket":"b"}}}`),
		Rows: []store.Row{{ID: "r1", Name: "Users", Configuration: []byte(`{"parameters":{"config":{"jobs":[{"endpoint":"users","dataFeild":"x"}]}}}`)},
			{ID: "r2", Configuration: []byte(`{"parameters":{"config":{"jobs":[{"endpoint":"users","params":{"a":{"attr":"#key"}}}]}}}`)}}})
	path := configurationPath(c.Component, c.ID) + "/edit"
	p.see(path, `aria-current="page">Configuration</a>`, "?row=r1", "No problems found")
	_, form := p.opened(path + "?row=r1")
	body := p.see(path+"?row=r1", "line 4", "unknown-key", "Did you mean &#34;dataField&#34;?", `&#34;dataFeild&#34;`)
	lacks(t, strings.ReplaceAll(body, "&#39;", "'"), "baseUrl")
	form.Set("row", "r1")
	form.Set("document", `{"parameters": {"config": {"#own": "`+p.placeholderOf("s3cret-1")+`", "jobs": [{"endpoint": "users", "params": {"k": {"attr": "#own"}}, "headers": [{"#h": "{{v}}"}]}]}}}`)
	if w := p.submit(path, form); w.Code != http.StatusSeeOther || w.Header().Get("Location") != p.session.path+path+"?row=r1&saved=1" {
		t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	saved, err := p.store.Configuration(c.Component, c.ID)
	p.must(err)
	if got := string(saved.Rows[0].Configuration); !strings.Contains(got, `"#own":"KBC::`) || !strings.Contains(got, `"#h":"{{v}}"`) || saved.Rows[0].Version != c.Rows[0].Version+1 || string(saved.Configuration) != string(c.Configuration) {
		t.Errorf("%+v %s", saved.Rows[0], got)
	}
	if w := p.get(path + "?row=none"); w.Code != http.StatusNotFound {
		t.Errorf("no such row: %d", w.Code)
	}
}

func TestAssistRoute(t *testing.T) {
	p := newPlatform(t)
	p.configure(store.Configuration{Component: variablesComponent, ID: "v", Configuration: []byte(`{"variables": [{"name": "since", "type": "string"}]}`)})
	c := p.configure(store.Configuration{Component: "acme.ex-shop", Name: "Shop", Configuration: []byte(`{"variables_id":"v","parameters":{"config":{"#key":"s3cret-1"}}}`)})
	path := configurationPath(c.Component, c.ID) + "/assist"

	type completions struct {
		Items []struct {
			Label, Insert     string
			Start, End, Caret int
		}
	}
	const text = "{\"é😀\": 1,\n \"par"
	got := asked[completions](p, path, question{Want: "completions", Document: text, Cursor: len("{\"é!!\": 1,\n \"par") - 1})
	if len(got.Items) == 0 || got.Items[0].Label != "parameters" || got.Items[0].Start != 12 || got.Items[0].End != 16 {
		t.Errorf("%+v", got)
	}
	if got := asked[completions](p, path, question{Want: "completions", Document: `{"parameters": {"config": {"jobs": [{"endpoint": "{{"`, Cursor: 52}); len(got.Items) != 1 || got.Items[0].Label != "since" {
		t.Errorf("variables of another configuration: %+v", got)
	}
	h := asked[struct{ Title, Doc string }](p, path, question{Want: "hover", Document: `{"parameters": 1}`, Cursor: 5})
	if h.Title != "parameters" || h.Doc == "" {
		t.Errorf("%+v", h)
	}
	key := p.placeholderOf("s3cret-1")
	found := asked[findingList](p, path, question{Want: "findings", Document: "{\n\"#a\": \"" + key + "\", \"é\": 1, \"parameters\": {\"api\": {\"baseUrl\": \"https://h/\", \"😀\": 1},\n \"config\": {\"#key\": \"x\", \"jobs\": [{\"endpoint\": \"e\", \"method\": \"NO\"}]}}}"})
	if len(found.List) == 0 {
		t.Fatal("nothing found")
	}
	marks := map[string]string{}
	units := []rune(strings.ReplaceAll("{\n\"#a\": \""+key+"\", \"é\": 1, \"parameters\": {\"api\": {\"baseUrl\": \"https://h/\", \"😀\": 1},\n \"config\": {\"#key\": \"x\", \"jobs\": [{\"endpoint\": \"e\", \"method\": \"NO\"}]}}}", "😀", "!!"))
	for _, f := range found.List {
		marks[string(units[f.Start:f.End])] = fmt.Sprintf("%d %s %s", f.Line, f.Severity, f.Code)
	}
	if marks[`"NO"`] != "3 error unknown-choice" || marks[`"!!"`] == "" {
		t.Errorf("%q", marks)
	}
	// What is wrong with a secret does not show it, wherever its dots are.
	body, err := json.Marshal(question{Want: "findings", Document: `{"parameters":{"api":{"baseUrl":"https://h/","#clientCertificate":"` + key + `","pagination":{"method":"` + key + `"}},
		"config":{"#key":"` + key + `","jobs":[{"endpoint":"e","#dataField":"` + key + `","method":{"#x":"` + key + `"}}]}}}`})
	p.must(err)
	if w := p.post(path, "application/json", "", string(body)); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "s3cret") || !strings.Contains(w.Body.String(), "client") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := p.post(path, "application/json", "", "{"); w.Code != http.StatusBadRequest {
		t.Errorf("broken: %d", w.Code)
	}
	w := p.post(path, "application/json", "application/json", `{"document":"`+strings.Repeat("x", maxForm)+`"}`)
	if w.Code != http.StatusRequestEntityTooLarge || !strings.HasPrefix(w.Body.String(), `{"problem":"The text is too large for this page, which accepts at most 25 MB. Use extractor config pull `) {
		t.Errorf("too large: %d %s", w.Code, w.Body)
	}
}

// TestLargeDocument: 1,200 items with a problem in each, of which the first are listed.
func TestLargeDocument(t *testing.T) {
	slowtest.Skip(t, "its document is large")
	p := newPlatform(t)
	var jobs strings.Builder
	for i := range 1200 {
		fmt.Fprintf(&jobs, `,{"endpoint":"e%d","nope":"%s"}`, i, strings.Repeat("x", 60))
	}
	c := p.configure(store.Configuration{Component: "acme.ex-shop", Name: "Shop", Configuration: []byte(`{"parameters":{"api":{"baseUrl":"https://h/"},"config":{"#key":"s3cret","jobs":[` + jobs.String()[1:] + `]}}}`)})
	body := p.see(configurationPath(c.Component, c.ID)+"/edit", "more problems not listed")
	if n := strings.Count(body, `class="finding-line"`); n != shownProblems {
		t.Errorf("%d problems", n)
	}
}

func TestExplain(t *testing.T) {
	p := newPlatform(t)
	p.see("/explain/unknown-key", "What to do", "Cause")
	if w := p.get("/explain/nothing"); w.Code != http.StatusNotFound {
		t.Errorf("%d", w.Code)
	}
}

func TestPlaceholders(t *testing.T) {
	p := newPlatform(t)
	s := &site{Options: Options{Store: p.store}}
	c := store.Configuration{Component: "c", ID: "1", Configuration: []byte(`{"#a":"s3cret-1","#n":123456,"#o":{"x":["s3cret-2"]},"list":[{"name":"pin","value":"s3cret-4"},{"name":"open","value":"v"}],"#p":"{{pin}}"}`)}
	names, err := s.namesIn(c, nil)
	p.must(err)
	hidden := s.hideSecrets(string(c.Configuration), names)
	lacks(t, hidden, "s3cret", "123456")
	back, err := s.storedSecrets(c, names).fill(hidden, names)
	if err != nil || back.text != string(c.Configuration) {
		t.Errorf("%v\n%s\n%s", err, hidden, back.text)
	}
	again := s.hideSecrets(hidden, names)
	if again != hidden {
		t.Errorf("hidden twice:\n%s", again)
	}
	for _, m := range back.moved {
		if got := back.original(m.newStart); got != m.oldStart {
			t.Errorf("%d is %d, want %d", m.newStart, got, m.oldStart)
		}
	}
	if end := len(back.text); back.original(end) != len(hidden) {
		t.Errorf("the end is %d, want %d", back.original(end), len(hidden))
	}
	t.Run("broken", func(t *testing.T) {
		broken := strings.TrimSuffix(hidden, `}`) + `,`
		back, err := s.storedSecrets(c, names).fill(broken, names)
		if err != nil || !strings.Contains(back.text, "s3cret-1") {
			t.Errorf("%v %s", err, back.text)
		}
	})
}

// FuzzPlaceholders: what is hidden is not in the text, and comes back.
func FuzzPlaceholders(f *testing.F) {
	for _, text := range []string{secretDocument, `{"#a":1.0,"b":{"#c":[{"#d":"x"}]}}`, `{"name":"#x","value":"s"}`, `{"#`, "{\"#a\": \"x\n", `[{"#a":"b"}`, `{"#a":"` + dots + `"}`} {
		f.Add(text)
	}
	opened, err := store.Open(f.TempDir()+"/store", time.Now)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = opened.Close() })
	s := &site{Options: Options{Store: opened}}
	f.Fuzz(func(t *testing.T, text string) {
		hidden := s.hideSecrets(text, nil)
		if !json.Valid([]byte(text)) || strings.Contains(text, someDots) || strings.Contains(text, `\u2022`) {
			return
		}
		if shown := leftIn(t, hidden); shown != "" {
			t.Fatalf("%s is shown: %s", shown, hidden)
		}
		back, err := s.storedSecrets(store.Configuration{Configuration: []byte(text)}, nil).fill(hidden, nil)
		if err != nil || compact(back.text) != compact(text) {
			t.Fatalf("%v: %s\n%s\n%s", err, text, hidden, back.text)
		}
	})
}

// leftIn is a value below a key with # that is neither hidden nor harmless, "" if there is
// none.
func leftIn(t *testing.T, text string) string {
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var look func(v value.Value) string
	look = func(v value.Value) string {
		for _, item := range v.Items() {
			if found := look(item); found != "" {
				return found
			}
		}
		for _, m := range v.Members() {
			if isSecret(m.Name) && !harmless(m.Value.JSON()) {
				return m.Value.JSON()
			}
			if found := look(m.Value); found != "" && !isSecret(m.Name) {
				return found
			}
		}
		return ""
	}
	return look(v)
}

// TestTooLargeForTheEditor: the editor shows nothing of it, and saves nothing.
func TestTooLargeForTheEditor(t *testing.T) {
	slowtest.Skip(t, "its documents are large")
	p := newPlatform(t)
	large := strings.Repeat("x", langservice.MaxText)
	c := p.configure(store.Configuration{Component: "acme.ex-shop", Name: "Shop", Configuration: []byte(`{"#a":"s3cret","b":"` + large + `"}`)})
	small := p.configure(store.Configuration{Component: "acme.ex-shop", Name: "Shop", Configuration: []byte(`{"#a":"s3cret"}`)})
	path := configurationPath(c.Component, c.ID)
	if w := p.get(path + "/edit"); w.Code != http.StatusRequestEntityTooLarge || strings.Contains(w.Body.String(), "s3cret") {
		t.Errorf("%d", w.Code)
	}
	_, err := p.store.UpdateConfiguration(c.Component, c.ID, func(c *store.Configuration) error { c.Configuration = []byte(`{}`); return nil })
	p.must(err)
	lacks(t, p.see(path+"/versions?from=1&to=2"), "s3cret", "xxxxxxxx")
	text, form := p.opened(configurationPath(small.Component, small.ID) + "/edit")
	form.Set("document", strings.Replace(text, "{", `{"b": "`+large+`", `, 1))
	path = configurationPath(small.Component, small.ID) + "/edit"
	if w := p.submit(path, form); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("saved: %d", w.Code)
	}
	form.Set("document", strings.Repeat("\n", langservice.MaxText)) // the browser sends CR LF
	encoded := strings.ReplaceAll(form.Encode(), "%0A", "%0D%0A")
	if w := p.post(path, "application/x-www-form-urlencoded", "text/html", encoded); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("lines: %d", w.Code)
	}
	form.Set("document", strings.Repeat("x", maxForm))
	const want = "The text is too large for this page, which accepts at most 25 MB. Use extractor config pull and extractor config push"
	for accept, start := range map[string]string{"application/json": `{"problem":"`, "text/html": ""} {
		w := p.post(path, "application/x-www-form-urlencoded", accept, form.Encode())
		if w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), want) || !strings.HasPrefix(w.Body.String(), start) {
			t.Errorf("a form for %s: %d %.300s", accept, w.Code, w.Body)
		}
	}
}
