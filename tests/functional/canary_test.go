package functional

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/authoring/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/authoring/plan"
	"github.com/keboola/configurable-extractor/pkg/authoring/scaffold"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/load"
)

// canaryStatistics is what TestCanary has done, over all its cases.
type canaryStatistics struct {
	mu sync.Mutex
	// cases, and how many of them are configurations with which something can be
	// asked.
	cases, asking int
	// same is how many cases ended as they do without canaries, carried in how
	// many of those that ask something the API saw a canary.
	same, carried int
	outputs, bytes,
	canaries, hits int
	kinds map[string]int
}

// TestCanary: no output of any command about any case shows a canary in any form,
// regardless of what the API does with it, and no file but tables, state and what was in
// the data directory before has one, neither during a run nor after it.
func TestCanary(t *testing.T) {
	slowtest.SkipRace(t, "it goes through all cases again")
	statistics := &canaryStatistics{kinds: map[string]int{}}
	cases := lensCases(caseNames(t))
	names := append(cases, recipeNames(t)...)
	t.Run("cases", func(t *testing.T) {
		for i, name := range names {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				read := readCase
				if i >= len(cases) {
					read = readRecipe
				}
				c, err := read(name)
				if err != nil {
					t.Fatal(err)
				}
				n := &nest{t: t, c: c, statistics: statistics, number: i}
				n.all()
			})
		}
	})
	t.Run("broken", func(t *testing.T) { statistics.broken(t) })
	fmt.Printf("canary: %d cases × %d outputs, %d canaries, %d hits (%d cases ask an API, which saw a canary in %d; %d end as without canaries; %d MB searched)\n",
		statistics.cases, statistics.outputs, statistics.canaries, statistics.hits, statistics.asking, statistics.carried, statistics.same, statistics.bytes>>20)
	t.Logf("outputs: %v", statistics.kinds)
	if statistics.cases < len(names) {
		return // some were not requested with -run, or failed
	}
	if statistics.same*100 < statistics.cases*95 || statistics.carried*100 < statistics.asking*95 {
		t.Error("too many cases are not what they are without canaries, so that little is proved")
	}
}

// nest is a case with the outputs that are searched for its canaries.
type nest struct {
	t          *testing.T
	c          *testCase
	statistics *canaryStatistics
	number     int
}

// search looks for canaries in an output.
func (n *nest) search(output, text string) {
	n.t.Helper()
	hits := seen(text)
	n.statistics.mu.Lock()
	defer n.statistics.mu.Unlock()
	n.statistics.outputs++
	n.statistics.kinds[output]++
	n.statistics.bytes += len(text)
	n.statistics.hits += len(hits)
	for _, hit := range hits {
		n.t.Errorf("%s shows a canary: %s", output, hit)
	}
}

// all makes every output.
func (n *nest) all() {
	archive := n.asItIs()
	faults := canaryFaults()
	for _, search := range []func(){
		n.readable,
		func() {
			if f := faults[n.number%len(faults)]; !n.escapedTwiceInBase64(f) {
				n.fault(f)
			}
		},
		func() { n.action("testRequest") },
		func() { n.action("validate") },
		func() { n.static(newAviary(n.t, n.c)) },
		func() { n.init(archive) },
	} {
		search()
	}
}

// escapedTwiceInBase64 reports whether a fault puts a secret into base64 beside other text
// after it was percent-encoded twice, as the query of a URL that is a parameter of another
// URL. The search undoes one layer there (docs/understand/security.md).
func (n *nest) escapedTwiceInBase64(f canaryFault) bool {
	return n.c.name == "query-resource" && strings.Contains(f.name, "base64 beside others")
}

// nestRun is one run of the component with canaries.
type nestRun struct {
	a     *aviary
	api   *cannedAPI
	world *world
	got   outcome
	files map[string]string // left in the data directory
}

