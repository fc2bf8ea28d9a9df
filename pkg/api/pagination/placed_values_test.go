package pagination

import (
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// placingJob is a job that has the values in its parameter q, and what it sends with the
// first page.
func placingJob(t *testing.T, s Scroller, own string) BaseRequest {
	t.Helper()
	with := func(values value.Value) (config.RequestSpec, error) {
		return request(t, own).WithParam("q", values), nil
	}
	blank, _ := s.First(config.RequestSpec{}, start)
	first, err := with(blank.Paging)
	if err != nil {
		t.Fatal(err)
	}
	return BaseRequest{RequestSpec: first, WithValues: with}
}

// TestPlacing: a value that the job places is not sent as a parameter, with every method,
// and requests in advance are those that come.
func TestPlacing(t *testing.T) {
	tests := []struct {
		name, settings, placed, job string
		responses                   []string
		want                        []string
	}{
		{name: "offset", settings: `{"method":"offset","limit":2,"firstOffset":1}`, placed: "offset", responses: []string{rows(2), rows(2)},
			want: []string{`t {"q":{"offset":1},"limit":2}`, `t {"q":{"offset":3},"limit":2}`, `t {"q":{"offset":5},"limit":2}`}},
		{name: "offset and limit, behind stoppers", settings: `{"method":"offset","limit":2,"limitStop":{"count":9},"forceStop":{"pages":9}}`, placed: "limit offset", responses: []string{rows(2)},
			want: []string{`t {"q":{"limit":2,"offset":0}}`, `t {"q":{"limit":2,"offset":2}}`}},
		{name: "a parameter of the same name is one of the job", settings: `{"method":"offset","limit":2}`, placed: "limit offset", job: `{"endpoint":"t","params":{"limit":7,"offset":"x"}}`, responses: []string{rows(2)},
			want: []string{`t {"limit":7,"offset":"x","q":{"limit":2,"offset":0}}`, `t {"limit":7,"offset":"x","q":{"limit":2,"offset":2}}`}},
		{name: "no parameters on the first page", settings: `{"method":"offset","limit":2,"firstPageParams":false}`, placed: "offset", responses: []string{rows(2)},
			want: []string{`t {"q":null}`, `t {"q":{"offset":2},"limit":2}`}},
		{name: "page", settings: `{"method":"pagenum","firstPage":0}`, placed: "page", responses: []string{rows(1), rows(1)},
			want: []string{`t {"q":{"page":0}}`, `t {"q":{"page":1}}`, `t {"q":{"page":2}}`}},
		{name: "cursor", settings: `{"method":"cursor","idKey":"id","increment":1}`, placed: "cursor", responses: []string{ids("3", "7")},
			want: []string{`t {"q":null}`, `t {"q":{"cursor":8}}`}},
		{name: "cursor of texts", settings: `{"method":"cursor","idKey":"id","idType":"text"}`, placed: "cursor", responses: []string{ids(`"b"`, `"a"`)},
			want: []string{`t {"q":null}`, `t {"q":{"cursor":"a"}}`}},
		{name: "next", settings: `{"method":"response.param","responseParam":"n","includeParams":true}`, placed: "next", responses: []string{`{"n":"x"}`},
			want: []string{`t {"q":null}`, `t {"q":{"next":"x"}}`}},
		{name: "next with a request for later pages", settings: `{"method":"response.param","responseParam":"n","includeParams":true,"scrollRequest":{"endpoint":"r","params":{"y":1}}}`, placed: "next", responses: []string{`{"n":"x"}`},
			want: []string{`t {"q":null}`, `r {"q":{"next":"x"},"y":1}`}},
		{name: "no value of the method", settings: `{"method":"link"}`, placed: "offset", want: []string{`t {"q":null}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var problems failure.Problems
			all := Compile(field.NewSection(testvalue.Parse(t, tt.settings), "", &problems), AllMethods())
			s, err := all.For("")
			if err != nil || len(problems) > 0 {
				t.Fatal(err, problems)
			}
			s = s.Place(strings.Fields(tt.placed))
			job := placingJob(t, s, tt.job)
			r, state := s.First(job.RequestSpec, start)
			got := []string{show(r)}
			var page PageInfo
			for _, response := range tt.responses {
				var foreseen string
				for r := range Ahead(s, job, state, page) {
					foreseen = show(r)
					break
				}
				page = read(t, s.Needs, response, start)
				var stop *Stop
				if r, state, stop, err = job.Next(s, state, page); stop != nil || err != nil {
					t.Fatal(stop, err)
				}
				if foreseen != "" && foreseen != show(r) {
					t.Errorf("foreseen %s, got %s", foreseen, show(r))
				}
				got = append(got, show(r))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// TestPlacedFails: what is wrong with the job's own request for a page ends the job, and
// no request is made in advance.
func TestPlacedFails(t *testing.T) {
	s := scroller(t, `{"method":"offset","limit":1}`, "").Place([]string{"offset"})
	job := placingJob(t, s, "")
	_, state := s.First(job.RequestSpec, start)
	job.WithValues = func(value.Value) (config.RequestSpec, error) { return config.RequestSpec{}, failure.Userf("no") }
	if _, _, _, err := job.Next(s, state, read(t, s.Needs, rows(1), start)); err == nil {
		t.Error("no error")
	}
	for r := range Ahead(s, job, state, PageInfo{}) {
		t.Errorf("requested %s in advance", show(r))
	}
}

// TestValues: which values a job can refer to.
func TestValues(t *testing.T) {
	const multiple = `{"method":"multiple","scrollers":{"a":{"method":"offset","limit":5},"default":{"method":"cursor","idKey":"id"}}}`
	tests := []struct {
		settings, scroller string
		want               []string
	}{
		{`{}`, "", nil},
		{`5`, "", nil},
		{`{"method":"offset"}`, "", []string{"offset"}},
		{`{"method":"offset","limit":5}`, "", []string{"offset", "limit"}},
		{`{"method":"pagenum","limit":5}`, "", []string{"page", "limit"}},
		{`{"method":"response.param"}`, "", []string{"next"}},
		{`{"method":"response.url"}`, "", nil},
		{multiple, "", []string{"cursor"}},
		{multiple, "a", []string{"offset", "limit"}},
		{multiple, "b", nil},
	}
	for _, tt := range tests {
		var problems failure.Problems
		got := AllMethods().Values(field.NewSection(testvalue.Parse(t, tt.settings), "", &problems), tt.scroller)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s, %q: got %q, want %q", tt.settings, tt.scroller, got, tt.want)
		}
	}
}
