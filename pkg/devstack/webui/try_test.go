package webui

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tryrun"
)

// wantAll checks that a text has all of these, in their order.
func wantAll(t *testing.T, text string, all ...string) {
	t.Helper()
	rest := text
	for _, one := range all {
		_, after, found := strings.Cut(rest, one)
		if !found {
			t.Errorf("%q is missing, or not in its place, in\n%s", one, text)
			return
		}
		rest = after
	}
}

func wantNone(t *testing.T, text string, none ...string) {
	t.Helper()
	for _, one := range none {
		if strings.Contains(text, one) {
			t.Errorf("%q is in\n%s", one, text)
		}
	}
}

func TestTryShowsWhatHappened(t *testing.T) {
	p := newTryPlatform(t)
	path := p.run(p.shop.document(""))
	text := p.look(path)
	wantAll(t, text, "success", "Requests", "orders", "login", "/login", "/orders?lang=en&amp;since=2026", "2 items", "orders/{id}/items", "/orders/1/items", "/orders?lang=en&amp;page=2",
		"stopped: the response has no value at &#39;meta.next&#39;", "Resulting tables", "shop.orders", "6 rows", "customer", "Why each job stopped", "the response has no value", "edit?at=%2Fparameters%2Fapi%2Fpagination%2FresponseParam")
	wantNone(t, text, "<script>alert", "let-me-in-please", "tok-9-secret", "the-token-of-jobs")
	// Nothing is stored.
	p.must(p.store.Jobs(func(j store.Job) bool {
		t.Errorf("job %s", j.ID)
		return true
	}))
	if buckets, err := p.store.Buckets(); err != nil || len(buckets) != 0 {
		t.Errorf("buckets %v, %v", buckets, err)
	}
	for number, want := range map[int][]string{
		1: {"POST", "200 OK", "/login", "Request body", "password", "login request, attr #password", "[hidden]"},
		2: {"GET", "/orders?lang=en", "address", "baseUrl", "endpoint", "?lang", "default options", "?since", "job, attr since", "X-Client", "headers", "<h4>Response", "data", "2 items at", "orders", "next page", "meta.next", `is-next"`, "next page", `is-data is-data"`, "data: 2 items"},
		3: {"/orders/1/items", "{id}", "id of &#34;orders&#34;", "the whole body", "Stopped here"},
		5: {"?page", "paging"},
	} {
		text := p.look(fmt.Sprintf("%s/requests/%d", path, number))
		wantAll(t, text, want...)
		wantNone(t, text, "<script>alert", "let-me-in-please", "tok-9-secret")
	}
	body := probe(p, p.page, "GET", p.session.path+path+"/requests/2/body", "", "Cookie", p.cookie().String())
	if !strings.HasPrefix(body.Body.String(), `{"meta":{"next":2`) || !strings.HasPrefix(body.Header().Get("Content-Disposition"), "attachment") {
		t.Errorf("the body: %v %.100s", body.Header(), body.Body)
	}
	for _, gone := range []string{"/requests/99", "/requests/x", "/requests/0/body"} {
		if a := probe(p, p.page, "GET", p.session.path+path+gone, "", "Cookie", p.cookie().String()); a.Code != http.StatusNotFound {
			t.Errorf("%s: %d", gone, a.Code)
		}
	}
}

// TestTryBodyThatCannotBeRead: the download of a body ends as broken if the recording
// cannot be read to its end.
func TestTryBodyThatCannotBeRead(t *testing.T) {
	p := newTryPlatform(t)
	path := p.run(p.shop.document(""))
	recordings, err := filepath.Glob(filepath.Join(p.triesDir, strings.TrimPrefix(path, "/tries/"), "*.har"))
	p.must(err)
	for _, name := range recordings {
		text, err := os.ReadFile(name)
		p.must(err)
		p.must(os.WriteFile(name, bytes.ReplaceAll(text, []byte(`\"Eva Novak`), []byte(`\qEva Novak`)), 0o600))
	}
	var reported []error
	p.page, p.session = open(Options{
		Store: p.store, API: newAPI(p.store, p.clock.Now), Tries: p.tries, Token: testToken, Now: p.clock.Now, Done: p.done,
		Report: func(err error) { reported = append(reported, err) },
	})
	defer func() {
		if got, ok := recover().(error); !ok || !errors.Is(got, http.ErrAbortHandler) || len(reported) != 1 {
			t.Errorf("ended with %v, reported %v", got, reported)
		}
	}()
	w := probe(p, p.page, "GET", p.session.path+path+"/requests/2/body", "", "Cookie", p.cookie().String())
	t.Errorf("the download ended as complete: %d %.200s", w.Code, w.Body)
}

