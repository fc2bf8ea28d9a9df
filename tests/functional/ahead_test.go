package functional

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func pick[T any](random *rand.Rand, of ...T) T { return of[random.IntN(len(of))] }

// TestPagesAtOnce has an API that takes 20 ms for every response and says how long
// its lists are: how long all of them take shows how many were under way.
func TestPagesAtOnce(t *testing.T) {
	t.Parallel()
	const took = 20 * time.Millisecond
	const withChild = `,"children":[{"endpoint":"c/{id}","dataField":"items","placeholders":{"id":"id"}}]`
	paged := func(pages int) func(*http.Request) string { // of one row
		return func(r *http.Request) string {
			offset, err := strconv.Atoi(r.URL.Query().Get("offset"))
			if err != nil || offset >= pages {
				return fmt.Sprintf(`{"items":[],"total":%d}`, pages)
			}
			return fmt.Sprintf(`{"items":[{"id":%d}],"total":%d}`, offset, pages)
		}
	}
	list, parents, child := paged(33), paged(3), paged(1)
	family := func(r *http.Request) string {
		if r.URL.Path == "/t" {
			return parents(r)
		}
		return child(r)
	}
	tests := []struct {
		name, http, total, more string
		response                func(*http.Request) string
		requests, guesses       int
		most, rounds            int
	}{
		// 33 pages and the empty one after them.
		{name: "one after another", http: `"concurrency":1,"lookahead":9`, total: "total", response: list, requests: 34, most: 1, rounds: 34},
		{name: "no one states the total", http: `"concurrency":16`, total: "none", response: list, requests: 34, most: 1, rounds: 34},
		{name: "all after the first one", http: `"concurrency":16`, total: "total", response: list, requests: 34, most: 16, rounds: 1 + 2 + 1},
		{name: "two at once", http: `"concurrency":2`, total: "total", response: list, requests: 34, most: 2, rounds: 1 + 16 + 1},
		{name: "on the chance", http: `"concurrency":16,"lookahead":3`, total: "none", response: list, requests: 34, guesses: 3, most: 4, rounds: 9},
		{name: "both", http: `"concurrency":16,"lookahead":15`, total: "total", response: list, requests: 34, guesses: 15, most: 16, rounds: 3},
		// Three pages of a child each, and the empty pages after all of them.
		{name: "children one after another", http: `"concurrency":1`, total: "total", more: withChild, response: family, requests: 10, most: 1, rounds: 10},
		{name: "children", http: `"concurrency":16`, total: "total", more: withChild, response: family, requests: 10, most: 3, rounds: 5},
		{name: "children that take time", http: `"concurrency":16`, total: "total", more: `,"scroller":"timed"` + withChild, response: family, requests: 10, most: 1, rounds: 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			requests, now, most := 0, 0, 0
			api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				requests++
				now++
				most = max(most, now)
				mu.Unlock()
				linger(r, took)
				mu.Lock()
				now--
				mu.Unlock()
				write(w, tt.response(r))
			})
			paging := `"method":"offset","limit":1,"total":"` + tt.total + `"`
			var h harvest
			var passed time.Duration
			inBubble(t, api, func(t *testing.T, w *world) {
				begun := time.Now()
				h = reap(t, w, `{"api":{"baseUrl":"http://api.test/","http":{`+tt.http+`},
					"pagination":{"method":"multiple","scrollers":{"default":{`+paging+`},"timed":{`+paging+`,"forceStop":{"time":99}}}}},
					"config":{"jobs":[{"endpoint":"t","dataField":"items"`+tt.more+`}]}}`)
				passed = time.Since(begun)
			})
			if h.exit != 0 {
				t.Error(h.stderr)
			}
			if requests < tt.requests || requests > tt.requests+tt.guesses || most != tt.most || passed != time.Duration(tt.rounds)*took {
				t.Errorf("%d requests, at most %d at once, in %v; want %d and %d guesses, %d, %v", requests, most, passed, tt.requests, tt.guesses, tt.most, time.Duration(tt.rounds)*took)
			}
		})
	}
}

