package pagination

import (
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// start is when the first request of every test is sent.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func parse(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// compileText compiles settings and expects the problems, one text for each.
func compileText(t *testing.T, settings string, problems ...string) Scrollers {
	t.Helper()
	var found failure.Problems
	all := Compile(config.NewSection(parse(t, settings), "/api/pagination", &found))
	if len(found) != len(problems) {
		t.Fatalf("%s: got %d problems, want %d: %v", settings, len(found), len(problems), found)
	}
	for i, want := range problems {
		if got := found[i].String(); !strings.Contains(got, want) {
			t.Errorf("%s: got  %s\nwant %s", settings, got, want)
		}
	}
	return all
}

// walk feeds pages to a scroller and returns the parameters of every request
// and the rule that ended the job.
func walk(t *testing.T, s Scroller, params string, pages ...Page) ([]string, *Stop) {
	t.Helper()
	job := config.Request{Endpoint: "t", Params: parse(t, params)}
	request, state := s.First(job, start)
	var sent []string
	for _, page := range pages {
		sent = append(sent, request.Params.JSON())
		var stop *Stop
		var err error
		if request, state, stop, err = s.Next(job, state, page); err != nil {
			t.Fatal(err)
		}
		if stop != nil {
			return sent, stop
		}
	}
	return append(sent, request.Params.JSON()), nil
}

func rows(n int) Page { return Page{Rows: n} }

// ids is a page with these item ids.
func ids(t *testing.T, values ...string) Page {
	p := Page{Rows: len(values)}
	for _, v := range values {
		p.IDs.Add(parse(t, v))
	}
	return p
}

func TestSequences(t *testing.T) {
	tests := []struct {
		name, settings, params string
		pages                  []Page
		sent                   []string
		rule, pointer          string
	}{
		{"offset to an empty page", `{"method":"offset","limit":2}`, `{}`, []Page{rows(2), rows(2), rows(0)},
			[]string{`{"limit":2,"offset":0}`, `{"limit":2,"offset":2}`, `{"limit":2,"offset":4}`}, "empty", "/api/pagination/limit"},
		{"offset to a short page", `{"method":"offset","limit":"2"}`, `{}`, []Page{rows(1)},
			[]string{`{"limit":2,"offset":0}`}, "fewer rows (1) than the page size (2)", "/api/pagination/limit"},
		{"offset goes on after a page that is too long", `{"method":"offset","limit":2}`, `{}`, []Page{rows(3), rows(1)},
			[]string{`{"limit":2,"offset":0}`, `{"limit":2,"offset":2}`}, "fewer rows", "/api/pagination/limit"},
		{"offset with other names keeps the places of job parameters", `{"method":"offset","limit":3,"limitParam":"c","offsetParam":"s"}`, `{"s":9,"x":1}`, []Page{rows(3), rows(0)},
			[]string{`{"s":0,"x":1,"c":3}`, `{"s":3,"x":1,"c":3}`}, "empty", "/api/pagination/limit"},
		{"offset from the job, its own page size", `{"method":"offset","limit":20,"offsetFromJob":true}`, `{"offset":3,"limit":5}`, []Page{rows(5), rows(1)},
			[]string{`{"offset":3,"limit":5}`, `{"offset":8,"limit":5}`}, "fewer rows (1) than the page size (5)", "/api/pagination/limit"},
		{"a page size of 0 in the job means the limit", `{"method":"offset","limit":2}`, `{"limit":0}`, []Page{rows(0)},
			[]string{`{"limit":2,"offset":0}`}, "empty", "/api/pagination/limit"},
		{"offset without parameters on the first page", `{"method":"offset","limit":2,"firstPageParams":false}`, `{"x":1}`, []Page{rows(2), rows(0)},
			[]string{`{"x":1}`, `{"x":1,"limit":2,"offset":2}`}, "empty", "/api/pagination/limit"},
		{"offset without parameters on the first page, from the job", `{"method":"offset","limit":2,"firstPageParams":false,"offsetFromJob":true}`, `{"offset":"7"}`, []Page{rows(2), rows(0)},
			[]string{`{"offset":"7"}`, `{"offset":9,"limit":2}`}, "empty", "/api/pagination/limit"},
		{"offset without a limit goes by the first page", `{"method":"offset"}`, `{}`, []Page{rows(10), rows(10), rows(4)},
			[]string{`{"offset":0}`, `{"offset":10}`, `{"offset":20}`}, "fewer rows (4) than the page size (10)", "/api/pagination/limit"},
		{"offset without a limit, but one in the job", `{"method":"offset"}`, `{"limit":"4"}`, []Page{rows(4), rows(1)},
			[]string{`{"limit":4,"offset":0}`, `{"limit":4,"offset":4}`}, "fewer rows (1) than the page size (4)", "/api/pagination/limit"},
		{"offset without a limit and without rows", `{"method":"offset"}`, `{}`, []Page{rows(0)}, []string{`{"offset":0}`}, "empty", "/api/pagination/limit"},
		{"parameters that are a list", `{"method":"offset","limit":2}`, `["p"]`, []Page{rows(0)}, []string{`{"0":"p","limit":2,"offset":0}`}, "empty", "/api/pagination/limit"},

		{"cursor by the largest id", `{"method":"cursor","idKey":"id","param":"after"}`, `{"x":1}`, []Page{ids(t, "2", "3"), ids(t, "5", "4"), ids(t)},
			[]string{`{"x":1}`, `{"x":1,"after":3}`, `{"x":1,"after":5}`}, "empty", "/api/pagination/idKey"},
		{"cursor keeps the largest id of all pages", `{"method":"cursor","idKey":"id","param":"after"}`, `{}`, []Page{ids(t, "9"), ids(t, "4"), ids(t)},
			[]string{`{}`, `{"after":9}`, `{"after":9}`}, "empty", "/api/pagination/idKey"},
		{"cursor backwards with an increment", `{"method":"cursor","idKey":"id","param":"a","reverse":true,"increment":-1}`, `{"a":"last","o":1}`, []Page{ids(t, "6", "5"), ids(t, "3", "4"), ids(t)},
			[]string{`{"a":"last","o":1}`, `{"a":4,"o":1}`, `{"a":2,"o":1}`}, "empty", "/api/pagination/idKey"},
		{"cursor of numeric texts and fractions", `{"method":"cursor","idKey":"id","param":"a","increment":"1"}`, `{}`, []Page{ids(t, `"7"`, `8.9`), ids(t)},
			[]string{`{}`, `{"a":9}`}, "empty", "/api/pagination/idKey"},
		{"cursor of negative ids", `{"method":"cursor","idKey":"id","param":"a"}`, `{}`, []Page{ids(t, "-5", "-2"), ids(t)},
			[]string{`{}`, `{"a":-2}`}, "empty", "/api/pagination/idKey"},

		{"no paging", `{}`, `{"x":1}`, []Page{rows(5)}, []string{`{"x":1}`}, "without paging", ""},
		{"no method", `{"limit":5}`, `{"x":1}`, []Page{rows(5)}, []string{`{"x":1}`}, "without paging", ""},
		{"a text is no paging", `"offset"`, `{}`, []Page{rows(5)}, []string{`{}`}, "without paging", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := compileText(t, tt.settings).For("")
			if err != nil {
				t.Fatal(err)
			}
			sent, stop := walk(t, s, tt.params, tt.pages...)
			if got, want := strings.Join(sent, " "), strings.Join(tt.sent, " "); got != want {
				t.Errorf("requests\ngot  %s\nwant %s", got, want)
			}
			if stop == nil || !strings.Contains(stop.Rule, tt.rule) || stop.Pointer != tt.pointer {
				t.Errorf("stop: got %+v, want %s at %s", stop, tt.rule, tt.pointer)
			}
		})
	}
}

