package engine

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/config"
)

func TestRepetition(t *testing.T) {
	tests := []struct {
		name    string
		pages   []string // parameters, a blank, and a fingerprint; "-" has no body
		stop    string   // a part of the rule of the last page; "" continues
		earlier int
	}{
		{"new answers to new requests", []string{`{"p":1} 1`, `{"p":2} 2`, `{"p":3} 3`}, "", 0},
		{"the answer of the page before, regardless of the request", []string{`{"p":1} 1`, `{"p":2} 1`}, "page 2 is the same as the page before it", 1},
		{"an earlier answer to a new request", []string{`{"p":1} 1`, `{"p":2} 2`, `{"p":3} 1`}, "", 0},
		{"a new answer to an earlier request", []string{`{"p":1} 1`, `{"p":2} 2`, `{"p":1} 3`}, "", 0},
		{"an earlier request with its answer", []string{`{"p":1} 1`, `{"p":2} 2`, `{"p":1} 1`}, "page 3 repeats page 1", 1},
		{"the same in an address", []string{`{"p":"5"} 1`, `{"p":6} 2`, `{"p":5} 1`}, "page 3 repeats page 1", 1},
		{"another shape", []string{`{"p":["a","b"]} 1`, `{"p":6} 2`, `{"p":{"a":"b"}} 1`}, "", 0},
		{"pages without a body", []string{`{"p":1} -`, `{"p":1} -`, `{"p":1} -`}, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var seen repetition
			for i, text := range tt.pages {
				params, fingerprint, _ := strings.Cut(text, " ")
				page := &answer.Page{NoBody: fingerprint == "-"}
				if _, err := fmt.Sscan(fingerprint, &page.Fingerprint); err != nil && !page.NoBody {
					t.Fatal(err)
				}
				stop := seen.check(i+1, config.Request{Endpoint: "t", Params: testvalue.Parse(t, params)}, page)
				last := i == len(tt.pages)-1
				switch {
				case stop == nil && last && tt.stop != "":
					t.Error("the job continues")
				case stop != nil && (!last || tt.stop == "" || !strings.Contains(stop.Rule, tt.stop)):
					t.Errorf("page %d: stopped by: %s", i+1, stop.Rule)
				}
			}
			if seen.earlier != tt.earlier {
				t.Errorf("repeats page %d, want %d", seen.earlier, tt.earlier)
			}
		})
	}
}

// TestRepetitionIsSmall: what is kept of a page stays for as long as its job
// runs.
func TestRepetitionIsSmall(t *testing.T) {
	const pages, most = 150_000, 20 // bytes for each
	before := inUse()
	var seen repetition
	for n := range pages {
		if stop := seen.check(n+1, config.Request{Endpoint: fmt.Sprint(n)}, &answer.Page{Fingerprint: uint64(n)}); stop != nil {
			t.Fatal(stop.Rule)
		}
	}
	if each := (inUse() - before) / pages; each > most {
		t.Errorf("%d bytes for a page, want at most %d", each, most)
	}
	stop := seen.check(pages+1, config.Request{Endpoint: "17"}, &answer.Page{Fingerprint: 17})
	if stop == nil || !strings.Contains(stop.Rule, "repeats page 18,") {
		t.Errorf("the repeated page: %+v", stop)
	}
}

// inUse is how many bytes of memory are in use.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