// run runs the case with canaries, config.json changed by change.
func (n *nest) run(fault canaryFault, change func(root map[string]any), set func(*nestRun)) nestRun {
	n.t.Helper()
	a := newAviary(n.t, n.c)
	r := nestRun{a: a, api: &cannedAPI{all: a.exchanges, anyOrder: n.c.AnyOrder, fault: fault.api, canaries: a.canaries}}
	r.world = newWorld(n.t, r.api)
	r.world.clock = clock.At(n.c.Start)
	r.api.clock, r.api.server = r.world.clock, r.world.api.URL
	n.c.setFlags(&r.world.options)
	r.world.options.Variables = a.variables
	if fault.sleep != nil {
		r.world.options.Sleep = fault.sleep
	}
	for name, text := range a.env {
		r.world.env[name] = strings.ReplaceAll(text, "@SERVER@", r.world.api.URL)
	}
	n.c.fill(n.t, r.world.dir)
	a.plantState(n.t, r.world.dir)
	if a.config != "" {
		writeFile(n.t, filepath.Join(r.world.dir, "config.json"), changed(a.config, change))
	}
	if set != nil {
		set(&r)
	}
	r.got = r.world.run(context.Background())
	r.files = filesOf(r.world.dir)
	return r
}

// changed is a document with something changed; what is not a document stays as it
// is.
func changed(text string, change func(root map[string]any)) string {
	var root map[string]any
	if change == nil || decodeJSON([]byte(text), &root) != nil {
		return text
	}
	change(root)
	return jsonText(root)
}

// debugging lets a document report every request.
func debugging(root map[string]any) {
	if inner, ok := root["parameters"].(map[string]any); ok {
		root = inner
	}
	if config, ok := root["config"].(map[string]any); ok {
		config["debug"] = true
	}
}

// asItIs runs the case as it is, with everything that can be kept of it, and
// returns the recording.
func (n *nest) asItIs() (archive string) {
	dir := n.t.TempDir()
	archive = filepath.Join(dir, "run.har")
	r := n.run(canaryFault{}, debugging, func(r *nestRun) {
		r.world.options.LogFormat = "json"
		r.world.options.Record, r.world.options.Report = archive, filepath.Join(dir, "report")
		r.api.during = func() { n.search("files during a run", secretFiles(filesOf(r.world.dir))) }
	})
	n.searchRun(r, archive, filepath.Join(dir, "report"))
	n.count(r)
	return archive
}

// readable runs the case for a reader, and some for a log server: events are written
// in three forms.
func (n *nest) readable() {
	if n.number%2 == 0 {
		r := n.run(canaryFault{}, debugging, func(r *nestRun) { r.world.options.LogFormat = "console" })
		n.search("console", r.got.stdout+r.got.stderr)
		return
	}
	var log func() string
	r := n.run(canaryFault{}, debugging, func(r *nestRun) {
		r.world.options.LogFormat = ""
		log = listenGELF(n.t, r.world)
	})
	text := log()
	n.search("GELF", text)
	n.search("GELF, decoded", strings.Join(decodedStrings(text), "\n"))
	n.search("stdout and stderr", r.got.stdout+r.got.stderr)
}

// searchRun searches everything that a run prints and leaves.
func (n *nest) searchRun(r nestRun, archive, reports string) {
	n.t.Helper()
	n.search("events", r.got.stdout)
	n.search("events, decoded", strings.Join(decodedStrings(r.got.stdout), "\n"))
	n.search("stderr", r.got.stderr)
	n.search("files after a run", secretFiles(r.files))
	for name, file := range map[string]string{"recording": archive, "report.json": filepath.Join(reports, "report.json"), "report.html": filepath.Join(reports, "report.html")} {
		text, err := os.ReadFile(file)
		if err != nil {
			n.t.Errorf("no %s: %v", name, err)
			continue
		}
		n.search(name, string(text))
		if name != "report.html" {
			var v any
			if err := json.Unmarshal(text, &v); err != nil {
				n.t.Errorf("%s is not JSON: %v", name, err)
			}
			compact := strings.ReplaceAll(string(text), "\n", "")
			n.search(name+", decoded", strings.Join(decodedStrings(compact), "\n"))
		}
		if name == "recording" {
			n.searchBodies(text)
		}
	}
}