func TestStatesAreValues(t *testing.T) {
	s, err := compileText(t, `{"method":"offset","limit":2}`).For("")
	if err != nil {
		t.Fatal(err)
	}
	job := config.Request{Params: parse(t, `{}`)}
	_, first := s.First(job, start)
	a, _, _, _ := s.Next(job, first, rows(2))
	b, _, _, _ := s.Next(job, first, rows(2))
	if a.Params.JSON() != `{"limit":2,"offset":2}` || a.Params.JSON() != b.Params.JSON() {
		t.Errorf("the same state must give the same request: %s and %s", a.Params.JSON(), b.Params.JSON())
	}
	if job.Params.JSON() != `{}` {
		t.Errorf("the job changed: %s", job.Params.JSON())
	}
}

func TestCursorNeedsNumbers(t *testing.T) {
	s, err := compileText(t, `{"method":"cursor","idKey":"a.id","param":"p"}`).For("")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Needs().ItemID.Text; got != "a.id" {
		t.Errorf("needs: got %s", got)
	}
	for _, id := range []string{`"x"`, `null`, `true`, `[1]`, `"12abc"`} {
		job := config.Request{}
		_, state := s.First(job, start)
		_, _, _, err := s.Next(job, state, ids(t, "1", id))
		if failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), id) || failure.PointerOf(err) != "/api/pagination/idKey" {
			t.Errorf("%s: got %v", id, err)
		}
	}
}

