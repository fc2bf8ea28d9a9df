package functional

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/internal/golden"
	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// description is case.json.
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

// testCase is one directory below cases.
type testCase struct {
	path string
	description
	exchanges []exchange
	events    []occurrence // expected/events.jsonl
	response  string       // expected/answer.json, of an action; "" for a run
	plain     bool         // the addresses of the configuration lose their TLS
}

// parts are what may be in the directory of a case.
var parts = []string{"api", "case.json", "config.json", "expected", "in", "out"}

// expectations are what may be in expected.
var expectations = []string{"answer.json", "events.jsonl", "state.json", "tables"}

func readCase(path string) (*testCase, error) {
	c := &testCase{path: path}
	if err := errors.Join(onlyKnown(path, parts), onlyKnown(filepath.Join(path, "expected"), expectations)); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(path, "case.json"))
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		err = d.Decode(&c.description)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("case.json: %w", err)
	}
	if c.Start.IsZero() {
		c.Start = defaultStart
	}
	if c.exchanges, err = readExchanges(filepath.Join(path, "api")); err != nil {
		return nil, err
	}
	response, err := os.ReadFile(filepath.Join(path, "expected", "answer.json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	c.response = string(response)
	c.events, err = readEvents(filepath.Join(path, "expected", "events.jsonl"))
	return c, err
}

// onlyKnown reports names in a directory that mean nothing, for they would be
// a check that never happens.
func onlyKnown(dir string, known []string) error {
	entries, err := os.ReadDir(dir)
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

func readEvents(path string) ([]occurrence, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []occurrence
	for line := range strings.Lines(string(text)) {
		var e occurrence
		if err := decodeJSON([]byte(line), &e); err != nil {
			return nil, fmt.Errorf("%s: %w: %s", path, err, line)
		}
		all = append(all, e)
	}
	return all, err
}

// TestCases runs every directory below cases.
func TestCases(t *testing.T) {
	entries, err := os.ReadDir("cases")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		t.Run(entry.Name(), func(t *testing.T) {
			t.Parallel()
			c, err := readCase(filepath.Join("cases", entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			c.run(t)
		})
	}
}

// api plays the exchanges of the case.
func (c *testCase) api(t *testing.T) *script {
	return &script{t: t, all: c.exchanges, anyOrder: c.AnyOrder, failing: c.AnyOrder && c.Exit != 0}
}

// run runs the case and checks everything that it and every run promises.
func (c *testCase) run(t *testing.T) {
	api := c.api(t)
	w := newWorld(t, api)
	w.clock = clock.At(c.Start)
	api.clock, api.server = w.clock, w.api.URL
	c.setFlags(&w.options)
	for name, value := range c.Env {
		w.env[name] = strings.ReplaceAll(value, "@SERVER@", w.api.URL)
	}
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

// setFlags sets the options that the case requests.
func (c *testCase) setFlags(o *app.Options) {
	o.Variables, o.Strict, o.LogFormat = c.Variables, c.Strict, c.LogFormat
	o.Limits = env.Limits{Requests: c.MaxRequests, Bytes: c.MaxBytes, Time: time.Duration(c.MaxTime * float64(time.Second))}
	o.Sample, o.Full, o.Merge = c.Sample, c.Full, c.Merge
}

// fill copies the input of the case into a data directory and returns what is
// there afterwards.
func (c *testCase) fill(t *testing.T, dir string) map[string]string {
	t.Helper()
	for _, part := range []string{"in", "out"} {
		err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(c.path, part)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if c.After != "" {
		state, err := os.ReadFile(filepath.Join(filepath.Dir(c.path), c.After, "expected", "state.json"))
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, "in", "state.json"), carried(t, string(state)))
	}
	text, err := os.ReadFile(filepath.Join(c.path, "config.json"))
	if c.plain {
		text = []byte(plain(string(text)))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "config.json"), text, 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
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
	text, err := os.ReadFile(filepath.Join(c.path, "config.json"))
	if err != nil {
		return // there is no configuration
	}
	document, err := value.Parse(text)
	if err != nil {
		return // nor is there in this file
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
	_, unexpected := os.Stat(filepath.Join(c.path, "expected", "state.json"))
	if c.Exit == 0 && c.response == "" || unexpected == nil {
		want["out/state.json"] = c.expectedState(t, readTree(t, dir))
	}
	if c.leavesTables() {
		for name, text := range readTree(t, filepath.Join(c.path, "expected", "tables")) {
			want["out/tables/"+name] = text
		}
	}
	got := readTree(t, dir)
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

// expectedState is expected/state.json, or the state that was written when the
// case does not care.
func (c *testCase) expectedState(t *testing.T, got map[string]string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.path, "expected", "state.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return got["out/state.json"]
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
