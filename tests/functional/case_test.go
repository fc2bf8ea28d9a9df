package functional

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/internal/golden"
	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// description is case.json, with the description of the case.
type description struct {
	// Description says in a sentence what the case shows.
	Description string `json:"description"`
	// Variables, Strict and LogFormat are the flags of the same names.
	Variables []string `json:"variables"`
	Strict    bool     `json:"strict"`
	LogFormat string   `json:"logFormat"`
	// MaxRequests, MaxBytes and Sample are flags too, and MaxTime in seconds.
	MaxRequests int     `json:"maxRequests"`
	MaxBytes    int64   `json:"maxBytes"`
	MaxTime     float64 `json:"maxTime"`
	Sample      int     `json:"sample"`
	// Full and Merge are flags.
	Full  bool `json:"full"`
	Merge bool `json:"merge"`
	// Env is the whole environment; @SERVER@ stands for the address of the API.
	Env map[string]string `json:"env"`
	// After is the case of the run before: its expected/state.json is what in/state.json
	// holds.
	After string `json:"after"`
	// Start is when the run starts; absent: defaultStart.
	Start time.Time `json:"start"`
	// Exit is the expected exit code.
	Exit int `json:"exit"`
	// Stderr are texts that the line on stderr must contain, and Conceals texts
	// that neither stderr nor stdout may contain.
	Stderr   []string `json:"stderr"`
	Conceals []string `json:"conceals"`
	// Waits are the expected sleeps, in seconds, all of them.
	Waits []float64 `json:"waits"`
	// Complete are kinds of events of which expected/events.jsonl lists every
	// one.
	Complete []string `json:"complete"`
	// AnyOrder lets the requests come in any order.
	AnyOrder bool `json:"anyOrder"`
	// Cache is how many files the run leaves in the directory of the cache;
	// absent: there is no such directory.
	Cache *int `json:"cache"`
}

// testCase is a file below cases, or the directory of a recipe.
type testCase struct {
	name  string
	dir   string // directory of a recipe, or ""
	files fs.FS
	description
	exchanges []exchange
	events    []occurrence // expected/events.jsonl
	response  string       // expected/response.json, of an action; "" for a run
	plain     bool         // the addresses of the configuration lose their TLS
}

// parts are the files and directories that a case may have.
var parts = []string{"api", "case.json", "config.json", "expected", "in", "out"}

// expectations are the files and directories that expected may have.
var expectations = []string{"events.jsonl", "files", "response.json", "state.json", "tables"}

// archiveOf returns the path of a case.
func archiveOf(name string) string { return filepath.Join("cases", name+".txtar") }

// caseNames returns the names of all cases below cases.
func caseNames(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(archiveOf("*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases (%v)", err)
	}
	for i, path := range paths {
		paths[i] = strings.TrimSuffix(filepath.Base(path), ".txtar")
	}
	return paths
}

// lensCases returns every twentieth of the names, always the same ones; in CI it returns
// all. Tests that look at all cases once more, in another way, use it.
func lensCases(names []string) []string {
	var some []string
	for i, name := range names {
		if slowtest.Turn(i, 20) {
			some = append(some, name)
		}
	}
	return some
}

// caseOf reads a case below cases.
func caseOf(t *testing.T, name string) *testCase {
	t.Helper()
	c, err := readCase(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// readCase reads a case below cases. The text before its first file is its description.
func readCase(name string) (*testCase, error) {
	archive, err := txtar.ParseFile(archiveOf(name))
	if err != nil {
		return nil, err
	}
	files, err := filesOfArchive(archive)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", archiveOf(name), err)
	}
	c, err := newCase(name, files)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", archiveOf(name), err)
	}
	if c.Description != "" {
		return nil, fmt.Errorf("%s: the description belongs before the first file", archiveOf(name))
	}
	c.Description = strings.Join(strings.Fields(string(archive.Comment)), " ")
	return c, nil
}

func filesOfArchive(archive *txtar.Archive) (fs.FS, error) {
	files := fstest.MapFS{}
	for _, f := range archive.Files {
		if files[f.Name] != nil {
			return nil, fmt.Errorf("%s is there twice", f.Name)
		}
		files[f.Name] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
	}
	return files, nil
}

// newCase reads the files of a case.
func newCase(name string, files fs.FS) (*testCase, error) {
	c := &testCase{name: name, files: files}
	if err := errors.Join(onlyKnown(files, ".", parts), onlyKnown(files, "expected", expectations)); err != nil {
		return nil, err
	}
	text, err := c.read("case.json")
	if text != nil {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		err = d.Decode(&c.description)
	}
	if err != nil {
		return nil, fmt.Errorf("case.json: %w", err)
	}
	if c.Start.IsZero() {
		c.Start = defaultStart
	}
	if c.exchanges, err = readExchanges(files, "api"); err != nil {
		return nil, err
	}
	response, err := c.read("expected/response.json")
	if err != nil {
		return nil, err
	}
	c.response = string(response)
	c.events, err = c.readEvents()
	return c, err
}