// searchBodies searches the bodies of a recording as a reader could who unpacks them.
func (n *nest) searchBodies(recording []byte) {
	n.t.Helper()
	err := har.Entries(bytes.NewReader(recording), func(e *har.Entry) error {
		body, err := e.Body()
		if err != nil {
			return err
		}
		for _, hit := range seenInBody(body) {
			n.t.Errorf("a body of the recording shows a canary: %q (%s)", hit, e.Response.Content.Comment)
		}
		return nil
	})
	if err != nil {
		n.t.Error(err)
	}
}

// count compares a run with what the case is without canaries.
func (n *nest) count(r nestRun) {
	n.statistics.mu.Lock()
	defer n.statistics.mu.Unlock()
	n.statistics.cases++
	n.statistics.canaries += r.a.numbers
	if r.got.exit == n.c.Exit {
		n.statistics.same++
	} else {
		n.t.Logf("ends with %d, not %d: %s", r.got.exit, n.c.Exit, r.got.stderr)
	}
	if r.api.asked > 0 {
		n.statistics.asking++
	}
	if r.api.planted > 0 {
		n.statistics.carried++
	}
	if len(r.api.lost) > 0 {
		n.t.Errorf("the case sends secrets in whose place no canary was sent: %q", r.api.lost)
	}
}

// mostFaults is after how many requests a run ends whose API responds to every request
// alike, for its pages might have no end.
const mostFaults = 12

// fault runs the case with an API that returns the secrets.
func (n *nest) fault(f canaryFault) {
	n.t.Helper()
	dir := n.t.TempDir()
	archive, reports := filepath.Join(dir, "run.har"), filepath.Join(dir, "report")
	r := n.run(f, debugging, func(r *nestRun) {
		r.world.options.LogFormat = "json"
		r.world.options.Record, r.world.options.Report = archive, reports
		if r.world.options.Limits.Requests == 0 {
			r.world.options.Limits.Requests = mostFaults
		}
	})
	for name := range r.files {
		if data(name) {
			delete(r.files, name) // the API has given a secret as data
		}
	}
	n.searchRun(r, archive, reports)
	if n.t.Failed() {
		n.t.Logf("fault: %s, exit %d: %s", f.name, r.got.exit, r.got.stderr)
	}
}

// action runs the case as a synchronous action, whose response is on stdout.
func (n *nest) action(name string) {
	r := n.run(canaryFault{}, func(root map[string]any) { root["action"] = name }, nil)
	n.search("action "+name, r.got.stdout+r.got.stderr)
	n.search("action "+name+", decoded", strings.Join(decodedStrings(r.got.stdout), "\n"))
}

// static searches what is reported about the configuration without a run.
func (n *nest) static(a *aviary) {
	if a.config == "" {
		return
	}
	var given []variables.Assignment
	for _, flag := range a.variables {
		name, text, _ := strings.Cut(flag, "=")
		given = append(given, variables.Assignment{Name: name, Text: text})
	}
	n.looks([]byte(a.config), given, n.c.Strict, n.c.Start)
}

// looks searches what plan and validate say of a document.
func (n *nest) looks(document []byte, given []variables.Assignment, strict bool, now time.Time) {
	n.t.Helper()
	for name, text := range saidOf(n.t, document, given, strict, now) {
		n.search(name, text)
	}
}

