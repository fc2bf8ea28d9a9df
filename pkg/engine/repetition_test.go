package engine

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
)

// TestRepetition: which pages bring nothing new.
func TestRepetition(t *testing.T) {
	tests := []struct {
		name string
		// Parameters, a hash of the items (0 for an empty page, - for no body), and what
		// distinguishes the response besides them, "" for nothing.
		pages   []string
		stop    string // a part of the rule of the last page; "" continues
		earlier int
		doubled bool
	}{
		{"new responses to new requests", []string{`{"p":1} 1`, `{"p":2} 2`, `{"p":3} 3`}, "", 0, false},
		{"the response of the page before, regardless of the request", []string{`{"p":1} 1`, `{"p":2} 1`}, "page 2 is the same as the page before it", 1, false},
		{"an earlier response to a new request", []string{`{"p":1} 1`, `{"p":2} 2`, `{"p":3} 1`}, "", 0, false},
		{"a new response to an earlier request", []string{`{"p":1} 1`, `{"p":2} 2`, `{"p":1} 3`}, "", 0, false},
		{"an earlier request with its response", []string{`{"p":1} 1`, `{"p":2} 2`, `{"p":1} 1`}, "page 3 has the same request and the same rows as page 1", 1, false},
		{"an earlier request with its rows", []string{`{"p":1} 1 a`, `{"p":2} 2 b`, `{"p":1} 1 c`}, "page 3 has the same request and the same rows as page 1", 1, false},
		{"an earlier request without rows again", []string{`{"p":1} 0 a`, `{"p":2} 0 b`, `{"p":1} 0 c`}, "page 3 has the same request and the same rows as page 1", 1, false},
		{"an earlier request without a body again", []string{`{"p":1} -`, `{"p":2} -`, `{"p":1} -`}, "page 3 has the same request and the same rows as page 1", 1, false},
		{"the same in an address", []string{`{"p":"5"} 1`, `{"p":6} 2`, `{"p":5} 1`}, "page 3 has the same request and the same rows as page 1", 1, false},
		{"another shape", []string{`{"p":["a","b"]} 1`, `{"p":6} 2`, `{"p":{"a":"b"}} 1`}, "", 0, false},
		{"null and an empty text", []string{`{"p":null} 1`, `{"p":6} 2`, `{"p":""} 1`}, "", 0, false},
		{"pages without a body", []string{`{"p":1} -`, `{"p":2} -`, `{"p":3} -`}, "", 0, false},
		{"an empty page between equal ones", []string{`{"p":1} 1`, `{"p":2} -`, `{"p":3} 1`}, "", 0, false},
		{"the request and the rows of the page before", []string{`{"p":1} 1 a`, `{"p":1} 1 b`}, "same request and the same rows as the page before it", 1, false},
		{"the request of the page before with new rows", []string{`{"p":1} 1 a`, `{"p":1} 2 a`, `{"p":1} 3 a`}, "", 0, false},
		{"the request of the page before with the rows of an earlier one", []string{`{"p":1} 1 a`, `{"p":1} 2 a`, `{"p":1} 1 a`}, "page 3 has the same request and the same rows as page 1", 1, false},
		{"the same rows for three tokens", []string{`{"p":1} 1 a`, `{"p":2} 1 b`, `{"p":3} 1 c`, `{"p":4} 1 d`}, "", 0, false},
		{"the same rows for three numbers", []string{`number`, `{"p":1} 7 z`, `{"p":2} 1 a`, `{"p":3} 1 b`, `{"p":4} 1 c`}, "page 4 has the same rows as the 2 pages before it", 3, true},
		{"the same rows for two numbers", []string{`number`, `{"p":1} 1 a`, `{"p":2} 1 b`, `{"p":3} 2 c`, `{"p":4} 2 d`}, "", 0, false},
		{"the same rows for three ids", []string{`id`, `{"p":1} 1 a`, `{"p":2} 1 b`, `{"p":3} 1 c`}, "page 3 has the same rows as the 2 pages before it", 2, true},
		{"the same rows for an id that stays", []string{`id`, `{} 1 a`, `{"p":2} 1 b`, `{"p":2} 1 c`}, "same request and the same rows", 2, true},
		{"the rows of earlier pages for numbers", []string{`number`, `{"p":1} 1`, `{"p":2} 2`, `{"p":3} 1`, `{"p":4} 2`}, "", 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var seen repetition
			if seen.numbered = !strings.HasPrefix(tt.pages[0], "{"); seen.numbered {
				seen.forever, tt.pages = tt.pages[0] == "number", tt.pages[1:]
			}
			for i, text := range tt.pages {
				params, text, _ := strings.Cut(text, " ")
				items, around, _ := strings.Cut(text, " ")
				page := &response.Page{NoBody: items == "-"}
				if fmt.Sscan(items, &page.ItemsFingerprint); page.ItemsFingerprint > 0 {
					page.Rows = 1
				}
				for _, c := range text + around {
					page.Fingerprint = page.Fingerprint<<8 + uint64(c)
				}
				repeat := seen.check(i+1, config.RequestSpec{Endpoint: "t", Params: testvalue.Parse(t, params)}, page, nowhere)
				last := i == len(tt.pages)-1
				switch {
				case repeat == nil && last && tt.stop != "":
					t.Error("the job continues")
				case repeat != nil && (!last || tt.stop == "" || !strings.Contains(repeat.rule, tt.stop)):
					t.Errorf("page %d: stopped by: %s", i+1, repeat.rule)
				case repeat != nil && (repeat.earlier != tt.earlier || repeat.doubled != tt.doubled):
					t.Errorf("repeats page %d, doubled %v", repeat.earlier, repeat.doubled)
				}
			}
		})
	}
}

