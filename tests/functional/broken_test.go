package functional

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// brokenConfig is a file below broken: a configuration that must be refused
// before anything is sent.
type brokenConfig struct {
	// Config is the document, or Text when it is not even JSON; Text is both once
	// it is read.
	Config json.RawMessage `json:"config"`
	Text   string          `json:"text"`
	// Variables and Strict are the flags of the same names.
	Variables []string `json:"variables"`
	Strict    bool     `json:"strict"`
	// Stderr are texts that the message must contain: the place first.
	Stderr []string `json:"stderr"`
	// Conceals are texts that must not appear.
	Conceals []string `json:"conceals"`
	// Exit is the exit code, 1 when absent.
	Exit int `json:"exit"`
}

// eachBroken gives every file below broken to a subtest of its name.
func eachBroken(t *testing.T, run func(*testing.T, brokenConfig)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("broken", "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no file below broken (%v)", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			b := brokenConfig{Exit: 1}
			d := json.NewDecoder(bytes.NewReader(text))
			d.DisallowUnknownFields()
			if err := d.Decode(&b); err != nil {
				t.Fatal(err)
			}
			if len(b.Stderr) == 0 {
				t.Fatal("nothing is expected on stderr, which any failure would satisfy")
			}
			b.Text = cmp.Or(b.Text, string(b.Config))
			run(t, b)
		})
	}
}

// TestBroken runs every file below broken: the run must end with one line that
// states the place, without a request, a table or a state.
func TestBroken(t *testing.T) {
	eachBroken(t, func(t *testing.T, b brokenConfig) {
		t.Parallel()
		b.run(t)
	})
}

func (b brokenConfig) run(t *testing.T) {
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("a request was sent: %s %s", r.Method, r.RequestURI)
		http.NotFound(w, r)
	}))
	w.options.Variables, w.options.Strict = b.Variables, b.Strict
	writeFile(t, filepath.Join(w.dir, "config.json"), b.Text)
	before := readTree(t, w.dir)
	got := w.run(context.Background())
	c := testCase{description: description{Exit: b.Exit, Stderr: b.Stderr, Conceals: b.Conceals}}
	c.checkEnd(t, got)
	compareFiles(t, readTree(t, w.dir), before)
	if t.Failed() {
		t.Logf("exit %d\nstderr: %sstdout:\n%s", got.exit, got.stderr, got.stdout)
	}
}