// TestTryWithoutAReport: a page without the totals of the report says why.
func TestTryWithoutAReport(t *testing.T) {
	p := newTryPlatform(t)
	path := p.run(p.shop.document(""))
	const without = "This try has no report, so the rows of its jobs, and why each job stopped, are unknown."
	wantNone(t, p.look(path), without)
	p.must(os.RemoveAll(filepath.Join(p.triesDir, strings.TrimPrefix(path, "/tries/"), "report")))
	text := p.look(path)
	wantAll(t, text, "success", without)
	wantNone(t, text, "Why each job stopped")
	wantAll(t, p.look(path+"/stream"), "event: replace", without, "event: end")
}

// TestTryWithoutABody: a body that cannot be searched for secrets is not kept, and the page
// says so.
func TestTryWithoutABody(t *testing.T) {
	p := newTryPlatform(t)
	path := p.run(strings.ReplaceAll(p.shop.document(""), `"endpoint": "orders"`, `"endpoint": "photo"`))
	text := p.look(path + "/requests/2")
	wantAll(t, text, "200 OK", "/photo", "the body is left out: it is not a text")
	wantNone(t, text, "PNG", "Download the body")
	again := p.run(strings.ReplaceAll(p.shop.document(""), `"endpoint": "orders"`, `"endpoint": "photo"`), "replay", strings.TrimPrefix(path, "/tries/"))
	wantAll(t, p.look(again), "error", "cannot replay", "the body is left out")
}

func TestTryWithoutAskingTheAPI(t *testing.T) {
	p := newTryPlatform(t)
	first := p.run(p.shop.document(""))
	asked := p.shop.requests.Load()
	id := strings.TrimPrefix(first, "/tries/")
	// Other tables, the same requests.
	again := p.run(strings.ReplaceAll(p.shop.document(""), `"outputBucket": "shop"`, `"outputBucket": "other"`), "replay", id)
	wantAll(t, p.look(again), "success", "replayed, no requests were sent", "/orders?lang=en&amp;since=2026", "other.orders")
	// A request that was not recorded.
	more := p.run(p.shop.document(`, {"endpoint": "stock"}`), "replay", strings.TrimPrefix(again, "/tries/"))
	wantAll(t, p.look(more), "error", "was not recorded", "stock", "/stock?lang=en", "not recorded")
	if now := p.shop.requests.Load(); now != asked {
		t.Errorf("the API was asked %d times more", now-asked)
	}
}

func TestTryThatFails(t *testing.T) {
	p := newTryPlatform(t)
	text := p.look(p.run(`{"parameters": {"api": {"baseUrl": "` + p.shop.URL + `"}, "config": {"jobs": [{"endpiont": "x"}]}}}`))
	wantAll(t, text, "error", "edit?at=%2Fparameters%2Fconfig%2Fjobs%2F0", "/parameters/config/jobs/0")
	text = p.look(p.run(p.shop.document(`, {"endpoint": "nowhere"}`)))
	wantAll(t, text, "error", "404", "/parameters/config/jobs/1", "/nowhere", "A failed try writes no tables")
	text = p.look(p.run(`{"variables_id": "none", "parameters": {"api": {}}}`))
	wantAll(t, text, "error", "Variable configuration cannot be read", "no recording")
}

