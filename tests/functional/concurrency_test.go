package functional

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// concurrencies are the settings that must give what 1 gives.
var concurrencies = []int{2, 3, 8, 16}

// TestConcurrency generates configurations and APIs, and compares what every concurrency and
// lookahead bring with what comes one request after another: tables, manifests, state, the
// events but for those of requests, and the error.
func TestConcurrency(t *testing.T) {
	slowtest.Skip(t, "it runs all cases with delays of every kind")
	t.Parallel()
	const seeds = 24
	failed, incomplete, requests, runs, dropped, most := 0, 0, 0, 0, 0, map[int]int{}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			p := newPlant(seed)
			serial := p.run(t, 1, int(seed%3))
			if serial.exit != 0 {
				failed++
			}
			incomplete += countKind(serial.events, "response.errors") + countKind(serial.events, "job.short")
			requests += len(serial.requests)
			for i, n := range concurrencies {
				if !slowtest.Turn(int(seed)+i, 2) {
					continue
				}
				runs++
				lookahead := []int{0, 0, 1, 0, 3, 0, 4}[(int(seed)+i)%7]
				got := p.run(t, n, lookahead)
				got.compare(t, serial)
				more := difference(got.requests, serial.requests)
				if len(more) > 0 && got.exit == 0 && lookahead == 0 && !p.totals {
					t.Errorf("%s: too many requests: %v", got.setting, more)
				}
				dropped += len(more)
				most[n] = max(most[n], got.most)
			}
		})
	}
	if failed < seeds/6 || failed > 2*seeds/3 || requests < 40*seeds {
		t.Errorf("the generated runs are too few of one kind: %d of %d fail, %d requests", failed, seeds, requests)
	}
	if dropped < runs*5/8 {
		t.Errorf("only %d pages were requested in advance and dropped, in %d runs", dropped, runs)
	}
	if incomplete < seeds {
		t.Errorf("the generated runs lack too little data: %d findings", incomplete)
	}
	for _, n := range concurrencies {
		// How many really meet is a matter of luck, see TestAsManyAtOnce.
		if most[n] < 2 {
			t.Errorf("concurrency %d: at most %d requests at once", n, most[n])
		}
	}
}

// TestSampleSideBySide generates configurations as TestConcurrency does: a sample
// is the same with every concurrency, requests included.
func TestSampleSideBySide(t *testing.T) {
	slowtest.Skip(t, "it runs generated configurations")
	cut := 0
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			p := newPlant(seed)
			p.sample = 1 + int(seed%3)
			p.expires = 0 // the number of requests, which stderr states, would be a matter of luck
			serial := p.run(t, 1, 0)
			if serial.exit == failure.ExitLimitReached {
				cut++
			}
			for _, n := range []int{3, 16} {
				got := p.run(t, n, 0)
				got.compare(t, serial)
				if more := difference(got.requests, serial.requests); len(more) > 0 && got.exit == failure.ExitLimitReached && !p.totals {
					t.Errorf("%s: too many requests: %v", got.setting, more)
				}
			}
		})
	}
	if cut < 4 {
		t.Errorf("only %d of the generated runs are cut", cut)
	}
}

// TestPlacedValuesAreSent generates configurations as TestConcurrency does: jobs that place
// the values of paging themselves send the requests, and write the files, of those that
// leave it to their scrollers.
func TestPlacedValuesAreSent(t *testing.T) {
	slowtest.Skip(t, "it runs generated configurations")
	requests := 0
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			p := newPlant(seed)
			p.refuses, p.garbles, p.retries, p.reports, p.expires, p.strict, p.totals = 0, 0, 0, 0, 0, false, false // they depend on the order of parameters
			placed := p.run(t, 3, 0)
			dropPlaced(p.jobs)
			set := p.run(t, 3, 0)
			if !maps.Equal(placed.files, set.files) || placed.exit != 0 {
				compareFiles(t, placed.files, set.files)
				t.Errorf("exit %d %s", placed.exit, placed.stderr)
			}
			a, b := sortedQueries(t, placed.requests), sortedQueries(t, set.requests)
			if !slices.Equal(a, b) {
				t.Errorf("only with placed values: %v, only without: %v", difference(a, b), difference(b, a))
			}
			requests += len(difference(placed.requests, set.requests))
		})
	}
	if requests < 30 {
		t.Errorf("only %d requests have their parameters in another order: too few values are placed", requests)
	}
}

