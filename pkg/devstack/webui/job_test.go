package webui

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

func TestOverview(t *testing.T) {
	p := newPlatform(t)
	p.see("/", "<title>Overview · Local platform</title>", "Get started", "export KBC_URL=http://localhost:8088\n",
		"extractor config push config.json", "curl http://localhost:8088/v2/storage/components/acme.ex-shop/configs")
	s := p.fill()
	body := p.see("/", "<title>1 job running · Local platform</title>", `data-stream="/stream"`,
		`<a href="/jobs/`+s.failed.ID+`">`, `<a href="/configurations/acme.ex-shop/`+s.stock.ID+`">Stock levels</a>`,
		`<time datetime="2026-07-01T12:05:00.000Z" data-form="moment">2026-07-01 12:05:00</time>`, "The last 2 jobs: 0 succeeded, 1 failed; the newest took 130 ms.", "42.0 s")
	lacks(t, body, "Get started")
	if newest, oldest := strings.Index(body, `id="job-`+s.running.ID), strings.Index(body, `id="job-`+s.succeeded.ID); newest > oldest {
		t.Error("the newest job does not come first")
	}
}

func TestOverviewListsTheNewestJobs(t *testing.T) {
	p := newPlatform(t)
	c := p.configure(store.Configuration{Component: "acme.ex-shop"})
	for range shownJobs + 1 {
		_, err := p.store.CreateJob(store.Job{Component: c.Component, Config: c.ID})
		p.must(err)
	}
	body := p.see("/", "Older jobs are not listed here")
	if n := strings.Count(body, `<tr id="job-`); n != shownJobs {
		t.Errorf("%d jobs, want %d", n, shownJobs)
	}
}

func TestHostOfCommands(t *testing.T) {
	for given, want := range map[string]string{
		"localhost:8088": "localhost:8088", "devstack": "devstack", "[::1]:80": "[::1]:80", "10.0.0.1:1": "10.0.0.1:1",
		"a;rm -rf": "localhost", "a$(id)": "localhost", "a b": "localhost", "": "localhost", "[x]": "localhost",
	} {
		if got := host(&http.Request{Host: given}); got != want {
			t.Errorf("host %q gives %q, want %q", given, got, want)
		}
	}
}

func TestConfiguration(t *testing.T) {
	p := newPlatform(t)
	s := p.fill()
	body := p.see("/configurations/acme.ex-shop/"+s.orders.ID, "<title>Web shop · Local platform</title>",
		`<span class="t-key">&#34;#password&#34;</span>: <span class="t-hidden">&#34;[hidden]&#34;</span>`,
		`href="/configurations/keboola.variables/`+s.variables.ID+`"`, `placeholder="no default"`, `href="/jobs/`+s.running.ID+`"`)
	lacks(t, body, "let-me-in")
	fresh := p.configure(store.Configuration{Component: "acme.ex-shop", ID: "it's new"})
	p.see("/configurations/acme.ex-shop/it%27s%20new", "This configuration has not run yet", ` --component acme.ex-shop --config &#39;it&#39;\&#39;&#39;s new&#39; --wait`)
	if w := p.get("/configurations/acme.other/" + url.PathEscape(fresh.ID)); w.Code != http.StatusNotFound {
		t.Errorf("status %d", w.Code)
	}
}

// TestSecretsOfAFailedJob: neither its configuration nor its events show them.
func TestSecretsOfAFailedJob(t *testing.T) {
	p := newPlatform(t)
	j, err := p.store.CreateJob(store.Job{Component: "acme.ex-shop", ConfigData: json.RawMessage(
		`{"parameters": {"#deep": {"a": ["open-sesame"]}, "list": [{"#key": "let-me-in"}], "x": 1}, "variableValuesData": {"values": [{"name": "#v", "value": "let-me-in"}]}}`)})
	p.must(err)
	p.change(j.ID, func(j *store.Job) error { return j.To(store.Processing, p.clock.Now()) })
	p.say(j.ID, "error", "refused (at /parameters/#deep/a/0)", "pointer", "/parameters/#deep/a/0", "#own", "open-sesame")
	p.end(j.ID, store.Error, store.Result{Message: "refused", ErrorType: "user", Variables: []store.Variable{{Name: "#v", Value: "let-me-in"}}})
	for _, path := range []string{"/", jobURL(j.ID), jobURL(j.ID) + "/events"} {
		lacks(t, p.see(path), "let-me-in", "open-sesame")
	}
	p.see(jobURL(j.ID), "Configuration given with the job", `<div class="note" id="problem-1"><p class="where">missing here: <code>/parameters/#deep/a/0</code>`)
}

