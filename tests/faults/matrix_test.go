// Package faults runs the component against an API that misbehaves in every way
// we know of, behind a real proxy that does harm to connections (toxiproxy, in
// this process). No matter what happens, it must have one of two results: either
// tables, manifests and state are byte for byte those of a healthy run, or the
// run ends as a user error (exit 1) with one clear line, and nothing is left in
// the output. Which of the two is declared with each fault.
//
// It is a module of its own, so that what the proxy needs stays out of the
// project's go.sum, and holds no code but tests.
package faults

import (
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func TestMain(m *testing.M) {
	// net/http reports bytes that come after a response; so does the program's
	// main function, which throws that away.
	log.SetOutput(io.Discard)
	flag.Parse()
	if flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		// Many of the runs wait for a time-out, or for each other.
		if err := flag.Set("test.parallel", "8"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

func faults() []fault {
	return slices.Concat(connectionFaults(), statusFaults(), responseFaults())
}

// leastCombinations is how many there must be.
const leastCombinations = 150

// endCounts counts how the combinations ended.
type endCounts struct {
	mu               sync.Mutex
	healthy, refused int
}

func (c *endCounts) add(e end) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e == healthy {
		c.healthy++
	} else {
		c.refused++
	}
}

// every is the flag that requests every combination there is.
var every = flag.Bool("every", false, "run every fault at every place of every scenario, which takes minutes")

// fewPlaces are how many places a fault hits otherwise; which of them changes
// from fault to fault, so that all of them are hit by many.
const fewPlaces = 2

// TestMatrix lets the faults hit the scenarios.
func TestMatrix(t *testing.T) {
	var all []candidate
	for _, s := range scenarios() {
		h := newWell(t, s)
		for _, p := range s.places {
			all = append(all, h.find(t, p))
		}
	}
	var count endCounts
	t.Run("combinations", func(t *testing.T) {
		for n, f := range faults() {
			t.Run(f.name, func(t *testing.T) {
				for _, s := range chosen(t, all, f, n) {
					s.meet(t, f, &count)
				}
			})
		}
	})
	sum := count.healthy + count.refused
	line := fmt.Sprintf("faults: %d combinations: %d as healthy, %d refused with a message", sum, count.healthy, count.refused)
	t.Log(line)
	fmt.Println(line)
	if narrowed := strings.Contains(flag.Lookup("test.run").Value.String(), "/"); sum < leastCombinations && !narrowed {
		t.Errorf("expected at least %d combinations", leastCombinations)
	}
}

// chosen are the places that the n-th fault is to hit.
func chosen(t *testing.T, all []candidate, f fault, n int) []candidate {
	t.Helper()
	var fit []candidate
	for _, s := range all {
		if s.bytes >= f.body && (f.only == nil || f.only(s.scenario, s.place)) {
			fit = append(fit, s)
		}
	}
	if len(fit) == 0 {
		t.Fatal("there is no place that this fault can hit")
	}
	if *every || len(fit) <= fewPlaces {
		return fit
	}
	var few []candidate
	for i := range fewPlaces {
		few = append(few, fit[(n+i*len(fit)/fewPlaces)%len(fit)])
	}
	return few
}

// well is a scenario in which nothing goes wrong.
type well struct {
	scenario
	sent  []request
	files map[string]string
}

func newWell(t *testing.T, s scenario) *well {
	t.Helper()
	w := newWorld(t, s, place{}, fault{}, 0, 1)
	got := w.run(t)
	if got.exit != 0 || got.stderr != "" {
		t.Fatalf("%s: the healthy run ended with %d: %s", s.name, got.exit, got.stderr)
	}
	if got.files["out/state.json"] == "" || !slices.ContainsFunc(w.api.sent, func(r request) bool { return r.URL.Path != "/login" }) {
		t.Fatalf("%s: the healthy run did nothing", s.name)
	}
	delete(got.files, "config.json")
	return &well{s, w.api.sent, got.files}
}

// candidate is a request of a healthy run that a fault may hit.
type candidate struct {
	*well
	place place
	first int // the number of the request, from 1
	bytes int // of the body of its response
}

// find is the first request of the healthy run at a place.
func (h *well) find(t *testing.T, p place) candidate {
	t.Helper()
	i := slices.IndexFunc(h.sent, p.is)
	if i < 0 {
		t.Fatalf("%s has no request at %q", h.name, p.name)
	}
	return candidate{h, p, i + 1, h.sent[i].bytes}
}

// meet runs the scenario with the fault, for each of its durations.
func (h candidate) meet(t *testing.T, f fault, count *endCounts) {
	for _, d := range f.durations() {
		t.Run(h.name+", "+h.place.name+", "+d.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, h.scenario, h.place, f, d.times, h.first)
			before := w.files(t)
			got := w.run(t)
			// Requests side by side share connections as time has it: the one that is hit
			// may be made without success, or serve another response than the one that is cut. Only a
			// run that lacks nothing is made again.
			for tries := 0; f.connect != nil && d.end == refused && h.unhurt(got) && tries < 100; tries++ {
				w = newWorld(t, h.scenario, h.place, f, d.times, h.first)
				before, got = w.files(t), w.run(t)
			}
			// A run that the fault missed would prove nothing.
			if hits := w.hits(); hits < 1 || d.times < always && d.end == healthy && hits != d.times {
				t.Errorf("the fault has hit the run %d times", hits)
			}
			if d.end == healthy {
				h.compare(t, got)
			} else {
				got.checkRefused(t, before, f.says)
			}
			if d.end == refused && h.kept {
				w.heal()
				got = w.run(t)
				h.compare(t, got)
			}
			if t.Failed() {
				t.Logf("exit %d\nstderr: %sstdout:\n%s", got.exit, got.stderr, got.stdout)
			}
			if !t.Failed() {
				count.add(d.end)
			}
		})
	}
}