// dropPlaced removes the parameters that are values of paging.
func dropPlaced(jobs []map[string]any) {
	for _, j := range jobs {
		params, _ := j["params"].(map[string]any)
		maps.DeleteFunc(params, func(_ string, v any) bool { return v.(map[string]any)["paging"] != nil })
		children, _ := j["children"].([]map[string]any)
		dropPlaced(children)
	}
}

// sortedQueries are requests with their parameters in the order of their names.
func sortedQueries(t *testing.T, requests []string) []string {
	t.Helper()
	var all []string
	for _, r := range requests {
		u, err := url.Parse(r)
		if err != nil {
			t.Fatal(err)
		}
		u.RawQuery = u.Query().Encode()
		all = append(all, u.String())
	}
	slices.Sort(all)
	return all
}

// TestAsManyAtOnce has an API that responds to the requests of children only when as
// many have come as the setting allows.
func TestAsManyAtOnce(t *testing.T) {
	for _, n := range concurrencies {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			var came atomic.Int32
			all := make(chan struct{})
			w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/parents" {
					fmt.Fprint(w, "["+strings.TrimSuffix(strings.Repeat(`{"id":7},`, 2*n), ",")+"]")
					return
				}
				if came.Add(1) == int32(n) {
					close(all)
				}
				select {
				case <-all:
					fmt.Fprint(w, `[{"x":1}]`)
				case <-r.Context().Done():
				}
			}))
			writeFile(t, filepath.Join(w.dir, "config.json"), fmt.Sprintf(`{"parameters":{
				"api":{"baseUrl":"http://api.test/","http":{"concurrency":%d}},
				"config":{"outputBucket":"b","jobs":[{"endpoint":"parents","children":[{"endpoint":"children/{id}","dataType":"c","placeholders":{"id":"id"}}]}]}}}`, n))
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // it would hang for ever
			defer cancel()
			if got := w.run(ctx); got.exit != 0 || came.Load() != int32(2*n) {
				t.Errorf("exit %d, %d requests\n%s", got.exit, came.Load(), got.stderr)
			}
		})
	}
}

// TestCasesSideBySide runs the cases with child jobs or windows again, with other settings of
// the concurrency: all but the order of requests is as they expect it.
func TestCasesSideBySide(t *testing.T) {
	slowtest.Skip(t, "it runs cases again")
	for _, name := range lensCases(casesWithChildren(t)) {
		for _, n := range concurrencies {
			t.Run(fmt.Sprint(name, "/", n), func(t *testing.T) {
				t.Parallel()
				caseOf(t, name).runSideBySide(t, n)
			})
		}
	}
}

// casesWithChildren are the names of the cases for which the order of requests
// does not matter: they have child jobs or windows, no response that takes time, and no login
// before every request, whose tokens would go to other requests.
func casesWithChildren(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, name := range caseNames(t) {
		c := caseOf(t, name)
		text := string(c.config(t))
		timed := slices.ContainsFunc(c.exchanges, func(e exchange) bool { return e.response.clock > 0 })
		manyRuns := strings.Contains(text, `"children"`) || strings.Contains(text, `"windows"`)
		if manyRuns && !timed && c.response == "" && name != "children-login" {
			names = append(names, name)
		}
	}
	if len(names) < 40 {
		t.Fatalf("only %d cases with child jobs", len(names))
	}
	return names
}