func TestFailedJob(t *testing.T) {
	p := newPlatform(t)
	s := p.fill()
	body := p.see(jobURL(s.failed.ID), "<title>Job "+s.failed.ID+": error · Local platform</title>", "2 problems in the configuration",
		`<a href="#problem-1">line 16</a>, <a href="#problem-2">line 49</a>`, "local-7f3a91",
		`<span class="t-key">&#34;limit&#34;</span>: <span class="t-string">&#34;ten&#34;</span>,</code><div class="note" id="problem-1"><p>a whole number of at least 1</p><p><b>found</b> &#34;ten&#34;</p><p class="hint"><b>hint</b> leave it out to take the page size of the API</p></div>`,
		"No requests were recorded", `/configurations/acme.ex-shop/`+s.stock.ID+`/edit?at=%2fparameters%2fapi%2fpagination`)
	lacks(t, body, "data-stream", "The configuration has changed since", "missing here")

	_, err := p.store.UpdateConfiguration(s.stock.Component, s.stock.ID, func(c *store.Configuration) error {
		c.Configuration = json.RawMessage(`{"parameters": {"api": {}}}`)
		return nil
	})
	p.must(err)
	p.see(jobURL(s.failed.ID), "The configuration has changed since", "missing here: <code>/parameters/api/pagination/scrollers/by_offset/limit</code>")
	for range 2 { // into the trash, and away
		p.must(p.store.DeleteConfiguration(s.stock.Component, s.stock.ID))
	}
	p.see(jobURL(s.failed.ID), "The configuration was deleted", "<code>/parameters/config/jobs/2/dataFeild</code>")
}

func TestFaultOfARow(t *testing.T) {
	p := newPlatform(t)
	c := p.configure(store.Configuration{Component: "acme.ex-shop", Configuration: json.RawMessage(`{"parameters": {"api": {"baseUrl": "x"}, "config": {"jobs": []}}}`),
		Rows: []store.Row{{ID: "a", Name: "First", Configuration: json.RawMessage(`{"parameters": {"config": {"jobs": [{"endpoint": 1}]}}}`)}, {ID: "b", Configuration: json.RawMessage(`{}`)}}})
	j, err := p.store.CreateJob(store.Job{Component: c.Component, Config: c.ID, ConfigRowIDs: []string{"a"}})
	p.must(err)
	p.change(j.ID, func(j *store.Job) error { return j.To(store.Processing, p.clock.Now()) })
	p.say(j.ID, "error", "two faults", "problems", []map[string]string{{"pointer": "/parameters/config/jobs/0/endpoint", "expected": "a text"}, {"pointer": "/parameters/api/baseUrl", "expected": "an address"}})
	p.end(j.ID, store.Error, store.Result{Message: "two faults", ErrorType: "user"})
	p.see(jobURL(j.ID), `<h3>First (row a), <a href="#problem-1">line 6</a></h3>`, `<h3>Configuration, <a href="#problem-2">line 4</a></h3>`)
}

// TestMissingKey: the place to fix is that of the key, not the brace of its object.
func TestMissingKey(t *testing.T) {
	p := newPlatform(t)
	c := p.configure(store.Configuration{Component: "acme.ex-shop", Configuration: json.RawMessage(`{"parameters": {"api": {"http": {}}, "config": {"jobs": [{"params": {}}]}}}`)})
	j := p.start(c)
	p.say(j.ID, "error", "2 problems", "problems", []map[string]string{
		{"code": "missing-key", "pointer": "/parameters/api", "expected": `expected the key "baseUrl"`},
		{"code": "missing-key", "pointer": "/parameters/config/jobs/0", "expected": `expected the key "endpoint"`},
	})
	p.end(j.ID, store.Error, store.Result{Message: "2 problems", ErrorType: "user"})
	body := p.see(jobURL(j.ID), `/parameters/api/baseUrl</a>`, `<li class="marked absent"><code>      <span class="t-key">&#34;baseUrl&#34;</span>: …</code><div class="note" id="problem-1">`,
		`<span class="t-key">&#34;endpoint&#34;</span>: …</code><div class="note" id="problem-2">`, `<a href="#problem-1">line 3</a>`)
	lacks(t, body, "missing in here", `<li class="marked"><code>`)
	// Each text is there once, and in the log.
	if n := strings.Count(body, "expected the key &#34;baseUrl&#34;"); n != 1 {
		t.Errorf("said %d times", n)
	}
}

