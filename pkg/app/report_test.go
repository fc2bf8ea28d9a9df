package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestInside(t *testing.T) {
	dir := t.TempDir()
	tables := filepath.Join(dir, "out", "tables")
	if err := os.MkdirAll(filepath.Join(dir, "elsewhere"), 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		tables: true, tables + "/report": true, tables + "/../tables/x": true, link + "/out/tables": true, link + "/out/tables/new/new": true,
		filepath.Join(dir, "out"): false, tables + "2": false, tables + "/..": false, tables + "/../..x": false, dir + "/elsewhere": false, "/": false, "relative": false,
	} {
		if got, err := inside(tables, path); err != nil || got != want {
			t.Errorf("%s: got %v, %v", path, got, err)
		}
	}
}

// TestReportOfRunsThatFail: also of those that fail before anything is sent, or
// in a way of ours.
func TestReportOfRunsThatFail(t *testing.T) {
	for name, row := range map[string]struct {
		config string
		change func(*Options)
		want   []string
	}{
		"problems":   {`{"api":{"baseUrl":"x"},"config":{"jobs":[]}}`, nil, []string{`"pointer": "/api/baseUrl"`, `"code": "invalid-address"`, `"kind": "user"`}},
		"no JSON":    {`{`, nil, []string{`"status": "failed"`, `"jobs": []`}},
		"no network": {oneJob, nil, []string{`"message": "job t, page 1: `, `"pointer": "/parameters/api/baseUrl"`, `"source": "config.warning"`}},
		"no events":  {oneJob, func(o *Options) { o.Stdout = full{} }, []string{`"status": "failed"`}},
	} {
		t.Run(name, func(t *testing.T) {
			reports := filepath.Join(t.TempDir(), "r")
			exit, _, stderr, _ := trial(t, row.config, func(o *Options) {
				o.Report = reports
				if row.change != nil {
					row.change(o)
				}
			})
			text, err := os.ReadFile(filepath.Join(reports, "report.json"))
			if err != nil || exit == failure.ExitOK {
				t.Fatalf("exit code %d, %v, %s", exit, err, stderr)
			}
			for _, want := range row.want {
				if !strings.Contains(string(text), want) {
					t.Errorf("the report lacks %s:\n%s", want, text)
				}
			}
			if strings.Contains(string(text), "4711") {
				t.Errorf("the report shows the secret:\n%s", text)
			}
		})
	}
}

// TestReportThatCannotBeWritten: the run has ended well, but not all that was
// requested is there.
func TestReportThatCannotBeWritten(t *testing.T) {
	reports := filepath.Join(t.TempDir(), "r")
	exit, _, stderr, _ := trial(t, `{"action":"validate","api":{"baseUrl":"http://api.test/"},"config":{"jobs":[{"endpoint":"t"}]}}`, func(o *Options) {
		o.Report = reports
		o.Stdout = remover{reports}
	})
	if exit != failure.ExitApplication || !strings.Contains(stderr, "cannot write the report") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit code %d, stderr %q", exit, stderr)
	}
}

// remover is a writer that removes a directory.
type remover struct{ dir string }

func (r remover) Write(p []byte) (int, error) { return len(p), os.RemoveAll(r.dir) }