// runSideBySide runs the case with a concurrency, against an API that answers its
// requests in any order.
func (c *testCase) runSideBySide(t *testing.T, concurrency int) {
	w, api := c.world(t)
	api.anyOrder, api.failing = true, c.Exit != 0 || c.leavesOut()
	before := c.fill(t, w.dir)
	before["config.json"] = withConcurrency(t, before["config.json"], concurrency)
	got := w.runs(t, before["config.json"])
	api.finish()
	c.checkEnd(t, got)
	c.events = slices.DeleteFunc(c.events, func(e occurrence) bool {
		kind, _ := e["event"].(string)
		return strings.HasPrefix(kind, "request.") || kind == "login.done"
	})
	if i := c.missing(got.events(t)); i < len(c.events) {
		t.Errorf("line %d of events.jsonl has no event after those of the lines before: %s", i+1, linesOf(c.events[i:i+1]))
	}
	c.checkFiles(t, w.dir, before)
	if t.Failed() {
		t.Logf("exit %d\nstderr: %sstdout:\n%s", got.exit, got.stderr, got.stdout)
	}
}

// leavesOut reports whether a job of the case ends before windows or pages that it may have
// requested in advance: it fails alone, or rows of a window are missing.
func (c *testCase) leavesOut() bool {
	return slices.ContainsFunc(c.events, func(e occurrence) bool {
		return e["event"] == "job.failed" || e["event"] == "windows.left" && e["reason"] == "rows of a window may be missing"
	})
}

// withConcurrency is a document with `api.http.concurrency`, everything else in
// its order.
func withConcurrency(t *testing.T, text string, n int) string {
	t.Helper()
	doc, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	set := func(v value.Value) value.Value {
		api := v.Field("api")
		http := api.Field("http")
		if http.IsNull() {
			http = value.OfMembers()
		}
		return v.With("api", api.With("http", http.With("concurrency", value.OfInt(int64(n)))))
	}
	if parameters := doc.Field("parameters"); !parameters.IsNull() {
		return doc.With("parameters", set(parameters)).JSON()
	}
	return set(doc).JSON()
}

// harvest is what a run brought.
type harvest struct {
	setting  string
	exit     int
	stderr   string
	files    map[string]string
	events   []occurrence // but for those of requests, without times
	requests []string     // sorted
	most     int          // requests that were under way at once
}

// run runs the configuration of a plant once.
func (p *plant) run(t *testing.T, concurrency, lookahead int) (h harvest) {
	t.Helper()
	api := p.newAPI(concurrency > 1)
	config := p.config(t, concurrency, lookahead)
	inBubble(t, api, func(t *testing.T, w *world) {
		w.options.Sample = p.sample
		h = reap(t, w, config)
	})
	h.setting = fmt.Sprintf("concurrency %d, lookahead %d", concurrency, lookahead)
	h.requests, h.most = slices.Sorted(slices.Values(api.sent)), api.most
	if h.exit != 0 || lookahead > 0 || p.totals {
		return h // the API learns late what was broken off
	}
	if api.logins != api.ended+1 {
		t.Errorf("%s: %d logins, though %d tokens have ended", h.setting, api.logins, api.ended)
	}
	if h.most > concurrency {
		t.Errorf("%s: %d requests at once", h.setting, h.most)
	}
	return h
}

// reap runs a configuration and takes what it brought. A run that fails brings no
// files.
func reap(t *testing.T, w *world, config string) harvest {
	t.Helper()
	writeFile(t, filepath.Join(w.dir, "config.json"), config)
	input := readTree(t, w.dir)
	got := w.run(context.Background())
	h := harvest{exit: got.exit, stderr: got.stderr, files: readTree(t, w.dir)}
	if got.exit != 0 && got.exit != failure.ExitLimitReached {
		compareFiles(t, h.files, input)
	}
	delete(h.files, "config.json")
	for _, e := range got.events(t) {
		kind, _ := e["event"].(string)
		if strings.HasPrefix(kind, "request.") || kind == "login.done" || kind == "job.progress" || kind == "job.waiting" {
			continue
		}
		delete(e, "time")
		if kind == "run.finished" {
			// What a 401 costs depends on who meets it first.
			delete(e, "seconds")
			delete(e, "requests")
			delete(e, "bytes")
			delete(e, "message")
		}
		h.events = append(h.events, e)
	}
	return h
}