func TestTryIsFollowedAndCancelled(t *testing.T) {
	p := newTryPlatform(t)
	hold := make(chan struct{})
	p.shop.hold.Store(&hold)
	path := p.start(p.shop.document(""))
	wantAll(t, p.look(path), `data-stream="`, "processing", "Cancel")
	try, _ := p.tries.Get(strings.TrimPrefix(path, "/tries/"))
	if a := p.submit(path+"/cancel", nil); a.Code != http.StatusSeeOther {
		t.Errorf("cancelling: %d", a.Code)
	}
	<-try.Done()
	stream := p.look(path + "/stream")
	wantAll(t, stream, "event: replace", "cancelled", "event: end")
	close(hold)
}

func TestTriesThatAreRefused(t *testing.T) {
	p := newTryPlatform(t)
	other := p.configure(store.Configuration{Component: "acme.ex-shop", ID: "2"})
	done := strings.TrimPrefix(p.run(p.shop.document("")), "/tries/")
	for name, one := range map[string]struct {
		config string
		form   url.Values
		status int
		says   string
	}{
		"no text":             {"1", url.Values{}, 422, "editor is empty"},
		"not JSON":            {"1", url.Values{"document": {`{"a":`}}, 422, ""},
		"a sample of nothing": {"1", url.Values{"document": {"{}"}, "try-sample": {"0"}}, 422, "The sample"},
		"too many requests":   {"1", url.Values{"document": {"{}"}, "try-requests": {"99999999"}}, 422, "from 1 to"},
		"words":               {"1", url.Values{"document": {"{}"}, "try-seconds": {"<b>"}}, 422, "&lt;b&gt;"},
		"no recording":        {"1", url.Values{"document": {"{}"}, "replay": {"nothing"}}, 422, "has been removed"},
		"of another":          {other.ID, url.Values{"document": {"{}"}, "replay": {done}}, 422, "another configuration"},
		"no configuration":    {"77", url.Values{"document": {"{}"}}, 404, ""},
		"a large text":        {"1", url.Values{"document": {strings.Repeat("x", maxForm)}}, 413, "at most 25 MB"},
	} {
		a := p.submit("/configurations/acme.ex-shop/"+one.config+"/try", one.form)
		if a.Code != one.status || !strings.Contains(a.Body.String(), one.says) {
			t.Errorf("%s: %d %s", name, a.Code, a.Body)
		}
	}
}

func TestTryWithValuesOfVariables(t *testing.T) {
	p := newTryPlatform(t)
	declared := p.configure(store.Configuration{Component: variablesComponent, ID: "9", Configuration: []byte(`{"variables": [{"name": "year", "type": "string"}, {"name": "pass", "type": "string"}]}`),
		Rows: []store.Row{{ID: "r", Configuration: []byte(`{"values": [{"name": "year", "value": "2020"}, {"name": "pass", "value": "let-me-in-please"}]}`)}}})
	text := strings.ReplaceAll(strings.ReplaceAll(p.shop.document(""), `"since": "2026"`, `"since": "{{year}}"`), `"let-me-in-please"`, `"{{pass}}"`)
	text = `{"variables_id": "` + declared.ID + `", "variables_values_id": "r",` + text[1:]
	_, err := p.store.UpdateConfiguration("acme.ex-shop", "1", func(c *store.Configuration) error {
		c.Configuration = []byte(text)
		return nil
	})
	p.must(err)
	wantAll(t, p.look(p.run(text)), "success", "since=2020")
	path := p.run(text, "value.year", "1999", "value.pass", "")
	wantAll(t, p.look(path), "success", "since=1999")
	wantNone(t, p.look(path+"/requests/1"), "let-me-in-please")
	panel, err := (&site{Options: Options{Store: p.store, Tries: p.tries}}).panel("acme.ex-shop", "1")
	if err != nil || len(panel.Fields) != 2 || !panel.Fields[1].Secret || panel.Last == nil {
		t.Errorf("got %+v, %v", panel, err)
	}
}

// TestReplayOfAMistake: a wrong dataField is named although the recording lacks the requests
// that follow from it.
func TestReplayOfAMistake(t *testing.T) {
	p := newTryPlatform(t)
	text := p.shop.document("")
	right := p.run(text, "try-sample", "2")
	mistake := p.run(strings.Replace(text, `"dataField": "orders"`, `"dataField": "odrers"`, 1), "try-sample", "2", "replay", strings.TrimPrefix(right, "/tries/"))
	wantAll(t, p.look(mistake), "odrers", "the next request differs from the recorded one", `data-at="/parameters/config/jobs/0/dataField"`)
}

