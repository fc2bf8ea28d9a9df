package report

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// fixture is a collector with a log, as in a run.
type fixture struct {
	*Collector
	log     *event.Log
	secrets secret.Registry
	now     time.Time
}

func newFixture() *fixture {
	f := &fixture{now: noon}
	f.Collector = New(noon, f.secrets.Mask)
	f.log = event.NewLog(event.Discard{}, &f.secrets, func() time.Time { return f.now })
	f.log.Trace(f.Event)
	return f
}

// emit emits events, each so many seconds after the start of the run.
func (f *fixture) emit(second float64, bodies ...event.Body) {
	f.now = noon.Add(time.Duration(second * float64(time.Second)))
	for _, b := range bodies {
		f.log.Emit(b)
	}
}

func (f *fixture) result(reason string) *Report { return f.finish(f.now, reason) }

// equal compares by the JSON text.
func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	a, err := json.Marshal(got)
	b, err2 := json.Marshal(want)
	if err != nil || err2 != nil || string(a) != string(b) {
		t.Errorf("%s: got\n%s\nwant\n%s (%v, %v)", what, a, b, err, err2)
	}
}

const users, orders = "/parameters/config/jobs/0", "/parameters/config/jobs/1"

func response(job string, iteration, status int, seconds float64) event.RequestAnswered {
	return event.RequestAnswered{
		Method: "GET", URL: "http://a.test" + job, Path: job, Attempt: 1, Status: status, Bytes: 10, Seconds: seconds,
		Job: "e" + job, JobPointer: job, Iteration: iteration, ReportOnly: true,
	}
}

func TestJobs(t *testing.T) {
	f := newFixture()
	login := response(users, 1, 200, 0.25)
	login.Login = true
	lost := response(users, 1, 0, 0.5)
	lost.Reason, lost.Bytes, lost.Waited = "connection reset", 0, 1.5
	f.emit(1, login, lost)
	f.emit(2, event.RequestRetried{Method: "GET", Path: users, Retry: 1, WaitSeconds: 0.1, Job: "e", JobPointer: users, Iteration: 1})
	f.emit(3, response(users, 2, 404, 0.1), response("", 0, 200, 0.1))
	f.emit(4,
		event.JobFinished{Job: "e", Pages: 2, Rows: 3, Rule: "r", Pointer: "/p", JobPointer: users, Iteration: 1},
		event.JobFinished{Job: "never", Rule: "it never ran", JobPointer: orders, Iteration: 1},
		event.JobUnfinished{Job: "e" + users, Pages: 1, Rows: 2, JobPointer: users, Iteration: 2})
	r := f.result("")
	equal(t, "totals", r.Totals, totals{traffic: traffic{
		Requests: 4, Logins: 1, Failures: 2, Retries: 1, Waited: 1.6, Bytes: 30, Seconds: 0.95,
		Statuses: map[string]int{"200": 2, "404": 1, "none": 1},
	}})
	equal(t, "jobs", r.Jobs, []*jobReport{
		{Job: "e" + users, Pointer: users, Iteration: 1, traffic: traffic{
			Requests: 2, Logins: 1, Failures: 1, Retries: 1, Waited: 1.6, Bytes: 10, Seconds: 0.75, Statuses: map[string]int{"200": 1, "none": 1},
		}, Ended: &jobEnd{Pages: 2, Rows: 3, Rule: "r", Pointer: "/p"}},
		{Job: "e" + users, Pointer: users, Iteration: 2, traffic: traffic{Requests: 1, Failures: 1, Bytes: 10, Seconds: 0.1, Statuses: map[string]int{"404": 1}},
			Stored: &stored{Pages: 1, Rows: 2}},
		{Job: "never", Pointer: orders, Iteration: 1, traffic: traffic{Statuses: map[string]int{}}, Ended: &jobEnd{Rule: "it never ran"}},
	})
	first, second, soon := 0, 1, 0.1
	equal(t, "requests", r.Waterfall, waterfall{Requests: []*requestReport{
		{Job: &first, Login: true, Method: "GET", URL: "http://a.test" + users, Attempt: 1, Status: 200, Bytes: 10, Start: 0.75, Seconds: 0.25},
		{Job: &first, Method: "GET", URL: "http://a.test" + users, Attempt: 1, Reason: "connection reset", Start: 0.5, Seconds: 0.5, Held: 1.5, RetryIn: &soon},
		{Job: &second, Method: "GET", URL: "http://a.test" + users, Attempt: 1, Status: 404, Bytes: 10, Start: 2.9, Seconds: 0.1},
		{Method: "GET", URL: "http://a.test", Attempt: 1, Status: 200, Bytes: 10, Start: 2.9, Seconds: 0.1},
	}})
	if r.Status != Success || r.Error != nil || r.Seconds != 4 || r.Started != "2026-07-01T12:00:00.000Z" || r.Finished != "2026-07-01T12:00:04.000Z" {
		t.Errorf("got %+v", r)
	}
}

