package pagination

import (
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
)

// TestStartOver: after pages with these rows, the job starts over, ends or continues.
func TestStartOver(t *testing.T) {
	const (
		one, two, none = `{"rows":[1],"total":9}`, `{"rows":[1,2],"total":9}`, `{"rows":[],"total":9}`
		last           = `{"rows":[1,2],"total":9,"last":true}`
	)
	tests := []struct {
		name, settings string
		responses      []string
		want           string // "over", "over, stated", "on", or the rule of the stop
	}{
		{"below the number", `{"method":"offset","limit":2,"startOver":{"rows":5}}`, []string{two, two}, "on"},
		{"a page may cross the number", `{"method":"offset","limit":2,"startOver":{"rows":5}}`, []string{two, two, two}, "over"},
		{"a page that is not full is the last one", `{"method":"offset","limit":2,"startOver":{"rows":4}}`, []string{two, two[:9] + `2,3],"total":9}`}, "over"},
		{"rows beyond the number on a page that is not full", `{"method":"pagenum","limit":3,"startOver":{"rows":4}}`, []string{`{"rows":[1,2,3]}`, two}, "the page has fewer rows (2) than the page size (3)"},
		{"a page that the API has cut at the number", `{"method":"pagenum","limit":3,"startOver":{"rows":4}}`, []string{`{"rows":[1,2,3]}`, one}, "over"},
		{"an empty page is the last one", `{"method":"pagenum","startOver":{"pages":2}}`, []string{two, none}, "the page is empty"},
		{"the end that a response states is no proof", `{"method":"pagenum","startOver":{"pages":2},"nextPageFlag":{"field":"last","stopOn":true,"ifNotSet":false}}`, []string{two, last}, "over, stated"},
		{"before the number it is", `{"method":"pagenum","startOver":{"pages":3},"nextPageFlag":{"field":"last","stopOn":true,"ifNotSet":false}}`, []string{two, last}, "the field 'last' is true"},
		{"at exactly the number of rows it is never", `{"method":"pagenum","startOver":{"rows":4},"stopWhen":"last==true"}`, []string{two, last}, "over"},
		{"a total may end there, too", `{"method":"pagenum","startOver":{"pages":2},"limitStop":{"field":"total"}}`, []string{`{"rows":[1,2],"total":4}`, `{"rows":[1,2],"total":4}`}, "over, stated"},
		{"a limit of the configuration ends the job", `{"method":"pagenum","startOver":{"pages":2},"forceStop":{"pages":2}}`, []string{two, two}, "the number of pages (2) has reached the limit of 2"},
		{"a limit of a scroller inside", `{"method":"multiple","startOver":{"pages":2},"scrollers":{"default":{"method":"pagenum","limitStop":{"count":4}}}}`, []string{two, two}, "the number of rows (4) has reached the limit of 4"},
		{"one request", `{"startOver":{"rows":2}}`, []string{`{"rows":[1,2,3]}`}, "over, stated"},
		{"one request with few rows", `{"startOver":{"rows":2}}`, []string{one}, "one request without pagination"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := scroller(t, tt.settings, "")
			job := request(t, "")
			_, state := s.First(job, start)
			got := "on"
			for i, response := range tt.responses {
				_, next, stop, err := s.Next(job, state, read(t, s.Needs, response, start.Add(time.Second)))
				if err != nil || stop != nil && i < len(tt.responses)-1 {
					t.Fatalf("page %d: %v, %v", i+1, stop, err)
				}
				if state = next; stop == nil {
					continue
				}
				if got = stop.Rule; stop.StartOver {
					got = "over"
					if stop.Stated != nil {
						got += ", stated"
					}
				}
			}
			if got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestNextRound: limits of the configuration count all rounds, the others one.
func TestNextRound(t *testing.T) {
	s := scroller(t, `{"method":"offset","limit":2,"startOver":{"rows":4},"limitStop":{"field":"total"},"forceStop":{"pages":5}}`, "")
	job := request(t, "")
	first, state := s.First(job, start)
	var rules []string
	for page := range 5 {
		_, next, stop, err := s.Next(job, state, read(t, s.Needs, `{"rows":[1,2],"total":9}`, start))
		if err != nil {
			t.Fatal(err)
		}
		switch state = next; {
		case stop == nil:
		case stop.StartOver:
			var request config.RequestSpec
			if request, state = s.NextRound(job, state, start); show(request) != show(first) {
				t.Errorf("round after page %d begins with %s, want %s", page+1, show(request), show(first))
			}
			rules = append(rules, "over")
		default:
			rules = append(rules, stop.Rule)
		}
	}
	if got, want := strings.Join(rules, "; "), "over; over; the number of pages (5) has reached the limit of 5"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