// TestTryOfTheDemo: the values of variables begin as those of the last run, also after a try,
// and the editor misses none of them.
func TestTryOfTheDemo(t *testing.T) {
	p := newTryPlatform(t)
	p.configure(store.Configuration{Component: variablesComponent, ID: "9", Configuration: []byte(`{"variables": [{"name": "year", "type": "int"}, {"name": "pass", "type": "string"}]}`)})
	text := strings.ReplaceAll(strings.ReplaceAll(p.shop.document(""), `"since": "2026"`, `"since": "{{year}}"`), `"let-me-in-please"`, `"{{pass}}"`)
	text = `{"variables_id": "9",` + text[1:]
	c, err := p.store.UpdateConfiguration("acme.ex-shop", "1", func(c *store.Configuration) error { c.Configuration = []byte(text); return nil })
	p.must(err)
	edit := configurationPath(c.Component, c.ID) + "/edit"
	missing := func() bool {
		list := asked[findingList](p.platform, configurationPath(c.Component, c.ID)+"/assist", question{Want: "findings", Document: text}).List
		return slices.ContainsFunc(list, func(f problem) bool { return f.Code == "missing-variable" })
	}
	p.see(edit, `<details class="try-limits" open>`, `name="value.year"`, `name="value.pass" type="password"`)
	if !missing() {
		t.Error("the editor does not say that variables have no value")
	}

	p.end(p.platform.start(c).ID, store.Success, store.Result{Variables: []store.Variable{{Name: "year", Value: "2024"}, {Name: "pass", Value: "let-me-in-please"}}})
	lacks(t, p.see(edit, `name="value.year" type="text" value="2024"`), "let-me-in")
	if missing() {
		t.Error("the editor misses values of the last run")
	}

	wantAll(t, p.look(p.run(text, "value.year", "1999", "value.pass", "let-me-in-please")), "success", "since=1999")
	lacks(t, p.see(edit, `value="1999"`), "let-me-in")

	p.end(p.platform.start(c).ID, store.Success, store.Result{Variables: []store.Variable{{Name: "year", Value: "2025"}}})
	p.see(edit, `name="value.year" type="text" value="2025"`)
	if missing() {
		t.Error("the editor misses the value of a try before the last run")
	}
}

// TestTreeOfManyRequests: a page of the tree has a limited number of requests, no matter
// where they are.
func TestTreeOfManyRequests(t *testing.T) {
	t.Parallel()
	x := &tryrun.Index{Iterations: 2}
	for i := range 25_000 {
		x.Rows = append(x.Rows, tryrun.Row{Number: i + 1, Job: "j", Pointer: "/j", At: []int{1 + i/20_000, 1, 1, 1 + i}, Method: "GET", URL: "http://a/b", Status: 200})
	}
	x.Rows = append(x.Rows, tryrun.Row{Number: 25_001, URL: "odd"}, tryrun.Row{Number: 25_002, URL: "odd", At: []int{1}})
	for _, from := range []int{-5, 0, 199, 200, 20_000, 25_001, 1 << 40} {
		tree := newRequestTree(x, "/tries/a", from)
		if tree.Last-tree.First >= treeRows || tree.First < 1 || tree.Last > len(x.Rows) || (tree.Earlier == "") != (tree.First == 1) || (tree.Later == "") != (tree.Last == len(x.Rows)) {
			t.Errorf("from %d: %d to %d, %q %q", from, tree.First, tree.Last, tree.Earlier, tree.Later)
		}
		if _, err := shownWith("try-node", tree.Nodes[0]); err != nil {
			t.Error(err)
		}
	}
}

// shownWith makes a fragment.
func shownWith(name string, data any) (string, error) {
	s := &site{session: newSession(), assets: newAssets()}
	s.Now = time.Now
	s.views = newViews(s)
	return s.fragment(name, data)
}

