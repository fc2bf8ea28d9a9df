package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

func TestWhereabouts(t *testing.T) {
	for name, tc := range map[string]struct {
		written written
		want    string
	}{
		"nothing":    {written{kept: true}, ""},
		"tables":     {written{tables: true}, "Written: tables in d/out/tables\n"},
		"everything": {written{true, true, true, true, true, false}, "Written: tables in d/out/tables, files in d/out/files, state in d/out/state.json, report in r/report.html, recording in [hidden].har\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &run{Options: Options{DataDir: "d", Report: "r", Record: "s3cret-key.har"}, written: tc.written}
			r.Secrets = &secret.Registry{}
			r.Secrets.Add("s3cret-key")
			if got := r.outputSummary(); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestUnchanged: an interrupted run names what the run before has left, and what a login
// has changed.
func TestUnchanged(t *testing.T) {
	const tables, state = "out/tables/t.csv", "out/state.json"
	for name, tc := range map[string]struct {
		files []string
		kept  bool
		want  string
	}{
		"nothing":         {nil, false, "no table and no state was written"},
		"both":            {[]string{tables, state}, false, "no table and no state was written, DIR/out/tables and DIR/out/state.json are those of the run before"},
		"tables":          {[]string{tables}, false, "no table and no state was written, DIR/out/tables is that of the run before"},
		"a state":         {[]string{state}, false, "no table and no state was written, DIR/out/state.json is that of the run before"},
		"a login":         {[]string{state}, true, "no table was written; DIR/out/state.json has the new credentials of a login"},
		"a login, tables": {[]string{tables, state}, true, "no table was written, DIR/out/tables is as before; DIR/out/state.json has the new credentials of a login"},
		"empty directory": {[]string{"out/tables/x/"}, false, "no table and no state was written"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, file := range tc.files {
				path := filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if strings.HasSuffix(file, "/") {
					continue
				}
				if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r := &run{Options: Options{DataDir: dir}, written: written{kept: tc.kept}}
			if got := strings.ReplaceAll(r.interruptedSummary(), dir, "DIR"); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