func TestFaultsWithoutAPlace(t *testing.T) {
	p := newPlatform(t)
	for _, c := range []struct {
		name, kind string
		say        []any
		want       string
	}{
		{"only a message", "user", nil, "What to fix"},
		{"not the configuration", "application", nil, "The component failed. No setting can fix this"},
		{"problems that are not a list", "user", []any{"problems", 17}, "What to fix"},
		{"problems that are not JSON", "user", []any{"problems", "[{"}, "What to fix"},
		{"a pointer that is not text", "user", []any{"pointer", map[string]int{"a": 1}}, "What to fix"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, err := p.store.CreateJob(store.Job{Component: "acme.ex-shop"})
			p.must(err)
			p.change(j.ID, func(j *store.Job) error { return j.To(store.Processing, p.clock.Now()) })
			p.say(j.ID, "error", "it broke", c.say...)
			p.end(j.ID, store.Error, store.Result{Message: "it broke", ErrorType: c.kind})
			lacks(t, p.see(jobURL(j.ID), c.want, `<p class="why">it broke</p>`), `class="marked"`)
		})
	}
}

func TestSucceededJob(t *testing.T) {
	p := newPlatform(t)
	s := p.fill()
	body := p.see(jobURL(s.succeeded.ID), "<title>Job "+s.succeeded.ID+": success · Local platform</title>", `<a href="/tables/in.c-shop.users">in.c-shop.users</a> <span class="quiet figures">34 rows</span>`,
		"2.12 s", "<code>configurable-extractor</code>", `<span class="code-refused">503</span>`, "then a wait of 650 ms", `<span class="tag">attempt 2</span>`)
	lacks(t, body, "data-stream", "What to fix")
	log := p.see(jobURL(s.succeeded.ID) + "/events")
	if lines := strings.Count(log, "\n"); lines != 28 {
		t.Errorf("%d lines:\n%s", lines, log)
	}
	var first struct{ Time, Type, Message string }
	p.must(json.Unmarshal([]byte(log[:strings.IndexByte(log, '\n')]), &first))
	if first.Message != "Running component acme.ex-shop (row 1 of 1)" || first.Type != "info" {
		t.Errorf("first line %+v", first)
	}
	for _, id := range []string{"0", "999", "x", "01", "-1"} {
		for _, path := range []string{"/jobs/" + id, "/jobs/" + id + "/stream"} {
			if w := p.get(path); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "404 Not Found · Local platform") {
				t.Errorf("%s: status %d, %v", path, w.Code, w.Header())
			}
		}
	}
}

// TestIncompleteJob: wherever the state of a job is shown, "incomplete" is
// beside "success", and its page lists what was found.
func TestIncompleteJob(t *testing.T) {
	const badge = `</svg>success</span> <span class="status incomplete">`
	p := newPlatform(t)
	s := p.fill()
	for _, path := range []string{"/", "/configurations/acme.ex-shop/" + s.orders.ID, jobURL(s.succeeded.ID), jobURL(s.failed.ID)} {
		lacks(t, p.see(path), badge, "Data may be missing")
	}
	j := p.endIncomplete(p.start(s.orders).ID, 2)
	page := p.see(jobURL(j.ID), badge, "<title>Job "+j.ID+": success, incomplete · Local platform</title>",
		`data-announce="Status of job `+j.ID+`: success, but data may be missing."`, "Data may be missing</h2>",
		`23 rows, but 15 were fetched <span class="quiet">(at <code>/parameters/api/pagination</code>)</span></li>`,
		`<li>Job &lt;orders&gt;: page 1 has no data, but the API reports errors: Throttled <span class="quiet">(at <code>/parameters/config/jobs/1</code>)</span></li>`)
	lacks(t, page, "warnings among the events")
	if list := p.see("/configurations/acme.ex-shop/" + s.orders.ID); strings.Count(list, badge) != 1 {
		t.Errorf("not one incomplete job:\n%s", list)
	}
	if overview := p.see("/"); strings.Count(overview, badge) != 2 { // of the jobs, and of the configurations
		t.Errorf("not shown twice:\n%s", overview)
	}

	more := p.endIncomplete(p.start(s.orders).ID, 3)
	p.see(jobURL(more.ID), "See the other warnings in the events below.")
	unknown := p.end(p.start(s.orders).ID, store.Success, store.Result{Incomplete: 2}) // its events are lines of JSON
	p.see(jobURL(unknown.ID), badge, "<p>2 warnings say that data may be missing.</p>", "See the warnings in the events below.")
	failed := p.end(p.start(s.orders).ID, store.Error, store.Result{Incomplete: 2})
	lacks(t, p.see(jobURL(failed.ID)), "incomplete", "Data may be missing")
}

// TestRemaining: the page of a job that succeeded shows what the next run continues with.
func TestRemaining(t *testing.T) {
	p := newPlatform(t)
	s := p.fill()
	left := []string{"job <orders>: 3 of 5 windows left"}
	j := p.end(p.start(s.orders).ID, store.Success, store.Result{Remaining: left})
	p.see(jobURL(j.ID), "Left for the next run</h2>", "<li>job &lt;orders&gt;: 3 of 5 windows left</li>")
	failed := p.end(p.start(s.orders).ID, store.Error, store.Result{Remaining: left})
	lacks(t, p.see(jobURL(failed.ID)), "Left for the next run")
}

