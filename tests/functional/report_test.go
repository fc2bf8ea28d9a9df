package functional

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/report"
)

// TestReport runs every case with and without a report: tables, state, events
// and exit code must be the same, and the report is that of the run, without
// secrets.
func TestReport(t *testing.T) {
	slowtest.SkipRace(t, "it goes through all cases again")
	eachCase(t, lensCases(caseNames(t)), caseOf, func(t *testing.T, c *testCase) {
		dir := t.TempDir()
		data, reports := filepath.Join(dir, "data"), filepath.Join(dir, "report")
		got, left := c.reported(t, reports, data)
		if err := os.RemoveAll(data); err != nil {
			t.Fatal(err)
		}
		want, files := c.reported(t, "", data)
		if got.exit != want.exit || got.stderr != want.stderr || c.stdoutOf(t, got) != c.stdoutOf(t, want) {
			t.Errorf("with a report: exit %d, %s%s\nwithout: exit %d, %s%s", got.exit, got.stderr, got.stdout, want.exit, want.stderr, want.stdout)
		}
		if !maps.Equal(left, files) {
			t.Errorf("the files differ:\nwith a report: %q\nwithout: %q", left, files)
		}
		c.checkReport(t, reports, got)
	})
}

// reported runs the case with a report, "" for none, and returns the files it left
// in the data directory.
func (c *testCase) reported(t *testing.T, reports, dir string) (outcome, map[string]string) {
	t.Helper()
	w, _ := c.world(t)
	w.options.Report = reports
	w.dir = dir
	got, files := c.taped(t, w)
	for name, text := range files { // it has the address of the API
		files[name] = strings.ReplaceAll(text, w.api.URL, "@SERVER@")
	}
	got.stdout = strings.ReplaceAll(got.stdout, w.api.URL, "@SERVER@")
	got.stderr = strings.ReplaceAll(got.stderr, w.api.URL, "@SERVER@")
	return got, files
}

func (c *testCase) checkReport(t *testing.T, dir string, o outcome) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	c.checkSecrets(t, string(text))
	c.checkSecrets(t, string(page))
	var r report.Report
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	status := map[int]string{failure.ExitOK: report.Success, failure.ExitLimitReached: report.LimitReached}[o.exit]
	if status == "" {
		status = report.Failed
	}
	if r.Status != status || (r.Error != nil) != (status == report.Failed) {
		t.Errorf("exit code %d, but the report says %s, %+v", o.exit, r.Status, r.Error)
	}
	if r.Error != nil && r.Error.Message+"\n" != o.stderr && !strings.Contains(o.stderr, "@SERVER@") {
		t.Errorf("the report says %q, stderr %q", r.Error.Message, o.stderr)
	}
	requests := 0
	for _, j := range r.Jobs {
		requests += j.Requests
		if j.Job == "" || j.Pointer == "" || o.exit == 0 && j.Ended == nil && !j.Failed && j.Stored == nil {
			t.Errorf("half a job: %+v", j)
		}
	}
	if len(c.response) == 0 && requests != r.Totals.Requests {
		t.Errorf("%d requests of jobs, %d in all", requests, r.Totals.Requests)
	}
	for _, table := range r.Tables {
		if table.Sampled != table.Rows {
			t.Errorf("the shapes of %s are missing: %+v", table.Table, table)
		}
	}
	c.compareSums(t, r, o)
}

// compareSums sees that the report adds up to what the last event says.
func (c *testCase) compareSums(t *testing.T, r report.Report, o outcome) {
	t.Helper()
	for line := range strings.Lines(o.stdout) {
		var e struct {
			Event                  string
			Requests, Rows, Tables int
			Bytes                  int64
			Incomplete             int
		}
		if json.Unmarshal([]byte(line), &e) != nil || e.Event != "run.finished" && e.Event != "run.cut" {
			continue
		}
		if e.Requests != r.Totals.Requests || e.Rows != r.Totals.Rows || e.Tables != r.Totals.Tables || e.Bytes != r.Totals.Bytes {
			t.Errorf("the report has %+v, the event %+v", r.Totals, e)
		}
		if e.Event == "run.finished" && e.Incomplete != len(r.Incomplete) {
			t.Errorf("the report says of %d findings, the event of %d", len(r.Incomplete), e.Incomplete)
		}
	}
}

// TestReportOfAnInterruptedRun is written, too.
func TestReportOfAnInterruptedRun(t *testing.T) {
	w := newWorld(t, &script{t: t})
	w.options.Report = filepath.Join(t.TempDir(), "report")
	if err := os.WriteFile(filepath.Join(w.dir, "config.json"), []byte(`{"api":{"baseUrl":"http://api.test/"},"config":{"jobs":[{"endpoint":"a"}]}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o := w.run(ctx)
	text, err := os.ReadFile(filepath.Join(w.options.Report, "report.json"))
	if err != nil || o.exit != 1 || !strings.Contains(string(text), "the run was interrupted") {
		t.Errorf("exit %d, %v, %s", o.exit, err, text)
	}
}