// TestUnchanged: a request is compared with the one before it only.
func TestUnchanged(t *testing.T) {
	request := func(text string) config.RequestSpec {
		return config.RequestSpec{Endpoint: "t", Method: "POST", Params: testvalue.Parse(t, text), Headers: testvalue.Parse(t, `{"A":"1"}`)}
	}
	var seen repetition
	if seen.unchanged(config.RequestSpec{}) {
		t.Error("nothing was requested")
	}
	for i, text := range []string{`{"p":1}`, `{"p":2}`} {
		seen.check(i+1, request(text), &response.Page{NoBody: true}, nowhere)
	}
	other := request(`{"p":2}`)
	other.Headers = testvalue.Parse(t, `{"A":"2"}`)
	if !seen.unchanged(request(`{"p":2}`)) || seen.unchanged(request(`{"p":1}`)) || seen.unchanged(other) {
		t.Error("wrong")
	}
}

// TestCircleOfNumbers: an API that ignores the page number, and turns in a circle of pages,
// ends the job. Pages of a list whose rows are alike do not.
func TestCircleOfNumbers(t *testing.T) {
	const different = 3
	pages := func(rows func(n int) uint64) (int, *repeat) {
		seen := repetition{numbered: true, forever: true}
		for n := range 5 * mostKnown {
			if r := seen.check(n+1, config.RequestSpec{Endpoint: fmt.Sprint(n)}, &response.Page{Rows: 1, ItemsFingerprint: rows(n), Fingerprint: uint64(n) + 1}, nowhere); r != nil {
				return n + 1, r
			}
		}
		return 0, nil
	}
	n, r := pages(func(n int) uint64 { return uint64(n%different) + 1 })
	if n != different+mostKnown+1 || r.earlier != (n-1)%different+1 || !r.doubled {
		t.Errorf("page %d: %+v", n, r)
	}
	alike := func(n int) uint64 { // one new page in a thousand
		if n%mostKnown == 0 {
			return uint64(n) + 1
		}
		return uint64(n%2) + 1
	}
	if n, r := pages(alike); r != nil {
		t.Errorf("page %d: %s", n, r.rule)
	}
}

// TestRepetitionIsSmall: what is kept of a page stays for as long as its job
// runs.
func TestRepetitionIsSmall(t *testing.T) {
	slowtest.SkipRace(t, "it remembers 300,000 pages")
	const pages, most = 150_000, 24 // bytes for each
	for _, forever := range []bool{false, true} {
		before := inUse()
		seen := repetition{numbered: forever, forever: forever}
		page := func(n int) *response.Page {
			return &response.Page{Rows: 1, ItemsFingerprint: uint64(n), Fingerprint: uint64(n)}
		}
		for n := range pages {
			if r := seen.check(n+1, config.RequestSpec{Endpoint: fmt.Sprint(n)}, page(n+1), nowhere); r != nil {
				t.Fatal(r.rule)
			}
		}
		if each := (inUse() - before) / pages; each > most {
			t.Errorf("%d bytes for a page, want at most %d", each, most)
		}
		r := seen.check(pages+1, config.RequestSpec{Endpoint: "17"}, page(18), nowhere)
		if !forever && (r == nil || r.earlier != 18) || forever && seen.known != 1 {
			t.Errorf("the repeated page: %+v", r)
		}
		runtime.KeepAlive(&seen)
	}
}

// inUse is how many bytes of memory are in use.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// nowhere is the next request of a page that leads to none.
func nowhere() (config.RequestSpec, bool) { return config.RequestSpec{}, false }

// TestEmptyPagesThatLeadOn: equal pages without rows do not end a job if each leads to another
// request, as with the header Link, until there are too many in a row. A page with rows counts
// as a repetition, wherever it leads.
func TestEmptyPagesThatLeadOn(t *testing.T) {
	request := func(n int) config.RequestSpec { return config.RequestSpec{Endpoint: fmt.Sprint(n)} }
	ends := func(seen repetition, rows, step int) (int, *repeat) {
		for n := range 3 * mostEmpty {
			next := func() (config.RequestSpec, bool) { return request(n + step), true }
			if r := seen.check(n+1, request(n), &response.Page{Rows: rows, Fingerprint: 1}, next); r != nil {
				return n + 1, r
			}
		}
		return 0, nil
	}
	if n, r := ends(repetition{}, 0, 1); n != mostEmpty+2 || !r.leadsOn {
		t.Errorf("page %d: %+v", n, r)
	}
	for name, seen := range map[string]struct {
		repetition
		rows, step int
	}{"rows": {rows: 1, step: 1}, "the same request": {step: 0}, "a number": {repetition: repetition{numbered: true}, step: 1}} {
		if n, r := ends(seen.repetition, seen.rows, seen.step); n != 2 || r.leadsOn {
			t.Errorf("%s: page %d: %+v", name, n, r)
		}
	}
}
