// Package apis runs every configuration of the gallery against a mock server of its API.
// A mock server behaves as the documentation of the API says: it checks credentials and
// parameters, limits the rate of requests, and changes its data between two runs. The pages
// of docs/apis have the sources.
package apis

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keboola/configurable-extractor/internal/pipes"
	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/gallery"
	"github.com/keboola/configurable-extractor/pkg/load"
)

// firstDay is when the first run starts.
var firstDay = time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)

// mockServer is an API with its data. A test makes one for each sequence of runs.
type mockServer interface {
	http.Handler
	// nextDay changes the data as a day of use does: new, changed and deleted items.
	nextDay()
	// expected returns what the run of a day (1 or 2, 3 for a forgetful API) stores, each row exactly once.
	expected(day int) tables
}

// signing is a mock server whose configuration needs real keys in the place of the
// placeholders in it.
type signing interface {
	// keys returns them by their placeholders.
	keys() map[string]string
}

// forgetful is a mock server whose links from one run to the next expire.
type forgetful interface {
	// forget lets them expire. The third run stores expected(3).
	forget()
}

// repeating is a mock server of an API that may send a row twice in one run, as its
// documentation says. The last one counts, as it does in a storage with primary keys.
type repeating interface {
	// repeats reports whether rows of the table come twice.
	repeats(table string) bool
}

// tables has the rows of each table by its name without the bucket.
type tables map[string][]row

func (t tables) add(table string, rows ...row) { t[table] = append(t[table], rows...) }

// row has the values of the columns that are compared. It has the primary key at least.
type row map[string]string

// check runs the configuration of the gallery with this name.
func check(t *testing.T, name string, start func(*world) mockServer) {
	t.Helper()
	known, err := gallery.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	text := known.Config
	t.Run("validates", func(t *testing.T) {
		for _, finding := range diagnostic.Check(t.Context(), "config.json", text, load.Options{}).Findings {
			if finding.Code != failure.ExampleValue { // which the user replaces
				t.Errorf("validate reports %v", finding)
			}
		}
		if strings.Contains(string(text), "ignoreErrors") || !strings.Contains(string(text), `"onIncomplete": "fail"`) {
			t.Error(`the configuration ignores errors, or has no "onIncomplete": "fail"`)
		}
	})
	t.Run("two days", func(t *testing.T) {
		alone := begin(t, text, 1, start)
		alone.run(1)
		pageShows(t, name, alone.dir)
		side := begin(t, text, 8, start)
		side.run(1)
		if one, many := alone.files(), side.files(); !maps.Equal(one, many) {
			t.Errorf("concurrency changes the tables from\n%s\nto\n%s", one, many)
		}
		for _, s := range []*sequence{alone, side} {
			s.now = s.now.Add(24 * time.Hour)
			s.locked(s.api.nextDay)
			s.run(2)
			if api, ok := s.api.(forgetful); ok {
				s.now = s.now.Add(8 * 24 * time.Hour)
				s.locked(api.forget)
				s.run(3)
			}
			s.checkUntidiness()
		}
	})
}

// sequence is some runs in one data directory.
type sequence struct {
	*world
	api mockServer
	// served is the handler of the requests.
	served http.Handler
	dir    string
	// secrets are the values of # keys.
	secrets []string
}

