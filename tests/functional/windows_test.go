package functional

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/php"
)

// TestWindowsAgree: windows in any step, at any concurrency, bring the same rows as one
// request for all of it, in the same order and each once, regardless of what the API takes for the
// end. A second run brings what the first one did not.
func TestWindowsAgree(t *testing.T) {
	steps := []string{"1 day", "36 hours", "7 days", "1 week 5 hours", "1 month", "10 years", "13 hours", "2 fortnights", "24 hours"}
	for seed := range uint64(12) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 3))
			a := &archive{name: []string{"", "Europe/Prague", "America/Sao_Paulo"}[r.IntN(3)], format: []string{"c", "U", "Y-m-d"}[r.IntN(3)], inclusive: r.IntN(2) == 0, page: 2 + r.IntN(5)}
			a.zone, _ = php.Zone(a.name)
			a.from = time.Date(2018, 9, 1+r.IntN(60), r.IntN(24), r.IntN(60), r.IntN(60), 0, a.zone)
			if a.format == "Y-m-d" {
				a.from = php.Clock(2018, 9, int64(1+r.IntN(60)), 0, 0, 0, a.zone)
			}
			a.to = a.from.Add(time.Duration(r.Int64N(100*24*60*60)) * time.Second)
			a.fill(r)
			want := a.wanted()
			for i, step := range steps {
				if step == "13 hours" && a.format == "Y-m-d" {
					continue
				}
				n := []int{1, 2, 8}[r.IntN(3)]
				if !slowtest.Turn(int(seed)+i, 3) {
					continue
				}
				w := newWorld(t, a)
				if got := a.run(t, w, a.from.Unix(), a.to, step, n); !slices.Equal(got, want) {
					t.Errorf("windows of %s, concurrency %d, from %s to %s, %s, inclusive %v: %v\nwant %v", step, n, a.from, a.to, a.format, a.inclusive, got, want)
				}
			}
			step, middle := steps[r.IntN(6)], a.from.Add(time.Duration(r.Int64N(int64(110*24*time.Hour))))
			from := map[string]any{"remembered": "until", "default": a.from.Unix()}
			w := newWorld(t, a)
			got := a.run(t, w, from, middle, step, 1)
			writeFile(t, filepath.Join(w.dir, "in", "state.json"), readTree(t, w.dir)["out/state.json"])
			if got = append(got, a.run(t, w, from, a.to, step, 4)...); middle.Before(a.to) && !slices.Equal(got, want) {
				t.Errorf("windows of %s in two runs, from %s to %s and %s, %s, inclusive %v: %v\nwant %v", step, a.from, middle, a.to, a.format, a.inclusive, got, want)
			}
		})
	}
}

// archive is an API with items of a time, of which it sends those of a span.
type archive struct {
	name      string // of the zone
	zone      *time.Location
	format    string
	inclusive bool
	page      int
	from, to  time.Time
	items     []time.Time
}

// fill makes items, some of them at the edges of days and of all.
func (a *archive) fill(r *rand.Rand) {
	span := int64(a.to.Sub(a.from)/time.Second) + 1
	for range 40 {
		at := a.from.Add(time.Duration(r.Int64N(span)) * time.Second)
		switch r.IntN(4) {
		case 0:
			at = php.Clock(at.Year(), int64(at.Month()), int64(at.Day()), 0, 0, 0, a.zone)
		case 1:
			at = php.Clock(at.Year(), int64(at.Month()), int64(at.Day()), 23, 59, 59, a.zone)
		}
		a.items = append(a.items, at)
	}
	a.items = append(a.items, a.from, a.to, a.from.Add(-time.Second), a.to.Add(-time.Second))
	slices.SortFunc(a.items, time.Time.Compare)
	a.items = slices.CompactFunc(a.items, time.Time.Equal)
}

func (a *archive) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	items := []map[string]any{}
	for i, at := range a.items {
		if a.within(at, query) {
			items = append(items, map[string]any{"id": i})
		}
	}
	offset, _ := strconv.Atoi(query.Get("offset"))
	items = items[min(offset, len(items)):]
	_ = json.NewEncoder(w).Encode(items[:min(a.page, len(items))])
}