// saidOf is what plan and validate say of a document, by the names of the
// commands.
func saidOf(t *testing.T, document []byte, given []variables.Assignment, strict bool, now time.Time) map[string]string {
	t.Helper()
	said := map[string]string{}
	clock := func() time.Time { return now }
	write := func(name string, write func(io.Writer) error) {
		var text strings.Builder
		if err := write(&text); err != nil {
			t.Error(err)
		}
		said[name] = text.String()
	}
	o := load.Options{Strict: strict, Variables: variables.Inputs{Flags: given}, Now: clock}
	reports := []*diagnostic.Report{diagnostic.Check(context.Background(), "config.json", document, o)}
	write("validate", func(w io.Writer) error { return diagnostic.WriteText(w, reports, true) })
	write("validate --format json", func(w io.Writer) error { return diagnostic.WriteJSON(w, reports) })
	write("validate --format sarif", func(w io.Writer) error { return diagnostic.WriteSARIF(w, reports, version) })
	p, err := plan.Of(context.Background(), document, plan.Options{Options: o, Version: version, Rand: sameNonce{}})
	if err != nil {
		said["plan's error"] = err.Error()
	}
	if p != nil {
		write("plan", p.WriteText)
		write("plan --json", p.WriteJSON)
		write("plan --curl", p.WriteCurl)
	}
	return said
}

// init searches the configuration that is guessed from a recording.
func (n *nest) init(archive string) {
	var stdout, stderr bytes.Buffer
	err := scaffold.Example(context.Background(), scaffold.Options{
		HAR: archive, Stdout: &stdout, Stderr: &stderr, Stdin: strings.NewReader(""), Version: version,
		Getenv: func(string) string { return "" },
	})
	if err != nil {
		fmt.Fprintln(&stderr, err)
	}
	n.search("init --har", stdout.String()+stderr.String())
}

// broken searches what is reported about configurations that are refused.
func (statistics *canaryStatistics) broken(t *testing.T) {
	number := 0
	eachBroken(t, func(t *testing.T, b brokenConfig) {
		if number++; !slowtest.Turn(number, 4) {
			return
		}
		a := &aviary{canaries: map[string]string{}, secrets: map[string]bool{}}
		document := a.plantConfig(b.Text, !b.Strict)
		n := &nest{t: t, statistics: statistics}
		w := newWorld(t, &cannedAPI{clock: clock.At(defaultStart)})
		w.options.Variables, w.options.Strict = b.Variables, b.Strict
		writeFile(t, filepath.Join(w.dir, "config.json"), document)
		got := w.run(context.Background())
		n.search("events", got.stdout)
		n.search("stderr", got.stderr)
		var given []variables.Assignment
		for _, flag := range b.Variables {
			if name, text, ok := strings.Cut(flag, "="); ok {
				given = append(given, variables.Assignment{Name: name, Text: text})
			}
		}
		n.looks([]byte(document), given, b.Strict, defaultStart)
		statistics.canaries += a.numbers
	})
}

// filesOf are all files below a directory by their names; one that goes while
// they are read is left out.
func filesOf(dir string) map[string]string {
	files := map[string]string{}
	// An error is that of a file that has just gone.
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		if text, err := os.ReadFile(path); err == nil {
			name, _ := filepath.Rel(dir, path)
			files[filepath.ToSlash(name)] = string(text)
		}
		return nil
	})
	return files
}

// secretFiles are the names and contents of all files that must not hold a
// secret: all but what the platform has put there, the data, and what the state has
// below names with a hash sign, which are made for it.
func secretFiles(files map[string]string) string {
	var b strings.Builder
	for name, text := range files {
		if name != "config.json" && !strings.HasPrefix(name, "in/") {
			if strings.HasSuffix(name, "state.json") {
				text = withoutSecrets(text)
			}
			fmt.Fprintf(&b, "%s:\n%s\n", name, text)
		}
	}
	return b.String()
}

// withoutSecrets is a state without what is below names with a hash sign.
func withoutSecrets(text string) string {
	var state any
	if decodeJSON([]byte(text), &state) != nil {
		return text
	}
	return jsonText(withoutHash(state))
}

func withoutHash(v any) any {
	object, ok := v.(map[string]any)
	if !ok {
		return v
	}
	kept := map[string]any{}
	for name, item := range object {
		if !strings.HasPrefix(name, "#") {
			kept[name] = withoutHash(item)
		}
	}
	return kept
}

// data reports whether a file of the data directory holds what the API has sent.
func data(name string) bool {
	return strings.HasPrefix(name, "out/tables/") || strings.HasPrefix(name, "cache/") || name == "out/state.json"
}
