package pagination

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// everyKind is settings that together use every method and every stopper.
func everyKind() []string {
	return []string{
		`{}`,
		`{"method":"offset","limit":2}`,
		`{"method":"offset","limit":2,"total":"total"}`,
		`{"method":"pagenum","total":"total","totalPages":"next"}`,
		`{"method":"offset","offsetFromJob":true,"firstPageParams":false}`,
		`{"method":"pagenum","limit":2,"firstPageParams":false}`,
		`{"method":"pagenum"}`,
		`{"method":"response.url","urlKey":"next","includeParams":true}`,
		`{"method":"response.url","urlKey":"next","paramIsQuery":true,"includeParams":true}`,
		`{"method":"zendesk.response.url","urlKey":"next"}`,
		`{"method":"response.param","responseParam":"next","queryParam":"x","includeParams":true,"scrollRequest":{"endpoint":"r","params":{"y":1},"headers":{"B":"2"}}}`,
		`{"method":"cursor","idKey":"id","param":"x","reverse":true,"increment":-1}`,
		`{"method":"cursor","idKey":"id","param":"y"}`,
		`{"method":"pagenum","nextPageFlag":{"field":"next","stopOn":false},"forceStop":{"pages":9,"time":120,"volume":400},"limitStop":{"field":"total"}}`,
		`{"method":"link","includeParams":true}`,
		`{"method":"response.url","next":{"responseHeader":"X-Next","default":{"response":"next"}},"stopWhen":"total==3"}`,
		`{"method":"cursor","idKey":"id","param":"x.after","idType":"text","paramDelimiter":".","paramsInQuery":true}`,
		`{"method":"offset","limit":2,"startOver":{"rows":3},"limitStop":{"field":"total"},"forceStop":{"pages":5}}`,
		`{"startOver":{"pages":1}}`,
		`{"method":"multiple","forceStop":{"pages":7},"scrollers":{"default":{"method":"offset","limit":1,"limitStop":{"count":9}}}}`,
	}
}

// randomPage is a page with some rows and fields, often fit to continue.
func randomPage(t *testing.T, r *rand.Rand, needs Requirements, now time.Time) PageInfo {
	rows := make([]value.Value, r.IntN(4))
	for i := range rows {
		rows[i] = testvalue.Parse(t, fmt.Sprintf(`{"id":%d}`, r.IntN(100)))
	}
	next := []string{`null`, `7`, `"?a=1&x=2"`, `"https://h/n?start_time=5"`, `"n"`, `"n"`}[r.IntN(6)]
	response := fmt.Sprintf("Link: <n%d>; rel=next\nX-Next: null\n\n"+`{"next":%s,"total":%d,"rows":%s}`, r.IntN(9), next, r.IntN(30), value.OfItems(rows...).JSON())
	return read(t, needs, response, now)
}

// step is what a scroller made of a page.
type step struct {
	Request string
	State   State
	Stop    *Stop
	Err     string
}

func next(s Scroller, job config.RequestSpec, state State, p PageInfo) step {
	request, after, stop, err := s.Next(job, state, p)
	return step{show(request), after, stop, fmt.Sprint(err)}
}

// run is a job under way.
type run struct {
	scroller Scroller
	job      config.RequestSpec
	pages    []PageInfo
	steps    []step
	state    State
}

func begin(s Scroller, job config.RequestSpec, pages []PageInfo) *run {
	first, state := s.First(job, start)
	return &run{scroller: s, job: job, pages: pages, steps: []step{{Request: show(first), State: state}}, state: state}
}

// advance takes the next page in and reports whether the job continues.
func (r *run) advance() bool {
	one := next(r.scroller, r.job, r.state, r.pages[len(r.steps)-1])
	r.steps, r.state = append(r.steps, one), one.State
	return one.Stop == nil && one.Err == "<nil>" && len(r.steps) <= len(r.pages)
}

// TestScrollersArePure feeds random pages: the same state and page always give
// the same result, the job stays as it is, and of two runs that take turns each
// goes as if it were alone.
func TestScrollersArePure(t *testing.T) {
	const jobText = `{"endpoint":"t","method":"GET","params":{"offset":3,"x":{"a":[1]},"z":null},"headers":{"A":"1","B":["2"]}}`
	r := rand.New(rand.NewPCG(1, 2))
	for _, settings := range everyKind() {
		s := scroller(t, settings, "")
		for range 20 {
			job := request(t, jobText)
			var pages [2][]PageInfo
			for i := range pages {
				for at := range 8 {
					pages[i] = append(pages[i], randomPage(t, r, s.Needs, start.Add(time.Duration(at+1)*20*time.Second)))
				}
			}
			alone := [2]*run{begin(s, job, pages[0]), begin(s, job, pages[1])}
			for _, one := range alone {
				for goesOn := true; goesOn; {
					before, page := one.state, one.pages[len(one.steps)-1]
					goesOn = one.advance()
					if again := next(s, job, before, page); !reflect.DeepEqual(again, one.steps[len(one.steps)-1]) {
						t.Fatalf("%s: the same state and page gave\n%+v\n%+v", settings, one.steps[len(one.steps)-1], again)
					}
				}
			}
			turns := [2]*run{begin(s, job, pages[0]), begin(s, job, pages[1])}
			for goesOn := [2]bool{true, true}; goesOn[0] || goesOn[1]; {
				if i := r.IntN(2); goesOn[i] {
					goesOn[i] = turns[i].advance()
				}
			}
			for i := range turns {
				if !reflect.DeepEqual(turns[i].steps, alone[i].steps) {
					t.Fatalf("%s: taking turns\n%+v\nalone\n%+v", settings, turns[i].steps, alone[i].steps)
				}
			}
			if got, want := show(job), show(request(t, jobText)); got != want {
				t.Fatalf("%s: the job became %s", settings, got)
			}
		}
	}
}