// unhurt reports whether a run ended as the healthy one.
func (h *well) unhurt(got outcome) bool {
	made := maps.Clone(got.files)
	delete(made, "config.json")
	return got.exit == 0 && got.stderr == "" && len(differences(made, h.files)) == 0
}

// compare checks that a run ended as the healthy one.
func (h *well) compare(t *testing.T, got outcome) {
	t.Helper()
	if got.exit != 0 || got.stderr != "" {
		t.Errorf("exit %d, stderr %q, want a run as healthy", got.exit, got.stderr)
		return
	}
	delete(got.files, "config.json")
	if d := differences(got.files, h.files); len(d) > 0 {
		t.Errorf("the output is not that of the healthy run: %s", strings.Join(d, ", "))
	}
}

// jargon is what only a programmer of Go understands.
var jargon = regexp.MustCompile(`%!|<nil>|EOF|context deadline|context canceled|net/http|http: |x509:|tls: |i/o timeout|dial tcp|read tcp|write tcp|connect: |\[::1\]|strconv|goroutine|0x[0-9a-f]+|putIdleConn|jsontext`)

// checkRefused checks that a run ended with a message, and left nothing.
func (o outcome) checkRefused(t *testing.T, before map[string]string, says string) {
	t.Helper()
	if o.exit != 1 {
		t.Errorf("exit code %d, want 1", o.exit)
	}
	line, isLine := strings.CutSuffix(o.stderr, "\n")
	if !isLine || line == "" || strings.Contains(line, "\n") {
		t.Errorf("stderr is not exactly one line: %q", o.stderr)
	}
	for _, text := range []string{says, "(at /parameters/"} {
		if !strings.Contains(line, text) {
			t.Errorf("stderr lacks %q", text)
		}
	}
	if !strings.Contains(line, ".test/") && !strings.Contains(line, "the login failed") {
		t.Errorf("stderr does not say which request failed")
	}
	if found := jargon.FindString(line); found != "" {
		t.Errorf("stderr has the jargon %q", found)
	}
	for _, secret := range []string{"token-value", "refresh-value", "app-secret", "password-value"} {
		if strings.Contains(o.stderr+o.stdout, secret) {
			t.Errorf("stderr or stdout shows %q", secret)
		}
	}
	if !strings.Contains(o.stdout, `"event":"run.failed"`) {
		t.Error("there is no event run.failed")
	}
	if d := differences(o.files, before); len(d) > 0 {
		t.Errorf("the data directory is not as before: %s", strings.Join(d, ", "))
	}
}

// TestPage compares the faults with the table of docs/understand/faults.md.
func TestPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "understand", "faults.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	documented := map[string]string{} // how the run ends, by fault
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) != 3 {
			t.Fatalf("not three cells: %s", line)
		}
		documented[cells[0]] = cells[2]
	}
	ends := map[string]string{}
	for _, f := range faults() {
		for _, d := range f.durations() {
			if verb := map[end]string{healthy: "continues", refused: "fails"}[d.end]; !strings.Contains(ends[f.row], verb) {
				ends[f.row] += verb
			}
		}
	}
	for row, end := range ends {
		for _, verb := range []string{"continues", "fails"} {
			if strings.Contains(end, verb) != strings.Contains(documented[row], verb) {
				t.Errorf("%s: the page says %q, here it %s", row, documented[row], end)
			}
		}
	}
	for row := range documented {
		if ends[row] == "" {
			t.Errorf("no fault of this row is tested: %s", row)
		}
	}
}