func (h harvest) compare(t *testing.T, serial harvest) {
	t.Helper()
	where := h.setting
	if h.exit != serial.exit || h.stderr != serial.stderr {
		t.Errorf("%s: exit code %d, %q\nwant %d, %q", where, h.exit, h.stderr, serial.exit, serial.stderr)
	}
	if !maps.Equal(h.files, serial.files) {
		t.Errorf("%s: other files:", where)
		compareFiles(t, h.files, serial.files)
	}
	if !reflect.DeepEqual(h.events, serial.events) {
		at := 0
		for at < min(len(h.events), len(serial.events)) && reflect.DeepEqual(h.events[at], serial.events[at]) {
			at++
		}
		t.Errorf("%s: other events from the %dth on:\n%swant:\n%s", where, at+1,
			linesOf(h.events[at:min(at+3, len(h.events))]), linesOf(serial.events[at:min(at+3, len(serial.events))]))
	}
	if missing := difference(serial.requests, h.requests); len(missing) > 0 {
		t.Errorf("%s: never sent: %v", where, missing)
	}
}

// difference is what the first sorted list has more of than the second one.
func difference(a, b []string) []string {
	var more []string
	for _, s := range a {
		if i, ok := slices.BinarySearch(b, s); ok {
			b = slices.Delete(slices.Clone(b), i, i+1)
		} else {
			more = append(more, s)
		}
	}
	return more
}

// plant is what a seed grows into: a configuration and the API behind it.
type plant struct {
	seed uint64
	// What the API is up to: how many of a thousand requests meet it.
	refuses, garbles, retries int
	// reports is for how many it reports errors in the place of items.
	reports int
	strict  bool // a finding of missing data ends the run
	// expires is after how many requests a token ends; 0 for never.
	expires int
	ignores bool
	totals  bool // lists have totals, some of which are wrong
	sample  int  // 0 for none
	jobs    []map[string]any
	next    int // number of the next job
}

func newPlant(seed uint64) *plant {
	random := rand.New(rand.NewPCG(seed, 7))
	p := &plant{seed: seed, retries: random.IntN(60), ignores: random.IntN(2) == 0}
	switch random.IntN(5) {
	case 0:
		p.refuses = 10
	case 1:
		p.garbles = 10
	case 2, 3:
		p.refuses = 60
		p.ignores = true
	}
	if random.IntN(2) == 0 {
		p.expires = 100 + random.IntN(100)
	}
	p.reports, p.strict, p.totals = int(seed%2)*10, seed%12 == 3, seed%4 > 1
	for range 1 + random.IntN(2) {
		p.jobs = append(p.jobs, p.job(random, 0, ""))
	}
	if seed%3 == 2 {
		addWindows(rand.New(rand.NewPCG(seed, 11)), p.jobs, false)
	}
	addWords(rand.New(rand.NewPCG(seed, 13)), p.jobs, 0)
	if seed%4 == 1 {
		addNames(rand.New(rand.NewPCG(seed, 17)), p.jobs)
		p.jobs = append([]map[string]any{{"endpoint": "fields", "scroller": "none", "dataField": "fields", "store": false}}, p.jobs...)
	}
	return p
}

// placedValues are, for each scroller, parameters with values of paging that are sent as
// those that the scroller would set.
var placedValues = map[string]map[string]string{
	"pages":  {"page": "page", "limit": "limit"},
	"offset": {"offset": "offset", "limit": "limit"},
	"next":   {"next": "next"},
	"cursor": {"since": "cursor"},
}

// addWords lets some jobs place the values of paging themselves, run under a condition,
// keep a rate of requests, and have their items in other forms.
func addWords(random *rand.Rand, jobs []map[string]any, depth int) {
	for _, j := range jobs {
		if placed := placedValues[j["scroller"].(string)]; random.IntN(2) == 0 && placed != nil {
			params := map[string]any{}
			for param, name := range placed {
				params[param] = map[string]any{"paging": name}
			}
			own, _ := j["params"].(map[string]any)
			maps.Copy(params, own)
			j["params"] = params
		}
		switch condition := random.IntN(8); {
		case condition > 1:
		case condition == 1 && depth > 0 && j["batch"] == nil:
			j["if"] = map[string]any{"parentItem": "ids.1"}
		default:
			j["if"] = map[string]any{"remembered": "nothing", "default": map[string]any{"function": "time"}}
		}
		if random.IntN(4) == 0 {
			j["rateLimit"] = map[string]any{"requests": 1 + random.IntN(3), "perSeconds": 1}
		}
		switch random.IntN(6) {
		case 0:
			j["dataField"] = "batches.[].items"
		case 1:
			j["dataField"] = map[string]any{"path": "rows", "columns": "names.[].name"}
		case 2:
			j["dataField"] = map[string]any{"path": "forms/[as.kind=lists]/of", "delimiter": "/", "parallel": true}
		}
		children, _ := j["children"].([]map[string]any)
		addWords(random, children, depth+1)
	}
}