// read returns a file of the case, or nil if it is not there.
func (c *testCase) read(path string) ([]byte, error) {
	text, err := fs.ReadFile(c.files, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// config returns the configuration of the case, or nil if there is none.
func (c *testCase) config(t *testing.T) []byte {
	t.Helper()
	text, err := c.read("config.json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// onlyKnown reports names in a directory that mean nothing: each would be a check that
// never happens.
func onlyKnown(files fs.FS, dir string, known []string) error {
	entries, err := fs.ReadDir(files, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if !slices.Contains(known, entry.Name()) {
			err = errors.Join(err, fmt.Errorf("%s means nothing in %s", entry.Name(), dir))
		}
	}
	return err
}

func (c *testCase) readEvents() ([]occurrence, error) {
	text, err := c.read("expected/events.jsonl")
	var all []occurrence
	for line := range strings.Lines(string(text)) {
		var e occurrence
		if err := decodeJSON([]byte(line), &e); err != nil {
			return nil, fmt.Errorf("expected/events.jsonl: %w: %s", err, line)
		}
		all = append(all, e)
	}
	return all, err
}

// TestCases runs every case.
func TestCases(t *testing.T) {
	var names []string
	for i, name := range caseNames(t) {
		if slowtest.ShortTurn(i, 5) {
			names = append(names, name)
		}
	}
	eachCase(t, names, caseOf, func(t *testing.T, c *testCase) { c.run(t) })
}

// eachCase gives each of some cases to a subtest; they run side by side.
func eachCase(t *testing.T, names []string, read func(*testing.T, string) *testCase, check func(*testing.T, *testCase)) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, read(t, name))
		})
	}
}

// world is a world for a run of the case, with an API that plays its exchanges.
func (c *testCase) world(t *testing.T) (*world, *script) {
	api := &script{t: t, all: c.exchanges, anyOrder: c.AnyOrder, failing: c.AnyOrder && c.Exit != 0}
	w := c.worldOf(t, api)
	api.clock, api.server = w.clock, w.api.URL
	return w, api
}

// worldOf is a world with another API.
func (c *testCase) worldOf(t *testing.T, api http.Handler) *world {
	w := newWorld(t, api)
	w.clock = clock.At(c.Start)
	w.options.Variables, w.options.Strict, w.options.LogFormat = c.Variables, c.Strict, c.LogFormat
	w.options.Limits = env.Limits{Requests: c.MaxRequests, Bytes: c.MaxBytes, Time: time.Duration(c.MaxTime * float64(time.Second))}
	w.options.Sample, w.options.Full, w.options.Merge = c.Sample, c.Full, c.Merge
	for name, value := range c.Env {
		w.env[name] = strings.ReplaceAll(value, "@SERVER@", w.api.URL)
	}
	return w
}

// run runs the case and checks everything that it and every run promises.
func (c *testCase) run(t *testing.T) {
	w, api := c.world(t)
	before := c.fill(t, w.dir)
	got := w.run(context.Background())
	api.finish()
	if golden.Update(t) {
		c.update(t, w.dir, got)
	}
	c.checkEnd(t, got)
	c.checkWaits(t, got.waits)
	if c.response == "" {
		c.checkEvents(t, got.events(t), api.sent)
		c.checkPointers(t, got.events(t))
	}
	c.checkFiles(t, w.dir, before)
	if t.Failed() {
		t.Logf("exit %d\nstderr: %sstdout:\n%s", got.exit, got.stderr, got.stdout)
	}
}

