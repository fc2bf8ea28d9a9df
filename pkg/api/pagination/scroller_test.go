package pagination

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// start is when the first request of every test is sent.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// compileText compiles settings and expects the problems, one text for each.
func compileText(t *testing.T, settings string, problems ...string) Scrollers {
	t.Helper()
	var found failure.Problems
	section := field.NewSection(testvalue.Parse(t, settings), "/api/pagination", &found)
	all := Compile(section, AllMethods())
	if MethodName.In(section).Value.Kind() == value.String { // else Compile has reported it
		CheckParameters(section, AllMethods(), func(string) []string { return nil })
	}
	if len(found) != len(problems) {
		t.Fatalf("%s: got %d problems, want %d: %v", settings, len(found), len(problems), found)
	}
	for i, want := range problems {
		if got := found[i].String(); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", settings, got, want)
		}
	}
	return all
}

// scroller compiles settings for a job that names a scroller or none ("").
func scroller(t *testing.T, settings, name string) Scroller {
	t.Helper()
	s, err := compileText(t, settings).For(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// request reads a request with the keys of a job; "" is a GET of t.
func request(t *testing.T, text string) config.RequestSpec {
	t.Helper()
	if text == "" {
		return config.RequestSpec{Endpoint: "t", Params: value.OfMembers()}
	}
	v := testvalue.Parse(t, text)
	return config.RequestSpec{
		Endpoint: v.Field("endpoint").Raw(),
		Method:   v.Field("method").Raw(),
		Params:   v.Field("params"),
		Headers:  v.Field("headers"),
	}
}

// show is a request in one line: method, endpoint, parameters and headers, each
// one that there is.
func show(r config.RequestSpec) string {
	words := []string{r.Method, r.Endpoint}
	for _, v := range []value.Value{r.Params, r.Headers} {
		if v.Len() > 0 {
			words = append(words, v.JSON())
		}
	}
	if r.Query.Len() > 0 {
		words = append(words, "query "+r.Query.JSON())
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

// rows is a response with so many rows.
func rows(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "]" }

// ids is a response with rows that have these ids.
func ids(values ...string) string {
	items := slices.Clone(values)
	for i, v := range values {
		items[i] = `{"id":` + v + `}`
	}
	return "[" + strings.Join(items, ",") + "]"
}

// asked is the address of every response.
const asked = "https://api.test/v1/items/list?page=1#top"

// read gives a scroller of a response what it needs and no more. The response is
// gone when the scroller is asked. It may begin with lines of headers and an empty
// line.
func read(t *testing.T, needs Requirements, res string, now time.Time) PageInfo {
	t.Helper()
	header := http.Header{}
	if head, body, ok := strings.Cut(res, "\n\n"); ok {
		for line := range strings.SplitSeq(head, "\n") {
			name, text, _ := strings.Cut(line, ": ")
			header[name] = append(header[name], text)
		}
		res = body
	}
	address, err := url.Parse(asked)
	if err != nil {
		t.Fatal(err)
	}
	spool := response.NewSpooler(t.TempDir(), 1<<20).New()
	if _, err := io.WriteString(spool, res); err != nil {
		t.Fatal(err)
	}
	scanner := response.NewScanner(func(s string) string { return s })
	page, err := scanner.Scan(spool, response.Query{Fields: needs.Fields, Volume: needs.Volume})
	if err != nil {
		t.Fatal(err)
	}
	p := PageInfo{Root: page.Root, Rows: page.Rows, Volume: page.Volume, Field: page.Field, Compared: page.FieldForCondition, Header: header, Address: address, Now: now}
	for item, err := range page.Items() {
		if err != nil {
			t.Fatal(err)
		}
		if needs.ItemID.Text != "" {
			id, _ := item.At(needs.ItemID.Text, needs.ItemID.Separator)
			p.IDs.Add(id)
		}
	}
	if err := spool.Close(); err != nil {
		t.Fatal(err)
	}
	return p
}

// walk responds to the requests of a job, each after some time, until the job ends
// or there are no more responses. It returns all requests.
func walk(t *testing.T, s Scroller, job config.RequestSpec, every time.Duration, responses ...string) ([]string, *Stop, error) {
	t.Helper()
	now := start
	next, state := s.First(job, now)
	sent := []string{show(next)}
	for _, res := range responses {
		now = now.Add(every)
		var stop *Stop
		var err error
		if next, state, stop, err = s.Next(job, state, read(t, s.Needs, res, now)); stop != nil || err != nil {
			return sent, stop, err
		}
		sent = append(sent, show(next))
	}
	return sent, nil, nil
}

// sequence is a job with its responses, and what becomes of it.
type sequence struct {
	name, settings string
	job            string // see request
	responses      []string
	sent           []string
	rule           string        // "" when the job continues
	pointer        string        // below /api/pagination; "" is not a pointer at all
	every          time.Duration // between a request and its response
}

func testSequences(t *testing.T, tests []sequence) {
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sent, stop, err := walk(t, scroller(t, tt.settings, ""), request(t, tt.job), tt.every, tt.responses...)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := strings.Join(sent, "\n"), strings.Join(tt.sent, "\n"); got != want {
				t.Errorf("requests\ngot\n%s\nwant\n%s", got, want)
			}
			if stop == nil {
				stop = &Stop{}
			}
			if stop.Rule != tt.rule {
				t.Errorf("rule\ngot  %s\nwant %s", stop.Rule, tt.rule)
			}
			pointer := tt.pointer
			if pointer != "" {
				pointer = "/api/pagination" + pointer
			}
			if stop.Pointer != pointer {
				t.Errorf("pointer: got %s, want %s", stop.Pointer, pointer)
			}
		})
	}
}

func TestNone(t *testing.T) {
	const rule = "one request without pagination"
	testSequences(t, []sequence{
		{name: "nothing set", settings: `{}`, job: `{"endpoint":"t","params":{"x":1}}`, responses: []string{rows(5)}, sent: []string{`t {"x":1}`}, rule: rule},
		{name: "null", settings: `null`, responses: []string{rows(5)}, sent: []string{`t`}, rule: rule},
		{name: "no method", settings: `{"limit":5}`, responses: []string{rows(5)}, sent: []string{`t`}, rule: rule},
		{name: "empty method", settings: `{"method":""}`, responses: []string{rows(5)}, sent: []string{`t`}, rule: rule},
		{name: "a text is not paging", settings: `"offset"`, responses: []string{rows(5)}, sent: []string{`t`}, rule: rule},
		{name: "stoppers make no next request", settings: `{"forceStop":{"pages":9}}`, responses: []string{rows(5)}, sent: []string{`t`}, rule: rule},
	})
}

// placed is the place of a setting: its own, or that of the method when it is
// not given.
func placed(settings, name string) string {
	if strings.Contains(settings, `"`+name+`":`) {
		return "/" + name
	}
	return "/method"
}