func TestManyFindings(t *testing.T) {
	p := newPlatform(t)
	j, err := p.store.CreateJob(store.Job{Component: "acme.ex-shop"})
	p.must(err)
	p.change(j.ID, func(j *store.Job) error { return j.To(store.Processing, p.clock.Now()) })
	for i := range shownFindings + 1 {
		p.say(j.ID, "warn", fmt.Sprintf("finding %d.", i), "event", "data.missing", "pointer", "/p")
	}
	p.end(j.ID, store.Success, store.Result{Incomplete: shownFindings + 1})
	body := p.see(jobURL(j.ID), "<li>finding 0.", fmt.Sprintf("<li>finding %d.", shownFindings-1), "See the other warnings")
	lacks(t, body, fmt.Sprintf("<li>finding %d.", shownFindings))
}

// TestManyEventsAndRequests: of many there are the newest, and ways to all others.
func TestManyEventsAndRequests(t *testing.T) {
	slowtest.Skip(t, "its job has thousands of events")
	p := newPlatform(t)
	j, err := p.store.CreateJob(store.Job{Component: "acme.ex-shop"})
	p.must(err)
	var events []store.Event
	const many = 3*shownEvents + 7
	for i := range many {
		status := 200
		if i%10 == 0 {
			status = 500
		}
		at := noon.Add(time.Duration(i) * time.Second)
		events = append(events, store.Event{RunID: j.ID, Type: "debug", Message: fmt.Sprintf("GET /p: %d", i), Created: at,
			Results: fmt.Appendf(nil, `{"event": "request.answered", "method": "GET", "path": "/p/%d", "status": %d, "seconds": 0.5}`, i, status)})
		events = append(events, store.Event{RunID: j.ID, Type: "info", Message: fmt.Sprintf("number %d.", i), Created: at})
	}
	_, err = p.store.AddEvents(events...)
	p.must(err)
	body := p.see(jobURL(j.ID), fmt.Sprintf("The newest 100 of %d requests", many), fmt.Sprintf("number %d.<", many-1), fmt.Sprintf("number %d.<", many-shownEvents))
	lacks(t, body, fmt.Sprintf("number %d.<", many-shownEvents-1), "GET /p: 906")
	if n := strings.Count(body, `<rect class="bar"`); n != shownRequests {
		t.Errorf("%d bars", n)
	}
	// All events and all requests can be reached from the newest to the first.
	for _, list := range []struct {
		part, entry string
		pages       int
	}{{"job-events", `>number (\d+)\.<`, 4}, {"job-requests", `</b> /p/(\d+)</span>`, 10}} {
		seen, pages, path := map[string]bool{}, 0, jobURL(j.ID)
		for path != "" && pages < 20 {
			body := p.see(path)
			pages++
			for _, match := range regexp.MustCompile(list.entry).FindAllStringSubmatch(body, -1) {
				seen[match[1]] = true
			}
			path = link(body, list.part, "Earlier")
		}
		if len(seen) != many || pages != list.pages {
			t.Errorf("%s: %d of %d entries on %d pages", list.part, len(seen), many, pages)
		}
		first := p.see(link(p.see(jobURL(j.ID)), list.part, "First"))
		if link(first, list.part, "Earlier") != "" || link(first, list.part, "Later") == "" || link(first, list.part, "Newest") == "" {
			t.Errorf("%s: links of the first page", list.part)
		}
	}
	// A filter is in the address, and keeps that of the other list.
	body = p.see(jobURL(j.ID)+"?rkind=failed&eq=NUMBER+17&ekind=info", "91 requests of 907 match", "number 17.<", "number 170.<", `<input type="hidden" name="eq" value="NUMBER 17">`, `value="NUMBER 17"`)
	lacks(t, body, "number 18.<", "</b> /p/11<")
	p.see(jobURL(j.ID)+"?rq=%2fp%2f906&ekind=debug", "1 request of 907 matches", "GET /p: 906<", "</b> /p/906<")
	p.see(jobURL(j.ID)+"?rq=nothing&eq=nothing", "No requests match", "No events match")
}

// link is the address of a link below a part of a page, "" for none.
func link(body, part, text string) string {
	_, rest, _ := strings.Cut(body, `<div id="`+part+`"`)
	rest, _, _ = strings.Cut(rest, "</nav>")
	match := regexp.MustCompile(`<a href="([^"#]*)[^>]*>` + text + `</a>`).FindStringSubmatch(rest)
	if match == nil {
		return ""
	}
	return html.UnescapeString(match[1])
}