// TestOnlyTheValueInUseIsMarked: paging takes the id of one item.
func TestOnlyTheValueInUseIsMarked(t *testing.T) {
	t.Parallel()
	marked := func(values ...string) string {
		v, err := newBodyView(strings.NewReader(`[{"id":1},{"id":"12"},{"id":2}]`), bodyLevels()[0], []bodyMark{{"next", "n", []string{"*", "id"}}})
		if err != nil {
			t.Fatal(err)
		}
		v.markOnly(values)
		found := ""
		for _, l := range v.Lines {
			for _, t := range l.Tokens {
				if l.Mark != "" && (t.Kind == "number" || t.Kind == "string") {
					found += " " + t.Text
				}
			}
		}
		return found
	}
	for values, want := range map[string]string{"2": " 2", "12": ` "12"`, "3": ` 1 "12" 2`} {
		if got := marked("en", values); got != want {
			t.Errorf("with %s:%s, want%s", values, got, want)
		}
	}
	rows := []tryrun.Row{{At: []int{1, 1, 1, 1}, URL: "a"}, {At: []int{1, 1, 1, 1, 1, 2}, URL: "child"}, {At: []int{1, 1, 1, 2}, URL: "login", Login: true}, {At: []int{1, 1, 1, 2}, URL: "http://h/?after=5&a=b"}}
	if got := following(rows); got != rows[3].URL || !slices.Contains(queryValues(got), "5") {
		t.Errorf("the next page is %q", got)
	}
	if got := following(rows[3:]); got != "" {
		t.Errorf("after the last page comes %q", got)
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	marks := []bodyMark{{"next", "n", []string{"meta", "next"}}, {"next", "n", []string{"rows", "*", "id"}}, {"data", "d", []string{"rows"}}}
	for name, one := range map[string]struct{ text, want string }{
		"marks":         {`{"rows":[{"id":1},{"id":2}],"meta":{"next":"x"}}`, "{\n \"rows\": [ <data d>|\n  { |\n   \"id\": 1 <next n>|\n  },|\n  {|\n   \"id\": 2 <next n>|\n  }|\n ],|\n \"meta\": {\n  \"next\": \"x\" <next n>\n }\n}"},
		"empty":         {`{"a":[],"b":{}}`, "{\n \"a\": [],\n \"b\": {}\n}"},
		"cut":           {`{"a":"text that is n`, "{\n \"a\": \"text that is n"},
		"not JSON":      {"[[[}}}]::,,\"", ""},
		"plain":         {"a\r\nb\n", "a\nb"},
		"many brackets": {strings.Repeat("[", 5000), ""},
	} {
		v, err := newBodyView(strings.NewReader(one.text), bodyLevels()[0], marks)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var lines []string
		for _, l := range v.Lines {
			line := strings.Repeat(" ", l.Indent)
			for _, token := range l.Tokens {
				line += token.Text
			}
			if l.Mark != "" {
				line += " <" + l.Mark + " " + l.Label + ">"
			}
			if l.Data {
				line += "|"
			}
			lines = append(lines, line)
		}
		got := strings.Join(lines, "\n")
		if want := strings.ReplaceAll(one.want, "{ |", "{|"); one.want != "" && strings.ReplaceAll(got, "[ <", "[ <") != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	if v, err := newBodyView(strings.NewReader("PK\x00\xff"), bodyLevels()[0], nil); err != nil || !v.Binary {
		t.Errorf("binary: %+v, %v", v, err)
	}
	if v, err := newBodyView(strings.NewReader(strings.Repeat("č", 40_000)), bodyLevels()[0], nil); err != nil || v.Binary || !v.Cut {
		t.Errorf("long text: %v %v, %v", v.Binary, v.Cut, err)
	}
}

func FuzzBody(f *testing.F) {
	f.Add(`{"rows":[{"id":1}],"meta":{"next":"x\""}}`)
	f.Add(`[1,2,{"a":[]}]]]]`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := newBodyView(strings.NewReader(text), bodyLevel{1000, 50}, []bodyMark{{"data", "d", []string{"rows"}}, {"next", "n", []string{}}})
		if err != nil || len(v.Lines) > 50 {
			t.Fatalf("%d lines, %v", len(v.Lines), err)
		}
	})
}