// within reports whether an item is in the span that is requested.
func (a *archive) within(at time.Time, query url.Values) bool {
	text := php.DateIn(a.format, at.In(a.zone))
	if a.format == "c" { // of another offset, perhaps
		text = at.UTC().Format(time.RFC3339)
	}
	bound := func(name string) string {
		t, err := time.Parse(time.RFC3339, query.Get(name))
		if err != nil {
			return query.Get(name)
		}
		return t.UTC().Format(time.RFC3339)
	}
	return text >= bound("from") && (text < bound("to") || a.inclusive && text == bound("to"))
}

// wanted are the ids of the items from the first time up to the second one: of whole
// days where the format has no time.
func (a *archive) wanted() []string {
	ids := []string{}
	for i, at := range a.items {
		in := !at.Before(a.from) && at.Before(a.to)
		if a.format == "Y-m-d" {
			day := func(t time.Time) string { return t.In(a.zone).Format(time.DateOnly) }
			in = day(at) >= day(a.from) && day(at) < day(a.to)
		}
		if in {
			ids = append(ids, strconv.Itoa(i))
		}
	}
	return ids
}

// run fetches what is between two times, and returns the ids in the table, in their order.
func (a *archive) run(t *testing.T, w *world, from any, to time.Time, step string, concurrency int) []string {
	t.Helper()
	end := map[bool]string{false: "exclusive", true: "inclusive"}[a.inclusive]
	windows, err := json.Marshal(map[string]any{"from": from, "to": to.Unix(), "step": step, "format": a.format, "end": end, "timezone": a.name})
	if err != nil {
		t.Fatal(err)
	}
	document := fmt.Sprintf(`{"parameters":{"api":{"baseUrl":"http://api.test/","http":{"concurrency":%d},"pagination":{"method":"offset","limit":%d}},
		"config":{"outputBucket":"b","jobs":[{"endpoint":"items","params":{"from":{"window":"start"},"to":{"window":"end"}},"windows":%s,"remember":{"until":{"window":"end"}}}]}}}`, concurrency, a.page, windows)
	writeFile(t, filepath.Join(w.dir, "config.json"), document)
	if err := os.RemoveAll(filepath.Join(w.dir, "out")); err != nil {
		t.Fatal(err)
	}
	if got := w.run(context.Background()); got.exit != 0 {
		t.Fatalf("exit %d: %s\n%s", got.exit, got.stderr, document)
	}
	ids := []string{}
	for _, line := range strings.Split(readTree(t, w.dir)["out/tables/b.items"], "\n")[1:] {
		if line != "" {
			ids = append(ids, strings.Trim(line, `"`))
		}
	}
	return ids
}

// TestManyWindows: people see the first hundred windows of a job, programs how many
// there were; the windows of an iteration count by themselves.
func TestManyWindows(t *testing.T) {
	for _, n := range []int{1, 8} {
		w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { write(w, `[{"a":1}]`) }))
		got := w.runs(t, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":"http://api.test/","http":{"concurrency":%d}},"config":{"outputBucket":"b",
			"jobs":[{"endpoint":"items","params":{"from":{"window":"start"}},"windows":{"from":"2024-01-01","to":{"attr":"to"},"step":"1 day"}}]},"iterations":[{"to":"2024-05-01"},{"to":"2024-01-03"}]}}`, n))
		shown, finished := map[any]int{}, []any{}
		for _, e := range got.events(t) {
			switch e["event"] {
			case "window.started":
				shown[e["iteration"]]++
			case "job.finished":
				finished = append(finished, e["windows"])
			}
		}
		if fmt.Sprint(shown, finished) != "map[1:100 2:2] [121 2]" || got.exit != 0 {
			t.Errorf("concurrency %d: exit %d, shown %v, finished %v", n, got.exit, shown, finished)
		}
	}
}