func TestMultiple(t *testing.T) {
	const two = `"scrollers":{"default":{"method":"offset","limit":1},"c":{"method":"cursor","idKey":"id","param":"p"}}`
	tests := []struct {
		name, settings, job, first string
	}{
		{"a scroller called default serves jobs that name none", `{"method":"multiple",` + two + `}`, "", `{"limit":1,"offset":0}`},
		{"the job names its scroller", `{"method":"multiple",` + two + `}`, "c", `{}`},
		{"the setting default wins", `{"method":"multiple","default":"c",` + two + `}`, "", `{}`},
		{"no default at all", `{"method":"multiple","scrollers":{"a":{"method":"offset","limit":1}}}`, "", `{}`},
		{"only multiple knows names", `{"method":"offset","limit":1}`, "x", `{"limit":1,"offset":0}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := compileText(t, tt.settings).For(tt.job)
			if err != nil {
				t.Fatal(err)
			}
			first, _ := s.First(config.Request{Params: parse(t, `{}`)}, start)
			if got := first.Params.JSON(); got != tt.first {
				t.Errorf("got %s, want %s", got, tt.first)
			}
		})
	}
	if _, err := compileText(t, `{"method":"multiple",`+two+`}`).For("d"); err == nil || !strings.Contains(err.Error(), "'d' is not defined, there are: c, default") {
		t.Errorf("got %v", err)
	}
}

func TestProblems(t *testing.T) {
	tests := []struct {
		settings string
		problems []string
	}{
		{`{"method":"ofset"}`, []string{"/api/pagination/method: expected a method of paging: cursor, offset"}},
		{`{"method":"offset","limit":"many"}`, []string{"/api/pagination/limit: expected a number of rows"}},
		{`{"method":"offset","limit":-1}`, []string{"/api/pagination/limit: expected a number of rows"}},
		{`{"method":"cursor"}`, []string{"needs the key 'idKey'", "needs the key 'param'"}},
		{`{"method":"cursor","idKey":"id","param":"p","increment":"x"}`, []string{"/api/pagination/increment: expected an integer"}},
		{`{"method":"multiple"}`, []string{"/api/pagination/scrollers: the method multiple needs at least one scroller"}},
		{`{"method":"multiple","scrollers":{"a":5}}`, []string{"/api/pagination/scrollers/a: expected an object"}},
		{`{"method":"multiple","default":"b","scrollers":{"a":{"method":"x"}}}`, []string{"/api/pagination/scrollers/a/method", "/api/pagination/default"}},
	}
	for _, tt := range tests {
		compileText(t, tt.settings, tt.problems...)
	}
}