// TestUnneededPages has a job that ends with its first page, while pages
// requested in advance fail in every way. Only their number is reported.
func TestUnneededPages(t *testing.T) {
	t.Parallel()
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("offset") {
		case "0":
			linger(r, 2500*time.Millisecond)
			write(w, `[{"id":1}]`)
		case "2": // is tried again after one second to two, and would be after two to four more
			w.WriteHeader(http.StatusInternalServerError)
		case "4":
			w.WriteHeader(http.StatusNotFound)
		case "6":
			write(w, `[{"id":`)
		case "8":
			linger(r, time.Hour)
		}
	})
	inBubble(t, api, func(t *testing.T, w *world) {
		writeFile(t, filepath.Join(w.dir, "config.json"), `{"api":{"baseUrl":"http://api.test/","http":{"concurrency":5,"lookahead":4},
			"pagination":{"method":"offset","limit":2}},"config":{"jobs":[{"endpoint":"t"}]}}`)
		begun := time.Now()
		got := w.run(t.Context())
		if passed := time.Since(begun); got.exit != 0 || passed != 2500*time.Millisecond {
			t.Errorf("exit code %d after %v\n%s", got.exit, passed, got.stderr)
		}
		var kinds []any
		for _, e := range got.events(t) {
			kinds = append(kinds, e["event"])
			if n := fmt.Sprint(e["requests"]); e["event"] == "run.finished" && n != "6" {
				t.Errorf("%s requests, want 6", n)
			}
		}
		if want := []any{"run.started", "request.retried", "request.retried", "job.finished", "table.written", "run.finished"}; !slices.Equal(kinds, want) {
			t.Errorf("events %v, want %v", kinds, want)
		}
		if rows := readTree(t, w.dir)["out/tables/t"]; rows != "\"id\"\n\"1\"\n" {
			t.Errorf("rows %q", rows)
		}
	})
}

// TestPatienceOfPagesInAdvance has an API that answers one page of many with a
// request for patience. No request is sent meanwhile, also when that page
// turns out not to be needed.
func TestPatienceOfPagesInAdvance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		limit   int // of pages
		refused int // which one requests patience
	}{
		{"a page that is needed", 30, 3},
		{"a page that no one needs", 2, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var starts []time.Duration
			var begun time.Time
			refused := false
			api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				page, err := strconv.Atoi(r.URL.Query().Get("page"))
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				starts = append(starts, time.Since(begun))
				refuse := page == tt.refused && r.URL.Path == "/a" && !refused
				refused = refused || refuse
				mu.Unlock()
				if refuse {
					w.Header().Set("Retry-After", "60")
					w.WriteHeader(http.StatusTooManyRequests)
					return
				}
				linger(r, time.Second)
				if page > tt.limit {
					write(w, "[]")
				} else {
					write(w, fmt.Sprintf(`[{"id":%d}]`, page))
				}
			})
			inBubble(t, api, func(t *testing.T, w *world) {
				begun = time.Now()
				h := reap(t, w, `{"api":{"baseUrl":"http://api.test/","http":{"concurrency":4,"lookahead":3},"pagination":{"method":"pagenum"}},
					"config":{"jobs":[{"endpoint":"a"},{"endpoint":"b"}]}}`)
				if h.exit != 0 {
					t.Error(h.stderr)
				}
			})
			for _, at := range starts[4:] {
				if at < time.Minute {
					t.Errorf("a request %v after the beginning", at)
				}
			}
			if len(starts) < 8 {
				t.Errorf("only %d requests", len(starts))
			}
		})
	}
}

