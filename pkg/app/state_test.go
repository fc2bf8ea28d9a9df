package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/datadir"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// laptop is a data directory with these files, and a run in it.
func laptop(t *testing.T, files map[string]string) (*run, *datadir.Dir) {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := datadir.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	r := &run{Options: Options{DataDir: root}}
	r.Getenv = func(string) string { return "" }
	r.Secrets = &secret.Registry{}
	r.Log = event.NewLog(event.Discard{}, r.Secrets, time.Now)
	return r, dir
}

// TestStateOfAnotherRun: a run that ended between the reading of the state and the
// stage would be done again, and go back.
func TestStateOfAnotherRun(t *testing.T) {
	for name, row := range map[string]struct {
		files map[string]string
		env   string
		full  bool
		fails bool
	}{
		"the last state":     {files: map[string]string{"out/state.json": `{"a":1}`}, fails: true},
		"there was none":     {files: map[string]string{"out/x": ""}, fails: true},
		"another input":      {files: map[string]string{"in/state.json": `{"a":1}`, "out/state.json": `{"a":1}`}},
		"on the platform":    {files: map[string]string{"out/state.json": `{"a":1}`}, env: "12"},
		"without a state":    {files: map[string]string{"out/state.json": `{"a":1}`}, full: true},
		"broken and without": {files: map[string]string{"out/state.json": `{`}, full: true},
	} {
		t.Run(name, func(t *testing.T) {
			r, dir := laptop(t, row.files)
			r.Full = row.full
			r.Getenv = func(string) string { return row.env }
			if err := readState(r, dir); err != nil {
				t.Fatal(err)
			}
			if err := checkState(r, dir); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(r.DataDir, "out", "state.json"), []byte(`{"a":2}`), 0o666); err != nil {
				t.Fatal(err)
			}
			err := checkState(r, dir)
			if row.fails != (err != nil) || err != nil && (failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), "another run has just written")) {
				t.Errorf("got %v", err)
			}
		})
	}
}