// fill copies the input of the case into a data directory and returns what is
// there afterwards.
func (c *testCase) fill(t *testing.T, dir string) map[string]string {
	t.Helper()
	for _, part := range []string{"in", "out"} {
		below, err := fs.Sub(c.files, part)
		if err == nil {
			err = os.CopyFS(filepath.Join(dir, part), below)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if c.After != "" {
		before := caseOf(t, c.After)
		state, err := before.read("expected/state.json")
		if err != nil || state == nil {
			t.Fatalf("%s has no expected/state.json (%v)", c.After, err)
		}
		writeFile(t, filepath.Join(dir, "in", "state.json"), carried(t, string(state)))
	}
	if text := c.config(t); text != nil {
		if c.plain {
			text = []byte(plain(string(text)))
		}
		if err := os.WriteFile(filepath.Join(dir, "config.json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return readTree(t, dir)
}

// checkEnd checks the exit code and what goes with it.
func (c *testCase) checkEnd(t *testing.T, got outcome) {
	t.Helper()
	if got.exit != c.Exit {
		t.Errorf("exit code %d, want %d", got.exit, c.Exit)
	}
	got.checkStderr(t)
	if c.response == "" {
		got.checkLastEvent(t)
	} else if !equalJSON(t, got.stdout, c.response) {
		t.Errorf("stdout is not exactly the response:\ngot:  %swant: %s", got.stdout, c.response)
	}
	for _, text := range c.Stderr {
		if !strings.Contains(got.stderr, text) {
			t.Errorf("stderr lacks %q: %s", text, got.stderr)
		}
	}
	for _, text := range c.Conceals {
		if strings.Contains(got.stderr+got.stdout, text) {
			t.Errorf("stdout or stderr show %q", text)
		}
	}
}

// checkStderr checks what every end promises: silence on stderr after a
// success, one line there after a failure.
func (o outcome) checkStderr(t *testing.T) {
	t.Helper()
	if o.exit == 0 {
		if o.stderr != "" {
			t.Errorf("stderr is not empty after a success: %q", o.stderr)
		}
		return
	}
	line, isLine := strings.CutSuffix(o.stderr, "\n")
	if !isLine || line == "" || strings.Contains(line, "\n") {
		t.Errorf("stderr is not exactly one line: %q", o.stderr)
	}
}

// checkLastEvent checks that the last event of a failed run has the line of
// stderr as its error, and that of a run that was cut as its message.
func (o outcome) checkLastEvent(t *testing.T) {
	t.Helper()
	if o.exit == 0 {
		return
	}
	events := o.events(t)
	if len(events) == 0 {
		t.Error("a failed run without an event")
		return
	}
	line := strings.TrimSuffix(o.stderr, "\n")
	last := events[len(events)-1]
	if o.exit == failure.ExitLimitReached {
		if last["event"] != "run.cut" || last["message"] != line {
			t.Errorf("the last event is not run.cut with the line on stderr:\n%v\n%s", last, line)
		}
		return
	}
	kind := map[int]string{1: "user", 2: "application"}[o.exit]
	if last["event"] != "run.failed" || last["error"] != line || last["kind"] != kind {
		t.Errorf("the last event is not run.failed of kind %s with the line on stderr:\n%v\n%s", kind, last, line)
	}
}

// checkPointers checks that every place an event names is there in the
// configuration, so that it leads somewhere.
func (c *testCase) checkPointers(t *testing.T, events []occurrence) {
	t.Helper()
	document, err := value.Parse(c.config(t))
	if err != nil {
		return // there is no configuration, or no JSON
	}
	for _, e := range events {
		if pointer, ok := e["pointer"].(string); ok && !exists(document, pointer) {
			t.Errorf("%s names %s, which is not in config.json", e["event"], pointer)
		}
	}
}

// exists reports whether there is something at a JSON pointer.
func exists(v value.Value, pointer string) bool {
	if pointer == "" {
		return true
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		next, ok := v.Get(strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
		if !ok {
			next, ok = v.At(token, "/")
		}
		if !ok {
			return false
		}
		v = next
	}
	return true
}

func (c *testCase) checkWaits(t *testing.T, waits []time.Duration) {
	t.Helper()
	got := []float64{}
	for _, wait := range waits {
		got = append(got, wait.Seconds())
	}
	if !slices.Equal(got, c.Waits) {
		t.Errorf("waited %v seconds, want %v", got, c.Waits)
	}
}

// checkFiles checks what the run left in the data directory: its input
// unchanged, the expected tables and state, nothing else. A state that is expected of
// a run without success is what its logins remembered.
func (c *testCase) checkFiles(t *testing.T, dir string, before map[string]string) {
	t.Helper()
	want := maps.Clone(before)
	got := readTree(t, dir)
	state, err := c.read("expected/state.json")
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case state != nil:
		want["out/state.json"] = string(state)
	case c.Exit == 0 && c.response == "":
		want["out/state.json"] = got["out/state.json"] // the case is not about the state
	}
	if c.leavesTables() {
		for name, text := range readFS(t, c.files, "expected/tables") {
			want["out/tables/"+name] = text
		}
		for name, text := range readFS(t, c.files, "expected/files") {
			want["out/files/"+name] = contentsOf(name, text)
		}
	}
	if c.Cache != nil {
		kept := -1 // the directory itself
		maps.DeleteFunc(got, func(name, _ string) bool {
			cached := strings.HasPrefix(name, "cache/")
			if cached {
				kept++
			}
			return cached
		})
		if kept != *c.Cache {
			t.Errorf("the cache holds %d files, want %d", kept, *c.Cache)
		}
	}
	compareFiles(t, got, want)
}

// leavesTables reports whether the run writes tables: when it succeeds, and when it
// is cut.
func (c *testCase) leavesTables() bool {
	return c.response == "" && (c.Exit == 0 || c.Exit == failure.ExitLimitReached)
}
