package functional

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestStartOverAgrees: through an API that ends its results after a number of rows or
// pages, a job with `startOver` brings the rows of the whole list, for any page size,
// number, order and ties that the number can hold, with every way of paging and every
// concurrency. The rows at the border of two rounds come twice; no run is incomplete.
func TestStartOverAgrees(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 11))
			api := newCapped(random)
			paging := pick(random,
				fmt.Sprintf(`"method": "offset", "limit": %d`, api.size),
				fmt.Sprintf(`"method": "pagenum", "limit": %d`, api.size),
				fmt.Sprintf(`"method": "pagenum", "limit": %d, "nextPageFlag": {"field": "more", "stopOn": false}`, api.size),
				fmt.Sprintf(`"method": "offset", "limit": %d, "total": "total"`, api.size),
				`"method": "link", "includeParams": true`)
			unit, number := "rows", api.rows
			if api.pages > 0 {
				unit, number = "pages", api.pages
			}
			aggregate := "max"
			if api.descending {
				aggregate = "min"
			}
			var first string
			for _, concurrency := range []int{1, 2, 8} {
				w := newWorld(t, api)
				writeFile(t, filepath.Join(w.dir, "config.json"), fmt.Sprintf(`{"api": {"baseUrl": "http://api.test/",
					"http": {"concurrency": %d, "lookahead": %d}, "retryConfig": {"maxRetries": 0}, "pagination": {%s, "startOver": {%q: %d}}},
					"config": {"incrementalOutput": true,
					"mappings": {"items": {"id": {"mapping": {"destination": "id", "primaryKey": true}}, "at": "at"}},
					"jobs": [{"endpoint": "items", "dataField": "rows", "remember": {"border": {%q: "at"}},
						"params": {"border": {"remembered": "border"}, "size": %d}}]}}`,
					concurrency, random.IntN(3), paging, unit, number, aggregate, api.size))
				got := w.run(context.Background())
				if got.exit != 0 {
					t.Fatalf("concurrency %d, %s, %+v: exit %d\n%s", concurrency, paging, api, got.exit, got.stderr)
				}
				for _, kind := range []string{"paging.gap", "paging.repeated", "paging.unread", "paging.stalled", "job.short"} {
					if countKind(got.events(t), kind) > 0 {
						t.Errorf("concurrency %d, %s, %+v: %s\n%s", concurrency, paging, api, kind, got.stdout)
					}
				}
				rows := rowsOf(t, w)
				if got, want := slices.Compact(slices.Clone(rows)), api.lines(); !slices.Equal(got, want) {
					t.Errorf("concurrency %d, %s, %+v: %d rows, want %d\n%v\n%v", concurrency, paging, api, len(got), len(want), got, want)
				}
				table := readTree(t, w.dir)["out/tables/items"]
				if first == "" {
					first = table
				}
				if table != first {
					t.Errorf("concurrency %d brings another table than 1", concurrency)
				}
			}
		})
	}
}

// capped is an API that sorts its items and ends its results after a number of rows or
// pages.
type capped struct {
	items       []cappedItem
	size        int // page size
	rows, pages int // where results end; one of them is 0
	descending  bool
	refuses     bool // pages beyond the end are errors
}

type cappedItem struct {
	ID int  `json:"id"`
	At *int `json:"at"`
}

// newCapped makes an API with fewer items of one value than it returns at once, and with
// items without a value at the beginning.
func newCapped(random *rand.Rand) *capped {
	a := &capped{size: 1 + random.IntN(6), descending: random.IntN(2) == 0, refuses: random.IntN(2) == 0}
	most := 1 + random.IntN(5) // items of one value
	for range random.IntN(3) {
		a.items = append(a.items, cappedItem{ID: len(a.items)})
	}
	least := len(a.items) + most + 1
	for at := range random.IntN(30) {
		moment := 3*at + random.IntN(3)
		if a.descending {
			moment = 1000 - moment
		}
		for range 1 + random.IntN(most) {
			a.items = append(a.items, cappedItem{ID: len(a.items), At: &moment})
		}
	}
	if random.IntN(2) == 0 {
		a.rows = least + random.IntN(10)
	} else {
		a.pages = (least+a.size-1)/a.size + random.IntN(4)
	}
	return a
}

// lines are the lines of the table, sorted.
func (a *capped) lines() []string {
	var all []string
	for _, item := range a.items {
		at := ""
		if item.At != nil {
			at = strconv.Itoa(*item.At)
		}
		all = append(all, fmt.Sprintf("%d,%s", item.ID, at))
	}
	slices.Sort(all)
	return all
}

// ServeHTTP implements http.Handler.
func (a *capped) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rows := a.items
	if border, err := strconv.Atoi(r.FormValue("border")); err == nil {
		rows = slices.DeleteFunc(slices.Clone(rows), func(i cappedItem) bool {
			return i.At == nil || !a.descending && *i.At < border || a.descending && *i.At > border
		})
	}
	total, end := len(rows), a.rows
	if a.pages > 0 {
		end = a.pages * a.size
	}
	rows = rows[:min(end, len(rows))]
	from, _ := strconv.Atoi(r.FormValue("offset"))
	if page, err := strconv.Atoi(r.FormValue("page")); err == nil {
		from = (page - 1) * a.size
	}
	if from >= end && a.refuses {
		http.Error(w, `{"errors":[{"field":"page"}]}`, http.StatusBadRequest)
		return
	}
	from = min(from, len(rows))
	to := min(from+a.size, len(rows))
	if to < len(rows) {
		next := r.URL.Query()
		next.Set("offset", strconv.Itoa(to))
		w.Header().Set("Link", "</items?"+next.Encode()+`>; rel="next"`)
	}
	body, _ := json.Marshal(map[string]any{"rows": append([]cappedItem{}, rows[from:to]...), "more": to < len(rows), "total": total})
	w.Header().Set("Content-Type", "application/json")
	write(w, strings.TrimSpace(string(body)))
}

// TestStartOverHidesSecrets: the values of a name with a hash sign move the rounds, and are
// shown neither in events nor in errors.
func TestStartOverHidesSecrets(t *testing.T) {
	for _, end := range []string{`[{"id":3,"at":"token-0003"}]`, `[{"id":2,"at":"token-0002"},{"id":3,"at":"token-0001"}]`, `[{"id":2,"at":"token-0002"},{"id":3,"at":"token-0002"}]`} {
		w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			switch r.Header.Get("X-After") {
			case "":
				write(w, `[{"id":1,"at":"token-0001"},{"id":2,"at":"token-0002"}]`)
			case "token-0002":
				write(w, end)
			default:
				http.Error(w, "unknown", http.StatusBadRequest)
			}
		}))
		writeFile(t, filepath.Join(w.dir, "config.json"), `{"api": {"baseUrl": "http://api.test/", "pagination": {"startOver": {"rows": 2}}},
			"config": {"incrementalOutput": true, "mappings": {"items": {"id": {"mapping": {"destination": "id", "primaryKey": true}}}},
			"jobs": [{"endpoint": "items", "headers": {"X-After": {"remembered": "#after"}}, "remember": {"#after": {"max": "at"}}}]}}`)
		got := w.run(context.Background())
		if countKind(got.events(t), "paging.round") != 1 {
			t.Errorf("%s: %s%s", end, got.stdout, got.stderr)
		}
		if strings.Contains(got.stdout+got.stderr, "token-000") {
			t.Errorf("%s: shown in %s%s", end, got.stdout, got.stderr)
		}
	}
}