// addNames gives the members of items of some jobs the names that the job "fields" reads.
func addNames(random *rand.Rand, jobs []map[string]any) {
	for _, j := range jobs {
		if random.IntN(3) > 0 {
			j["names"] = map[string]any{"dataType": "fields", "key": "key", "name": "name"}
		}
		children, _ := j["children"].([]map[string]any)
		addNames(random, children)
	}
}

// addWindows lets some jobs run for windows, and remember where these end. within is
// set for jobs below one with windows.
func addWindows(random *rand.Rand, jobs []map[string]any, within bool) {
	for _, j := range jobs {
		has := random.IntN(2) == 0
		if has {
			j["windows"] = map[string]any{"from": "2026-01-01", "to": fmt.Sprintf("2026-01-%02d", 1+random.IntN(4)), "step": []string{"1 day", "36 hours"}[random.IntN(2)], "format": "Y-m-d"}
			j["remember"] = map[string]any{fmt.Sprint("until ", j["endpoint"]): map[string]any{"window": "end"}}
		}
		if has || within {
			j["params"] = map[string]any{"from": map[string]any{"window": "start"}}
			j["userData"] = map[string]any{"until": map[string]any{"window": "end"}}
		}
		children, _ := j["children"].([]map[string]any)
		addWindows(random, children, has || within)
	}
}

// job is a job at a depth, below an endpoint with placeholders.
func (p *plant) job(random *rand.Rand, depth int, path string) map[string]any {
	const tokens = "abc"
	path += fmt.Sprintf("/j%d", p.next)
	p.next++
	j := map[string]any{"dataField": "items", "scroller": []string{"pages", "offset", "next", "cursor", "none"}[random.IntN(5)]}
	number := strconv.Itoa(p.next)
	remember := map[string]any{"greatest": map[string]any{"max": "id"}, "last" + number: map[string]any{"last": "type.0"}, "first" + number: map[string]any{"first": "sub.at"},
		"total" + number: map[string]any{"response": "total"}}
	j["remember"] = remember
	if depth > 0 {
		token := tokens[depth-1 : depth]
		remember["each"+number] = map[string]any{"min": "tags.-1", "per": []string{token}}
		path += "/{" + token + "}"
		j["placeholders"] = map[string]any{token: []string{"id", "id", "ids"}[random.IntN(3)]}
		if random.IntN(4) == 0 {
			j["recursionFilter"] = "type==x"
		}
	}
	if random.IntN(3) > 0 {
		j["dataType"] = fmt.Sprintf("t%d", random.IntN(3))
	} else {
		j["dataType"] = fmt.Sprintf("own%d", p.next)
	}
	if random.IntN(4) == 0 {
		j["responseFilter"] = "sub"
	}
	if random.IntN(4) == 0 {
		j["userData"] = map[string]any{"note": fmt.Sprintf("job %d", p.next)}
	}
	p.shape(j, depth)
	j["endpoint"] = path[1:]
	var children []map[string]any
	for range []int{1 + random.IntN(2), random.IntN(3), random.IntN(2), 0}[depth] {
		children = append(children, p.job(random, depth+1, path))
	}
	if children != nil {
		j["children"] = children
	}
	return j
}

