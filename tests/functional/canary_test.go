package functional

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/authoring/plan"
	"github.com/keboola/configurable-extractor/pkg/authoring/scaffold"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/diagnostic"
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
}

// TestCanary: no output of any command about any case shows a canary in any form,
// regardless of what the API does with it, and no file but tables, state and what was in
// the data directory before has one, neither during a run nor after it.
func TestCanary(t *testing.T) {
	slowtest.SkipRace(t, "it goes through all cases again")
	statistics := &canaryStatistics{}
	cases := lensCases(caseNames(t))
	names := append(cases, recipeNames(t)...)
	t.Run("cases", func(t *testing.T) {
		for i, name := range names {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				read := caseOf
				if i >= len(cases) {
					read = recipeOf
				}
				n := &nest{t: t, c: read(t, name), statistics: statistics, number: i}
				n.all()
			})
		}
	})
	t.Run("broken", searchBroken)
	t.Logf("%d cases, %d end as without canaries; %d ask an API, which saw a canary in %d", statistics.cases, statistics.same, statistics.asking, statistics.carried)
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
	r.world = n.c.worldOf(n.t, r.api)
	r.api.clock, r.api.server = r.world.clock, r.world.api.URL
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
	r := n.run(canaryFault{}, debugging, func(r *nestRun) {
		r.keep(n.t)
		r.api.during = func() {
			searchCanaries(n.t, map[string]string{"files during a run": secretFiles(filesOf(r.world.dir))})
		}
	})
	n.searchRun(r)
	n.count(r)
	return r.world.options.Record
}

// keep lets the run keep everything.
func (r *nestRun) keep(t *testing.T) {
	dir := t.TempDir()
	r.world.options.LogFormat, r.world.options.Record, r.world.options.Report = "json", filepath.Join(dir, "run.har"), filepath.Join(dir, "report")
}

// readable runs the case for a reader, and some for a log server: events are written
// in three forms.
func (n *nest) readable() {
	log := func() string { return "" }
	r := n.run(canaryFault{}, debugging, func(r *nestRun) {
		if r.world.options.LogFormat = "console"; n.number%2 == 1 {
			r.world.options.LogFormat = ""
			log = listenGELF(n.t, r.world)
		}
	})
	searchCanaries(n.t, map[string]string{"GELF": log(), "stdout": r.got.stdout, "stderr": r.got.stderr})
}

// searchRun searches everything that a run prints and leaves.
func (n *nest) searchRun(r nestRun) {
	n.t.Helper()
	said := map[string]string{"events": r.got.stdout, "stderr": r.got.stderr, "files": secretFiles(r.files)}
	addKept(n.t, said, r.world)
	searchCanaries(n.t, said)
}

// count compares a run with what the case is without canaries.
func (n *nest) count(r nestRun) {
	n.statistics.mu.Lock()
	defer n.statistics.mu.Unlock()
	n.statistics.cases++
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
	r := n.run(f, debugging, func(r *nestRun) {
		r.keep(n.t)
		if r.world.options.Limits.Requests == 0 {
			r.world.options.Limits.Requests = mostFaults
		}
	})
	for name := range r.files {
		if data(name) {
			delete(r.files, name) // the API has given a secret as data
		}
	}
	n.searchRun(r)
	if n.t.Failed() {
		n.t.Logf("fault: %s, exit %d: %s", f.name, r.got.exit, r.got.stderr)
	}
}

// action runs the case as a synchronous action, whose response is on stdout.
func (n *nest) action(name string) {
	r := n.run(canaryFault{}, func(root map[string]any) { root["action"] = name }, nil)
	searchCanaries(n.t, map[string]string{"action " + name: r.got.stdout, "stderr": r.got.stderr})
}

// static searches what is reported about the configuration without a run.
func (n *nest) static(a *aviary) {
	if a.config == "" {
		return
	}
	searchCanaries(n.t, saidOf(n.t, []byte(a.config), a.variables, n.c.Strict, n.c.Start))
}

// saidOf is what plan and validate say of a document, by the names of the
// commands.
func saidOf(t *testing.T, document []byte, flags []string, strict bool, now time.Time) map[string]string {
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
	o := load.Options{Strict: strict, Variables: variables.Inputs{Flags: assignments(flags)}, Now: clock}
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
	searchCanaries(n.t, map[string]string{"init --har": stdout.String() + stderr.String()})
}

// searchBroken searches what is reported about configurations that are refused.
func searchBroken(t *testing.T) {
	number := 0
	eachBroken(t, func(t *testing.T, b brokenConfig) {
		if number++; !slowtest.Turn(number, 4) {
			return
		}
		a := &aviary{canaries: map[string]string{}, secrets: map[string]bool{}}
		document := a.plantConfig(b.Text, !b.Strict)
		w := newWorld(t, http.NotFoundHandler())
		w.options.Variables, w.options.Strict = b.Variables, b.Strict
		got := w.runs(t, document)
		said := saidOf(t, []byte(document), b.Variables, b.Strict, defaultStart)
		said["events"], said["stderr"] = got.stdout, got.stderr
		searchCanaries(t, said)
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
	contents := strings.HasPrefix(name, "out/files/") && !strings.HasSuffix(name, ".manifest")
	return contents || strings.HasPrefix(name, "out/tables/") || strings.HasPrefix(name, "cache/") || name == "out/state.json"
}