// TestCredentialsOfPagesInAdvance has an API that refuses pages, with a 401 or by a rule: in
// advance as many logins are sent as one after another.
func TestCredentialsOfPagesInAdvance(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		pages  int // with a row; the next one is empty
		refuse func(page int, token string) bool
		logins int
	}{
		{"after the end", 5, func(page int, _ string) bool { return page > 6 }, 1},
		{"once the token has ended", 9, func(page int, token string) bool { return page > 3 && token == "token-1" }, 2},
	}
	for _, tt := range tests {
		for _, settings := range []string{`"concurrency":1`, `"concurrency":4,"lookahead":3`, `"concurrency":9,"lookahead":8`} {
			t.Run(tt.name+", "+settings, func(t *testing.T) {
				t.Parallel()
				credentialsInAdvance(t, settings, tt.pages, tt.refuse, func(w http.ResponseWriter) { w.WriteHeader(http.StatusUnauthorized) }, tt.logins)
			})
			t.Run(tt.name+", by a rule, "+settings, func(t *testing.T) {
				t.Parallel()
				settings := settings + `,"rules":[{"when":"code==602","do":"login"}]`
				credentialsInAdvance(t, settings, tt.pages, tt.refuse, func(w http.ResponseWriter) { write(w, `{"code":"602"}`) }, tt.logins)
			})
		}
	}
}

func credentialsInAdvance(t *testing.T, settings string, pages int, refuse func(page int, token string) bool, refusal func(http.ResponseWriter), logins int) {
	var sent atomic.Int64
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			write(w, fmt.Sprintf(`{"token":"token-%d"}`, sent.Add(1)))
			return
		}
		page, err := strconv.Atoi(r.URL.Query().Get("page"))
		switch {
		case err != nil:
			t.Error(err)
		case refuse(page, r.Header.Get("X-Token")):
			refusal(w)
		case page > pages:
			linger(r, time.Second)
			write(w, "[]")
		default:
			linger(r, time.Second) // a refusal comes sooner
			write(w, fmt.Sprintf(`[{"id":%d}]`, page))
		}
	})
	inBubble(t, api, func(t *testing.T, w *world) {
		h := reap(t, w, `{"api":{"baseUrl":"http://api.test/","http":{`+settings+`},"pagination":{"method":"pagenum"},
			"authentication":{"type":"login","loginRequest":{"endpoint":"login"},"apiRequest":{"headers":{"X-Token":{"response":"token"}}}}},
			"config":{"jobs":[{"endpoint":"t"}]}}`)
		if rows := strings.Count(h.files["out/tables/t"], "\n") - 1; h.exit != 0 || rows != pages {
			t.Errorf("exit code %d, %d rows\n%s", h.exit, rows, h.stderr)
		}
		if n := sent.Load(); n != int64(logins) {
			t.Errorf("%d logins, want %d", n, logins)
		}
	})
}

// TestManyLevelsAtOnce has jobs at three levels: 1, 20 and 400 requests of 20 ms.
// Those of the second level are all there at once, and must not keep out those
// of the third, which come before them.
func TestManyLevelsAtOnce(t *testing.T) {
	t.Parallel()
	rows := "[" + strings.TrimSuffix(strings.Repeat(`{"id":1},`, 20), ",") + "]"
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		linger(r, 20*time.Millisecond)
		write(w, rows)
	})
	inBubble(t, api, func(t *testing.T, w *world) {
		begun := time.Now()
		h := reap(t, w, `{"api":{"baseUrl":"http://api.test/","http":{"concurrency":16}},"config":{"jobs":[{"endpoint":"a",
			"children":[{"endpoint":"b/{b}","placeholders":{"b":"id"},"children":[{"endpoint":"c/{b}/{c}","placeholders":{"c":"id"}}]}]}]}}`)
		// As little as possible are 27 times 20 ms, one after another 421 times.
		if passed := time.Since(begun); h.exit != 0 || passed > 60*20*time.Millisecond {
			t.Errorf("it took %v\n%s", passed, h.stderr)
		}
	})
}