// shape adds what decides which items a job keeps, and how many of them are in a
// request of its children.
func (p *plant) shape(j map[string]any, depth int) {
	random := rand.New(rand.NewPCG(p.seed, uint64(1000+p.next)))
	if random.IntN(5) == 0 {
		j["rowFilter"] = []string{"type==x|id>2", "id!=1"}[random.IntN(2)]
	}
	if random.IntN(6) == 0 {
		j["store"] = false
	}
	if depth > 0 && random.IntN(3) == 0 {
		j["batch"] = map[string]any{"size": 1 + random.IntN(3), "across": random.IntN(2) == 0}
		delete(j["remember"].(map[string]any), "each"+strconv.Itoa(p.next)) // it is kept per value of the placeholder
	}
}

// config is config.json.
func (p *plant) config(t *testing.T, concurrency, lookahead int) string {
	t.Helper()
	ignored := []int{}
	if p.ignores {
		ignored = []int{404}
	}
	text, err := json.Marshal(map[string]any{"parameters": map[string]any{
		"api": map[string]any{
			"baseUrl": "http://api.test/",
			"http":    map[string]any{"concurrency": concurrency, "lookahead": lookahead, "ignoreErrors": ignored},
			"authentication": map[string]any{
				"type": "login", "loginRequest": map[string]any{"endpoint": "login"},
				"apiRequest": map[string]any{"headers": map[string]any{"X-Token": map[string]any{"response": "token"}}},
			},
			"pagination": map[string]any{"method": "multiple", "scrollers": p.scrollers()},
		},
		"config": map[string]any{"debug": true, "outputBucket": "b", "onIncomplete": map[bool]string{true: "fail", false: "warn"}[p.strict], "jobs": p.jobs},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// scrollers are those of the jobs, some with totals and with conditions that stop them.
func (p *plant) scrollers() map[string]any {
	random := rand.New(rand.NewPCG(p.seed, 17))
	all := map[string]any{"none": map[string]any{"method": "pagenum", "forceStop": map[string]any{"pages": 1}}}
	for _, row := range []struct{ name, settings, total string }{
		{"pages", `"method":"pagenum","limit":2`, `,"total":"total"`},
		{"offset", `"method":"offset","limit":3`, `,"total":"total"`},
		{"next", `"method":"response.param","responseParam":"next","queryParam":"next","includeParams":true`, ""},
		{"cursor", `"method":"cursor","idKey":"id","param":"since"`, ""},
	} {
		settings := row.settings
		if p.totals {
			settings += row.total
		}
		if random.IntN(3) == 0 {
			settings += pick(random,
				`,"limitStop":{"count":5}`, `,"limitStop":{"field":"total"}`, `,"forceStop":{"pages":2}`, `,"forceStop":{"volume":900}`,
				`,"forceStop":{"time":1}`, // the clock of the runs stands still
				`,"nextPageFlag":{"field":"next","stopOn":false}`)
		}
		all[row.name] = json.RawMessage("{" + settings + "}")
	}
	return all
}

// TestNothingAfterAFailedPage: no request follows a page whose user data cannot be computed,
// neither for the next page nor for child jobs.
func TestNothingAfterAFailedPage(t *testing.T) {
	for _, concurrency := range []int{1, 8} {
		var requests atomic.Int64
		w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			write(w, fmt.Sprintf(`{"items": [{"id": 1}, {"id": 2}], "tags": "a", "next": "http://api.test/t?page=%d"}`, requests.Add(1)))
		}))
		got := w.runs(t, fmt.Sprintf(`{"api": {"baseUrl": "http://api.test/", "http": {"concurrency": %d}, "pagination": {"method": "response.url", "urlKey": "next"}},
			"config": {"jobs": [{"endpoint": "t", "dataField": "items", "userData": {"tags": {"function": "implode", "args": [",", {"response": "tags"}]}},
				"children": [{"endpoint": "t/{id}", "dataField": "items", "placeholders": {"id": "id"}}]}]}}`, concurrency))
		if got.exit != 1 || requests.Load() != 1 || !strings.Contains(got.stderr, "implode: no argument is a list") {
			t.Errorf("%d at once: exit %d, %d requests: %s", concurrency, got.exit, requests.Load(), got.stderr)
		}
	}
}