// TestIgnoredStatus: a status that the configuration allows is no failure.
func TestIgnoredStatus(t *testing.T) {
	f := newFixture()
	f.emit(1, response(users, 1, 404, 0.1), response(users, 2, 404, 0.1), response(users, 2, 500, 0.1), response(orders, 0, 404, 0.1))
	f.emit(2, event.ResponseIgnored{Job: "e", Status: 404, JobPointer: users},
		event.ResponseSkipped{Job: "e", Status: 404, JobPointer: orders}, event.ResponseSkipped{Job: "e", Status: 410, JobPointer: orders})
	r := f.result("")
	if r.Totals.Failures != 2 || r.Totals.Ignored != 2 {
		t.Errorf("totals %+v", r.Totals)
	}
	var got []bool
	for _, q := range r.Waterfall.Requests {
		got = append(got, q.Ignored)
	}
	if !slices.Equal(got, []bool{false, true, false, true}) {
		t.Errorf("ignored: %v", got)
	}
	failures := 0
	for _, p := range r.Activity.Periods {
		failures += p.Failures
	}
	if failures != 2 || r.Jobs[1].Failures != 1 || r.Jobs[1].Ignored != 1 || r.Jobs[2].Failures != 0 {
		t.Errorf("%d failures in the periods, jobs %+v", failures, r.Jobs)
	}
}

// TestDescribe: the report names its configuration and the APIs, each once.
func TestDescribe(t *testing.T) {
	f := newFixture()
	f.Describe("shop/config.json")
	f.Describe("shop/config.json", "https://a.test", "https://b.test", "https://a.test")
	if r := f.result(""); r.Configuration != "shop/config.json" || !slices.Equal(r.APIs, []string{"https://a.test", "https://b.test"}) {
		t.Errorf("%q, %q", r.Configuration, r.APIs)
	}
}

// TestMemory: what was read and what was left are together.
func TestMemory(t *testing.T) {
	f := newFixture()
	f.emit(1, event.StateRead{Name: "since", Value: "2026-01-01", Iteration: 2}, event.StateRead{Name: "per", Values: 3, Iteration: 2})
	f.emit(2, event.StateRemembered{Name: "since", Value: "2026-01-02", Before: "2026-01-01", Iteration: 2, Pointer: users}, event.StateRemembered{Name: "since", Value: "5", Iteration: 1, Pointer: users},
		event.StateRemembered{Name: "per", Values: 4, Iteration: 2, Pointer: orders})
	equal(t, "memory", f.result("").Memory, []*rememberedReport{
		{Name: "since", Iteration: 2, Pointer: users, Read: "2026-01-01", Left: "2026-01-02"},
		{Name: "per", Iteration: 2, Pointer: orders, ReadValues: 3, LeftValues: 4},
		{Name: "since", Iteration: 1, Pointer: users, Left: "5"},
	})
	for i := range 2 * maxMemory {
		f.emit(3, event.StateRead{Name: strconv.Itoa(i), Value: "v"})
	}
	if got := len(f.result("").Memory); got != maxMemory {
		t.Errorf("%d values are kept", got)
	}
}

