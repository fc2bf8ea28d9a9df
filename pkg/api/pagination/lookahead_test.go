package pagination

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// ahead are the first requests that a job would send after the one that came
// with a state. Those that hold rows by the total are marked.
func ahead(s Scroller, job string, t *testing.T, state State, last PageInfo, most int) []string {
	t.Helper()
	var all []string
	for r, full := range Ahead(s, BaseRequest{RequestSpec: request(t, job)}, state, last) {
		text := show(r)
		if full {
			text += " !"
		}
		if all = append(all, text); len(all) == most {
			break
		}
	}
	return all
}

func TestAhead(t *testing.T) {
	const four = `{"rows":[1,2],"total":7,"meta":{"total":"7","pages":4}}`
	tests := []struct {
		name, settings, job string
		// responses so far; the last request has none yet.
		responses []string
		want      []string // at most 4
	}{
		{name: "before any page", settings: `{"method":"offset","limit":2,"total":"total"}`,
			want: []string{`t {"limit":2,"offset":2}`, `t {"limit":2,"offset":4}`, `t {"limit":2,"offset":6}`, `t {"limit":2,"offset":8}`}},
		{name: "rows up to the total", settings: `{"method":"offset","limit":2,"total":"total"}`, responses: []string{four},
			want: []string{`t {"limit":2,"offset":4} !`, `t {"limit":2,"offset":6} !`, `t {"limit":2,"offset":8}`, `t {"limit":2,"offset":10}`}},
		{name: "a total that is whole pages has no further page", settings: `{"method":"offset","limit":2,"total":"total"}`, responses: []string{`{"rows":[1,2],"total":6}`},
			want: []string{`t {"limit":2,"offset":4} !`, `t {"limit":2,"offset":6}`, `t {"limit":2,"offset":8}`, `t {"limit":2,"offset":10}`}},
		{name: "rows up to the total, counted from the first offset", settings: `{"method":"offset","limit":2,"firstOffset":1,"total":"total"}`, responses: []string{`{"rows":[1,2],"total":6}`},
			want: []string{`t {"limit":2,"offset":5} !`, `t {"limit":2,"offset":7}`, `t {"limit":2,"offset":9}`, `t {"limit":2,"offset":11}`}},
		{name: "the offset of the job counts", settings: `{"method":"offset","limit":2,"offsetFromJob":true,"total":"meta.total"}`, job: `{"endpoint":"t","params":{"offset":3}}`, responses: []string{four},
			want: []string{`t {"offset":7,"limit":2}`, `t {"offset":9,"limit":2}`, `t {"offset":11,"limit":2}`, `t {"offset":13,"limit":2}`}},
		{name: "the page size of the job counts", settings: `{"method":"offset","limit":9,"total":"total"}`, job: `{"endpoint":"t","params":{"limit":2}}`, responses: []string{four},
			want: []string{`t {"limit":2,"offset":4} !`, `t {"limit":2,"offset":6} !`, `t {"limit":2,"offset":8}`, `t {"limit":2,"offset":10}`}},
		{name: "no total in the response", settings: `{"method":"offset","limit":2,"total":"count"}`, responses: []string{four},
			want: []string{`t {"limit":2,"offset":4}`, `t {"limit":2,"offset":6}`, `t {"limit":2,"offset":8}`, `t {"limit":2,"offset":10}`}},
		{name: "a total that is not a number", settings: `{"method":"offset","limit":1,"total":"meta"}`, responses: []string{four},
			want: []string{`t {"limit":1,"offset":2}`, `t {"limit":1,"offset":3}`, `t {"limit":1,"offset":4}`, `t {"limit":1,"offset":5}`}},
		{name: "a total that is too large to be read", settings: `{"method":"offset","limit":1,"total":"total"}`, responses: []string{`{"rows":[1],"total":"` + strings.Repeat("9", 1<<20) + `"}`},
			want: []string{`t {"limit":1,"offset":2}`, `t {"limit":1,"offset":3}`, `t {"limit":1,"offset":4}`, `t {"limit":1,"offset":5}`}},
		{name: "the API's page size is not known before the first page", settings: `{"method":"offset","total":"total"}`},
		{name: "the API's page size", settings: `{"method":"offset","total":"total"}`, responses: []string{four},
			want: []string{`t {"offset":4} !`, `t {"offset":6} !`, `t {"offset":8}`, `t {"offset":10}`}},

		{name: "numbers up to the total of rows", settings: `{"method":"pagenum","limit":2,"total":"total","firstPage":0}`, responses: []string{four},
			want: []string{`t {"page":2,"limit":2} !`, `t {"page":3,"limit":2} !`, `t {"page":4,"limit":2}`, `t {"page":5,"limit":2}`}},
		{name: "numbers up to the total of pages", settings: `{"method":"pagenum","totalPages":"meta.pages"}`, responses: []string{four},
			want: []string{`t {"page":3} !`, `t {"page":4} !`, `t {"page":5}`, `t {"page":6}`}},
		{name: "the greater total counts", settings: `{"method":"pagenum","limit":2,"total":"total","totalPages":"pages"}`, responses: []string{`{"rows":[1,2],"total":5,"pages":4}`},
			want: []string{`t {"page":3,"limit":2} !`, `t {"page":4,"limit":2} !`, `t {"page":5,"limit":2}`, `t {"page":6,"limit":2}`}},
		{name: "a total of rows without a page size", settings: `{"method":"pagenum","total":"total"}`, responses: []string{four},
			want: []string{`t {"page":3}`, `t {"page":4}`, `t {"page":5}`, `t {"page":6}`}},

		{name: "so many rows", settings: `{"method":"offset","limit":2,"total":"total","limitStop":{"count":6}}`, responses: []string{four}, want: []string{`t {"limit":2,"offset":4} !`}},
		{name: "so many rows as the response says", settings: `{"method":"offset","limit":2,"total":"total","limitStop":{"field":"total"}}`, responses: []string{four},
			want: []string{`t {"limit":2,"offset":4} !`, `t {"limit":2,"offset":6} !`}},
		{name: "no one knows how many rows before the first page", settings: `{"method":"offset","limit":2,"limitStop":{"field":"total"}}`},
		{name: "so many pages", settings: `{"method":"pagenum","totalPages":"meta.pages","forceStop":{"pages":3}}`, responses: []string{four}, want: []string{`t {"page":3} !`}},
		{name: "what a flag will say is not known", settings: `{"method":"pagenum","totalPages":"meta.pages","nextPageFlag":{"field":"last","stopOn":true,"ifNotSet":false}}`, responses: []string{four},
			want: []string{`t {"page":3}`, `t {"page":4}`, `t {"page":5}`, `t {"page":6}`}},
		{name: "the size of pages is not known", settings: `{"method":"pagenum","totalPages":"meta.pages","forceStop":{"volume":150}}`, responses: []string{four}, want: []string{`t {"page":3}`}},
		{name: "the time is not known", settings: `{"method":"pagenum","totalPages":"meta.pages","forceStop":{"time":99}}`, responses: []string{four},
			want: []string{`t {"page":3}`, `t {"page":4}`, `t {"page":5}`, `t {"page":6}`}},
		{name: "no page after the end of a round", settings: `{"method":"offset","limit":2,"total":"total","startOver":{"rows":6}}`, responses: []string{four}, want: []string{`t {"limit":2,"offset":4} !`}},
		{name: "all rules of multiple", settings: `{"method":"multiple","forceStop":{"pages":4},"scrollers":{"default":{"method":"offset","limit":2,"total":"total","limitStop":{"count":99}}}}`, responses: []string{four},
			want: []string{`t {"limit":2,"offset":4} !`, `t {"limit":2,"offset":6} !`}},

		{name: "pages of a size that no page has", settings: `{"method":"offset","limit":2,"limitStop":{"count":9}}`, job: `{"endpoint":"t","params":{"limit":9223372036854775807}}`},
		{name: "a page states the next one", settings: `{"method":"response.param","responseParam":"total","queryParam":"x","forceStop":{"pages":9}}`, responses: []string{four}},
		{name: "no paging", settings: `{"forceStop":{"pages":9}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := scroller(t, tt.settings, "")
			job := request(t, tt.job)
			_, state := s.First(job, start)
			var last PageInfo
			for _, response := range tt.responses {
				last = read(t, s.Needs, response, start.Add(time.Second))
				var stop *Stop
				var err error
				if _, state, stop, err = s.Next(job, state, last); stop != nil || err != nil {
					t.Fatal(stop, err)
				}
			}
			if got := ahead(s, tt.job, t, state, last, 4); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// TestAheadIsWhatComes feeds random pages: as long as a job continues, its requests are
// the requests that Ahead yields, regardless of the items on the pages.
func TestAheadIsWhatComes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	foreseen := 0
	for _, settings := range everyKind() {
		s := scroller(t, settings, "")
		for range 20 {
			job := request(t, "")
			_, state := s.First(job, start)
			var page PageInfo
			for at := range 8 {
				expected := ahead(s, "", t, state, page, 1)
				page = randomPage(t, r, s.Needs, start.Add(time.Duration(at+1)*time.Second))
				next, after, stop, err := s.Next(job, state, page)
				if stop != nil || err != nil {
					break
				}
				if len(expected) > 0 {
					foreseen++
					if got := show(next); strings.TrimSuffix(expected[0], " !") != got {
						t.Fatalf("%s: foreseen %s, got %s", settings, expected[0], got)
					}
				}
				state = after
			}
		}
	}
	if foreseen < 100 {
		t.Errorf("only %d requests were foreseen", foreseen)
	}
}