// begin makes a data directory with the configuration, and the API.
func begin(t *testing.T, config []byte, concurrency int, start func(*world) mockServer) *sequence {
	t.Helper()
	w := newWorld(t)
	s := &sequence{world: w, api: start(w), dir: t.TempDir()}
	s.served = w.serve(s.api)
	text := strings.ReplaceAll(string(config), "https://", "http://")
	if signs, ok := s.api.(signing); ok {
		for placeholder, key := range signs.keys() {
			quoted, err := json.Marshal(key)
			if err != nil || !strings.Contains(text, `"`+placeholder+`"`) {
				t.Fatalf("the configuration has no %q (%v)", placeholder, err)
			}
			text = strings.ReplaceAll(text, `"`+placeholder+`"`, string(quoted))
		}
	}
	text = withConcurrency(text, concurrency)
	if err := os.WriteFile(filepath.Join(s.dir, "config.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Parameters struct{ Config object }
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	for name, v := range doc.Parameters.Config {
		if secret, ok := v.(string); ok && strings.HasPrefix(name, "#") {
			s.secrets = append(s.secrets, secret)
		}
	}
	return s
}

// ownConcurrency is the setting as a configuration has it.
var ownConcurrency = regexp.MustCompile(`"concurrency": \d+`)

// withConcurrency is a configuration with another concurrency.
func withConcurrency(text string, concurrency int) string {
	set := fmt.Sprintf(`"concurrency": %d`, concurrency)
	switch {
	case ownConcurrency.MatchString(text):
		return ownConcurrency.ReplaceAllLiteralString(text, set)
	case strings.Contains(text, `"http": {`):
		return strings.Replace(text, `"http": {`, `"http": {`+set+", ", 1)
	default:
		return strings.Replace(text, `"api": {`, `"api": {"http": {`+set+"}, ", 1)
	}
}

// run runs the configuration, and compares what it stores with what the API expects.
func (s *sequence) run(day int) {
	s.Helper()
	exit, stdout, stderr := s.extract()
	if exit != 0 {
		s.Fatalf("the run of day %d ends with %d: %s\n%s", day, exit, stderr, stdout)
	}
	var last struct {
		Event      string
		Incomplete bool
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.Event != "run.finished" || last.Incomplete {
		s.Errorf("the run of day %d ends with %s (%v)", day, lines[len(lines)-1], err)
	}
	for _, secret := range s.secrets {
		if strings.Contains(stdout, secret) {
			s.Errorf("the events show the secret %q", secret)
		}
	}
	var want tables
	s.locked(func() { want = s.api.expected(day) })
	stored := s.stored()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if api, ok := s.api.(repeating); ok && api.repeats(name) {
			stored[name] = stored[name].merged()
		}
		compare(s.T, fmt.Sprintf("day %d, %s", day, name), stored[name], want[name])
		delete(stored, name)
	}
	for name, t := range stored {
		if len(t.rows) > 0 {
			s.Errorf("day %d stores %d rows in %s, none is expected", day, len(t.rows), name)
		}
	}
}

// extract runs the configuration once. It returns the exit code and what the run printed. The
// run is in a bubble, so requests that are under way together wait together.
func (s *sequence) extract() (exit int, stdout, stderr string) {
	s.Helper()
	synctest.Test(s.T, func(t *testing.T) {
		l := pipes.Listen()
		server := &http.Server{Handler: s.served}
		go server.Serve(l)
		begin := time.Now()
		s.passed = func() time.Duration { return time.Since(begin) }
		var out, problems bytes.Buffer
		o := app.Options{DataDir: s.dir, Version: "1.0.0", Stdout: &out, Stderr: &problems}
		o.Getenv = func(string) string { return "" }
		o.Now, o.Dial = s.Now, l.Dial
		o.After = func(d time.Duration, call func()) (stop func() bool) { return time.AfterFunc(d, call).Stop }
		o.Sleep = func(ctx context.Context, d time.Duration) error {
			select {
			case <-time.After(d):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		exit = app.Run(t.Context(), o)
		stdout, stderr = out.String(), problems.String()
		end := s.Now()
		if err := server.Shutdown(t.Context()); err != nil { // waits for requests that were broken off
			t.Error(err)
		}
		s.now, s.passed = end, nil
	})
	return exit, stdout, stderr
}

// storedTable is a table as it was written.
type storedTable struct {
	columns, primaryKey []string
	rows                []row
}

// key is the primary key of a row.
func (t storedTable) key(r row) string {
	var parts []string
	for _, column := range t.primaryKey {
		parts = append(parts, r[column])
	}
	return strings.Join(parts, " / ")
}

// merged is the table with the last row of each primary key.
func (t storedTable) merged() storedTable {
	last := map[string]int{}
	for i, r := range t.rows {
		last[t.key(r)] = i
	}
	var rows []row
	for i, r := range t.rows {
		if last[t.key(r)] == i {
			rows = append(rows, r)
		}
	}
	t.rows = rows
	return t
}

// compare reports rows that are missing, stored twice or not expected, and wrong values.
func compare(t *testing.T, where string, got storedTable, want []row) {
	t.Helper()
	if len(got.primaryKey) == 0 {
		t.Errorf("%s has no primary key", where)
		return
	}
	key := got.key
	rows := map[string]row{}
	for _, r := range got.rows {
		if _, twice := rows[key(r)]; twice {
			t.Errorf("%s has %s twice", where, key(r))
		}
		rows[key(r)] = r
	}
	for _, w := range want {
		r, ok := rows[key(w)]
		if !ok {
			t.Errorf("%s lacks %s", where, key(w))
		}
		delete(rows, key(w))
		for column, v := range w {
			if ok && r[column] != v {
				t.Errorf("%s: %s of %s is %q, want %q", where, column, key(w), r[column], v)
			}
		}
	}
	for unexpected := range rows {
		t.Errorf("%s has %s, which is not expected", where, unexpected)
	}
}

// files are the bytes of all tables by their file names.
func (s *sequence) files() map[string]string {
	s.Helper()
	all := map[string]string{}
	for _, path := range s.csv() {
		text, err := os.ReadFile(path)
		if err != nil {
			s.Fatal(err)
		}
		all[filepath.Base(path)] = string(text)
	}
	return all
}

// csv are the paths of all tables.
func (s *sequence) csv() []string {
	s.Helper()
	paths, err := filepath.Glob(filepath.Join(s.dir, "out", "tables", "*"))
	if err != nil {
		s.Fatal(err)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return strings.HasSuffix(path, ".manifest") })
}

func (s *sequence) stored() map[string]storedTable {
	s.Helper()
	all := map[string]storedTable{}
	for _, path := range s.csv() {
		t, err := readTable(path)
		if err != nil {
			s.Fatal(err)
		}
		name := filepath.Base(path)
		all[name[strings.LastIndex(name, ".")+1:]] = t
	}
	return all
}

// readTable reads a table and its manifest.
func readTable(path string) (storedTable, error) {
	var manifest struct {
		PrimaryKey []string `json:"primary_key"`
	}
	text, err := os.ReadFile(path + ".manifest")
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		return storedTable{}, err
	}
	file, err := os.Open(path)
	if err != nil {
		return storedTable{}, err
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil || len(lines) == 0 {
		return storedTable{}, fmt.Errorf("%s has %d lines: %w", path, len(lines), err)
	}
	t := storedTable{columns: lines[0], primaryKey: manifest.PrimaryKey}
	for _, line := range lines[1:] {
		r := row{}
		for i, cell := range line {
			r[lines[0][i]] = cell
		}
		t.rows = append(t.rows, r)
	}
	return t, nil
}