// TestWindows: a job shows for which windows it ran, even when it failed in one.
func TestWindows(t *testing.T) {
	f := newFixture()
	f.emit(1, event.WindowStarted{Job: "e", Window: 1, Of: 3, Start: "2024-01-01", End: "2024-01-02", JobPointer: users},
		event.WindowStarted{Job: "e", Window: 2, Of: 3, Start: "2024-01-02", End: "2024-01-03", JobPointer: users, Quiet: true},
		event.WindowStarted{Job: "s", Window: 1, Of: 1, JobPointer: orders}, event.WindowStarted{Job: "nowhere"})
	r := f.result("")
	none := traffic{Statuses: map[string]int{}}
	equal(t, "jobs", r.Jobs, []*jobReport{
		{Job: "e", Pointer: users, traffic: none, Windows: &windows{Begun: 2, First: "2024-01-01", Last: "2024-01-03"}},
		{Job: "s", Pointer: orders, traffic: none, Windows: &windows{Begun: 1}}})
}

// TestMoreThanIsKept: the size of a report is bounded, and its sums are complete.
func TestMoreThanIsKept(t *testing.T) {
	const requests, warnings = 5000, 500
	f := newFixture()
	random := rand.New(rand.NewPCG(1, 2))
	var all []float64
	end := 0.0
	for range requests {
		seconds := math.Round(random.Float64()*1000) / 1000
		all = append(all, seconds)
		end += random.Float64()
		f.emit(end, response(users, 0, 200+300*random.IntN(2), seconds))
	}
	for i := range warnings {
		f.emit(end, event.StateWarning{Text: strconv.Itoa(i)}, event.DataEmpty{Job: strconv.Itoa(i), JobPointer: users}, event.ResponseIgnored{Job: strconv.Itoa(i), Status: 404, JobPointer: users})
	}
	f.emit(end, event.MappingWarning{Table: "t", Text: strings.Repeat("é", maxText+1)})
	r := f.result("")
	if len(r.Waterfall.Requests) != maxWaterfall || r.Waterfall.Omitted != requests-maxWaterfall {
		t.Errorf("waterfall of %d, omitted %d", len(r.Waterfall.Requests), r.Waterfall.Omitted)
	}
	slices.SortFunc(all, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
	var slow []float64
	for _, s := range r.Slowest {
		slow = append(slow, s.Seconds)
	}
	if !slices.Equal(slow, all[:maxSlowest]) {
		t.Errorf("slowest %v, want %v", slow, all[:maxSlowest])
	}
	sum := period{}
	for _, p := range r.Activity.Periods {
		sum.Requests += p.Requests
		sum.Failures += p.Failures
		sum.Bytes += p.Bytes
	}
	if n := len(r.Activity.Periods); n > maxPeriods || n < maxPeriods/2 || r.Activity.Step*float64(n) < end-1 {
		t.Errorf("%d periods of %g s for %g s", n, r.Activity.Step, end)
	}
	if want := (period{Requests: requests, Failures: r.Totals.Failures, Bytes: r.Totals.Bytes}); sum != want || want.Failures < requests/3 {
		t.Errorf("the periods hold %+v, want %+v", sum, want)
	}
	if len(r.Warnings) != maxWarnings || r.WarningsOmitted != warnings+2+1-maxWarnings {
		t.Errorf("%d warnings, %d omitted", len(r.Warnings), r.WarningsOmitted)
	}
	equal(t, "a warning of many pages", r.Warnings[1], warning{Source: "data.empty", Pointer: users, Message: "No data found in page 0 of 0", Count: warnings})
	equal(t, "another one", r.Warnings[2], warning{Source: "response.ignored", Pointer: users, Message: "0: status 404 ignored: ", Count: warnings})
}

func TestWarnings(t *testing.T) {
	f := newFixture()
	f.secrets.Add("hunter2")
	f.emit(0, event.ConfigWarning{Pointer: "/a", Text: "odd"}, event.ConfigWarning{Pointer: "/a", Text: "odd"}, event.ConfigWarning{Pointer: "/b", Text: "odd"},
		event.StateWarning{Text: strings.Repeat("é", maxText+1)},
		event.PagingStalled{Job: "j", Page: 2, Flag: "more", Field: "next", Pointer: "/c", JobPointer: users},
		event.WarningsOmitted{Job: "j", Of: "data.empty", Count: 5, JobPointer: users},
		event.JobFinished{Job: "j", JobPointer: orders, Rule: "r"})
	f.Check(failure.Problems{{Code: "plain-secret", Pointer: "/hunter2", Found: failure.Part("hunter2"), Expected: "looks like " + failure.Part("hunter2"), Hint: "write #"}})
	got := f.result("").Warnings
	message := got[2].Message
	if len([]rune(message)) != maxText+1 || !strings.HasSuffix(message, "é…") {
		t.Errorf("a long message: %q", message)
	}
	equal(t, "warnings", got, []warning{
		{Source: "config.warning", Pointer: "/a", Message: "odd", Count: 2},
		{Source: "config.warning", Pointer: "/b", Message: "odd", Count: 1},
		{Source: "state.warning", Message: message, Count: 1},
		{Source: "paging.stalled", Pointer: "/c", Message: "Job j: 'more' of page 2 announces more pages, but there is no value at 'next' to request the next one; the rest was not fetched", Count: 1},
		{Source: "warnings.omitted", Pointer: users, Message: "Job j: 5 more warnings of the kind data.empty not shown", Count: 1},
		{Source: "check", Code: "plain-secret", Pointer: "/[hidden]", Message: "looks like [hidden], found [hidden]; write #", Count: 1},
	})
}

// TestIncomplete: a run with missing data is a success with findings for its jobs.
func TestIncomplete(t *testing.T) {
	f := newFixture()
	f.secrets.Add("hunter2")
	f.emit(1, response(orders, 2, 200, 0.1), response(users, 0, 200, 0.1),
		event.JobShort{Job: "e" + users, Fetched: 15, Total: 23, Unit: "rows", Field: "total", Rule: "the page is empty", Pointer: "/parameters/api/pagination", JobPointer: users},
		event.ResponseErrors{Job: "e" + orders, Page: 1, Text: "hunter2 " + strings.Repeat("é", maxText), JobPointer: orders, Iteration: 2},
		event.DataMissing{Job: "e" + orders, DataField: "items", Lists: []string{"data"}, Pointer: orders + "/dataField", JobPointer: orders, Iteration: 2},
		event.WarningsOmitted{Job: "e" + orders, Of: "data.empty", Count: 3, JobPointer: orders},
		event.RunFinished{Incomplete: 3})
	r := f.result("")
	said := r.Incomplete[1].Text
	if len([]rune(said)) != maxText+1 || !strings.Contains(said, "the API reports errors: [hidden] ") {
		t.Errorf("a long text: %q", said)
	}
	equal(t, "findings", r.Incomplete, []finding{
		{Kind: "job.short", Text: "Job e" + users + ": 'total' of the response says that there are 23 rows, but 15 were fetched; the job ended because the page is empty", Job: 1, Pointer: "/parameters/api/pagination"},
		{Kind: "response.errors", Text: said, Job: 0, Pointer: orders},
		{Kind: "data.missing", Text: "Job e" + orders + ": nothing was found at dataField 'items', but the response has a list at data", Job: 0, Pointer: orders + "/dataField"},
	})
	if r.Status != Success || r.Jobs[0].Incomplete != 2 || r.Jobs[1].Incomplete != 1 {
		t.Errorf("status %s, jobs %+v, %+v", r.Status, *r.Jobs[0], *r.Jobs[1])
	}
	var sources []string
	for _, w := range r.Warnings {
		sources = append(sources, w.Source+" "+w.Pointer)
	}
	equal(t, "warnings", sources, []string{"job.short /parameters/api/pagination", "response.errors " + orders, "data.missing " + orders + "/dataField", "warnings.omitted " + orders})
}

func TestFailures(t *testing.T) {
	f := newFixture()
	f.emit(1, event.RunFailed{Error: "e", ErrorKind: "user", Pointer: "/p", Problems: `[{"code":"c","pointer":"/p","expected":"x","found":"f","hint":"h"}]`})
	r := f.result("e")
	equal(t, "error", r.Error, runError{Message: "e", Kind: "user", Pointer: "/p", Problems: []Problem{{Code: "c", Pointer: "/p", Expected: "x", Found: "f", Hint: "h"}}})
	if r.Status != Failed {
		t.Errorf("status %s", r.Status)
	}
	cut := newFixture()
	cut.emit(1, event.RunCut{Budget: "max-requests", Limit: 2, Job: "j", Pointer: users})
	if r := cut.result(""); r.Status != LimitReached || r.Error != nil || len(r.Warnings) != 1 || r.Warnings[0].Pointer != users {
		t.Errorf("a run that was cut: %+v", r)
	}
	// An error after the last event.
	equal(t, "late error", newFixture().result("late").Error, runError{Message: "late", Kind: "application"})
}

// TestRetriesFindTheirRequests: a retry finds its failed request by job, path, method and
// attempt.
func TestRetriesFindTheirRequests(t *testing.T) {
	f := newFixture()
	other := response(users, 0, 503, 0.1)
	other.JobPointer = orders
	f.emit(1, response(users, 0, 503, 0.1), response(users, 0, 503, 0.1), other)
	retry := event.RequestRetried{Method: "GET", Path: users, Retry: 1, JobPointer: users}
	f.emit(2, retry)
	retry.WaitSeconds = 2
	f.emit(2, retry)
	f.emit(2, retry, event.RequestRetried{Method: "GET", Path: users, Retry: 2, JobPointer: users}) // found no connection
	var got []any
	for _, r := range f.result("").Waterfall.Requests {
		got = append(got, r.RetryIn)
	}
	equal(t, "waits", got, []any{2, 0, nil})
}

// TestKeysAreDocumented: docs/reference/report.md has a table for each object, with its
// keys in their order.
func TestKeysAreDocumented(t *testing.T) {
	documented := documentedKeys(t)
	for title, object := range map[string]any{
		"Report": Report{}, "Error": runError{}, "Problem": Problem{}, "Finding": finding{}, "Totals": totals{}, "Job": jobReport{}, "Windows": windows{}, "Ended": jobEnd{}, "Stored": stored{},
		"Waterfall": waterfall{}, "Request": requestReport{}, "Activity": activity{}, "Period": period{}, "Table": table{}, "Column": Column{}, "Shape": Shape{}, "Memory": rememberedReport{}, "Warning": warning{},
	} {
		typ := reflect.TypeOf(object)
		var want []string
		for _, field := range reflect.VisibleFields(typ) {
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			if field.Anonymous || !field.IsExported() {
				continue
			}
			words := name
			if options == "omitempty" {
				words += ", optional"
			}
			want = append(want, words)
		}
		if title == "Job" { // those of totals are not repeated
			from, to := slices.Index(want, "requests"), slices.Index(want, "statuses")
			want = slices.Replace(want, from, to+1, "requests … statuses")
		}
		if got := documented[title]; !slices.Equal(got, want) {
			t.Errorf("%s is documented with\n%q, want\n%q", title, got, want)
		}
		delete(documented, title)
	}
	for name := range documented {
		t.Errorf("there is no object %s", name)
	}
}

func TestLimitsAreDocumented(t *testing.T) {
	text := readDoc(t)
	for _, words := range []string{
		fmt.Sprintf("the first %d requests, the %d slowest ones, at most %d periods of activity and %d different warnings", maxWaterfall, maxSlowest, maxPeriods, maxWarnings),
		fmt.Sprintf("the first %d remembered values", maxMemory),
		"Addresses, reasons and warnings end after 2,000 characters", "the first 10,000 rows", "16 MiB",
		fmt.Sprintf("version of the form: %d", version),
	} {
		if !strings.Contains(text, words) {
			t.Errorf("docs/reference/report.md does not say %q", words)
		}
	}
	if maxText != 2000 || MaxSampleRows != 10_000 || MaxSampleBytes != 16<<20 {
		t.Error("docs/reference/report.md names other limits")
	}
}
