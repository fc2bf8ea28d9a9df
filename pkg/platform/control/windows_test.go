package control

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/php"
)

// windowed is a document with these windows in its only job.
func windowed(windows string) string {
	return `{"parameters":{"config":{"outputBucket":"b","incrementalOutput":true,"since":"2024-01-01","jobs":[{"endpoint":"e","windows":` + windows + `}]}}}`
}

func TestSplitStartsWindows(t *testing.T) {
	for name, tc := range map[string]struct {
		document, split string
		variables       []string
		want            []string // the windows of the jobs
	}{
		"a job for each": {windowed(`{"from":"2024-01-01","to":"2024-01-03","step":"1 day"}`), "windows", nil, []string{
			`{"from":"2024-01-01T00:00:00+00:00","to":"2024-01-02T00:00:00+00:00","step":"1 day"}`,
			`{"from":"2024-01-02T00:00:00+00:00","to":"2024-01-03T00:00:00+00:00","step":"1 day"}`}},
		"groups of nearly the same size": {windowed(`{"step":"2 days","from":{"attr":"since"},"to":"2024-01-10","timezone":"Europe/Prague"}`), "windows=3", nil, []string{
			`{"step":"2 days","from":"2024-01-01T00:00:00+01:00","to":"2024-01-03T00:00:00+01:00","timezone":"Europe/Prague"}`,
			`{"step":"2 days","from":"2024-01-03T00:00:00+01:00","to":"2024-01-07T00:00:00+01:00","timezone":"Europe/Prague"}`,
			`{"step":"2 days","from":"2024-01-07T00:00:00+01:00","to":"2024-01-10T00:00:00+01:00","timezone":"Europe/Prague"}`}},
		"not more groups than windows": {windowed(`{"from":"2024-01-01","to":"2024-01-03","step":"1 month"}`), "windows=8", nil, []string{
			`{"from":"2024-01-01T00:00:00+00:00","to":"2024-01-03T00:00:00+00:00","step":"1 month"}`}},
		"to is now": {windowed(`{"from":"yesterday","step":"1 day"}`), "windows", nil, []string{
			`{"from":"2026-05-03T00:00:00+00:00","step":"1 day","to":"2026-05-04T00:00:00+00:00"}`,
			`{"from":"2026-05-04T00:00:00+00:00","step":"1 day","to":"2026-05-04T10:00:00+00:00"}`}},
		"a variable": {windowed(`{"from":"{{from}}","to":"2024-01-03","step":"1 day","format":"{{f}}"}`), "windows=1", []string{"from=2024-01-02", "f=Y-m-d"}, []string{
			`{"from":"2024-01-02T00:00:00+00:00","to":"2024-01-03T00:00:00+00:00","step":"1 day","format":"{{f}}"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.responses(stored, configuration(tc.document))
			w.responses(createJob, fine(101), fine(102), fine(103))
			w.responses(events, `[]`)
			exit, err := w.Run(context.Background(), Run{Configuration: "12", Split: tc.split, Variables: tc.variables})
			if err != nil || exit != 0 {
				t.Fatalf("exit code %d, %v", exit, err)
			}
			before, after, _ := strings.Cut(tc.document, `"windows":{`)
			after = after[strings.Index(after, "}]}}}"):] // after the last brace of the windows
			jobs := w.created()
			if len(jobs) != len(tc.want) {
				t.Fatalf("%d jobs: %s", len(jobs), jobs)
			}
			for i, want := range tc.want {
				want = strings.ReplaceAll(want, "+", " ") // the world reads every body as a form
				if !strings.Contains(jobs[i], before+`"windows":`+want+after) {
					t.Errorf("sent:\n%s\nwant windows %s", jobs[i], want)
				}
			}
		})
	}
}

// TestSplitOfSeveralJobsWithWindows: each part has its share of the windows of every job,
// of one with few windows perhaps none.
func TestSplitOfSeveralJobsWithWindows(t *testing.T) {
	w := newWorld(t)
	w.responses(stored, configuration(`{"config":{"id":"7","incrementalOutput":1,"jobs":{"x":{"endpoint":"a","windows":{"from":"2024-01-01","to":"2024-01-02","step":"1 day"}},"y":{"endpoint":"b","windows":{"from":"2024-01-01","to":"2024-01-05","step":"1 day"}},"z":{"endpoint":"c","windows":{"from":"2025-01-01","to":"2024-01-05","step":"1 day"}}}},"parameters":[]}`))
	w.responses(createJob, fine(101), fine(102))
	w.responses(events, `[]`)
	if exit, err := w.Run(context.Background(), Run{Configuration: "12", Split: "windows=2"}); err != nil || exit != 0 {
		t.Fatalf("exit code %d, %v", exit, err)
	}
	var got []string
	for _, job := range w.created() {
		for _, m := range testvalue.Parse(t, job).Field("configData").Field("config").Field("jobs").Members() {
			windows := m.Value.Field("windows")
			got = append(got, m.Name+" "+windows.Field("from").Text()+" "+windows.Field("to").Text())
		}
	}
	want := []string{
		"x 2024-01-02T00:00:00+00:00 2024-01-02T00:00:00+00:00", "y 2024-01-01T00:00:00+00:00 2024-01-03T00:00:00+00:00", "z 1777888800 1777888800",
		"x 2024-01-01T00:00:00+00:00 2024-01-02T00:00:00+00:00", "y 2024-01-03T00:00:00+00:00 2024-01-05T00:00:00+00:00", "z 1777888800 1777888800"}
	if fmt.Sprint(got) != strings.ReplaceAll(fmt.Sprint(want), "+", " ") { // the world reads every body as a form
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if table := w.out.String(); !strings.Contains(table, "windows 1-2  101  success") || !strings.Contains(table, "windows 3-4  102  success") {
		t.Error(table)
	}
}

func TestSplitOfWindowsAsJSON(t *testing.T) {
	w := newWorld(t)
	w.JSON = true
	w.responses(stored, configuration(windowed(`{"from":"2024-01-01","to":"2024-01-04","step":"1 day"}`)))
	w.responses(createJob, fine(101), fine(102))
	w.responses(events, `[]`)
	if _, err := w.Run(context.Background(), Run{Configuration: "12", Split: "windows=2"}); err != nil {
		t.Fatal(err)
	}
	groups := testvalue.Parse(t, w.out.String()).Field("groups").Items()
	if len(groups) != 2 || groups[1].Field("first_window").Text() != "2" || groups[1].Field("last_window").Text() != "3" {
		t.Error(w.out.String())
	}
}

func TestSplitRefusesWindows(t *testing.T) {
	const days = `{"from":"2024-01-01","to":"2024-01-03","step":"1 day"}`
	p := func(config string) string { return `{"parameters":{"config":{` + config + `}}}` }
	job := func(windows string) string { return `"jobs":[{"endpoint":"e","windows":` + windows + `}]` }
	for name, tc := range map[string]struct {
		split, document string
		want            string
	}{
		"no windows":                 {"windows", p(`"outputBucket":"b","jobs":[{"endpoint":"e"}]`), "configuration: /parameters/config/jobs/0: the job has no windows, and each job of the split would run it; move it to a configuration of its own"},
		"no jobs":                    {"windows", p(`"outputBucket":"b"`), "the configuration has no jobs with windows to split: run it without --split (at /parameters/config)"},
		"windows of a child":         {"windows", p(`"jobs":[{"endpoint":"e","children":[{"windows":` + days + `}]}]`), "configuration: /parameters/config/jobs/0: the job has no windows, and each job of the split would run it; move it to a configuration of its own"},
		"iterations":                 {"windows=2", `{"parameters":{"config":{},"iterations":[{}]}}`, "the configuration has iterations, each with windows of its own: split these with --split iterations (at /parameters/iterations)"},
		"none between":               {"windows", p(job(`{"from":"2024-01-03","to":"2024-01-01","step":"1 day"}`)), "there is no window to split: 'from' is not before 'to' (at /parameters/config/jobs/0/windows)"},
		"what was remembered":        {"windows=2", p(`"outputBucket":"b",` + job(`{"from":{"remembered":"until","default":"2024-01-01"},"step":"1 day"}`)), "configuration: /parameters/config/jobs/0/windows/from: what is remembered comes from the state of the run before, and the jobs of a split have none: each would read everything again; run it without --split, or write what the jobs of the split are to fetch"},
		"what was remembered, again": {"iterations", `{"parameters":{"config":{"outputBucket":"b","jobs":[{"params":{"since":{"remembered":"since"}}}]},"iterations":[{}]}}`, "configuration: /parameters/config/jobs/0/params/since: what is remembered comes from the state of the run before, and the jobs of a split have none: each would read everything again; run it without --split, or write what the jobs of the split are to fetch"},
		"a window without a start":   {"windows=2", p(job(`{"from":{"function":"if","args":[0,1,null]}}`)), "configuration: /parameters/config/jobs/0/windows: expected windows with a start, because parts of the time are split; give \"from\" a \"default\""},
		"previous start":             {"windows=2", p(`"outputBucket":"b",` + job(`{"from":{"time":"previousStart"},"step":"1 day"}`)), "configuration: /parameters/config/jobs/0/windows/from/time: previousStart comes from the state of the run before, and the jobs of a split have none: each would read everything again; run it without --split"},
		"tables are replaced":        {"windows=2", p(`"outputBucket":"b",` + job(days)), `configuration: /parameters/config: it replaces the tables in bucket "b", which several jobs of the split write to; set "incrementalOutput": true, with primary keys in mappings`},
		"no bucket":                  {"windows=2", p(`"incrementalOutput":true,` + job(days)), `configuration: /parameters/config: without "outputBucket" the tables go to a bucket named after the configuration, which the jobs of a split do not have: each would fill a bucket of its own; set "outputBucket" in "config"`},
		"a step":                     {"windows", p(job(`{"from":"2024-01-01","step":"daily"}`)), "configuration: /parameters/config/jobs/0/windows/step: expected a span of time in words, above zero, found \"daily\"; such as 7 days, 1 month, 6 hours, 1 year"},
		"a variable":                 {"windows", p(job(`{"from":"{{from}}","step":"1 day"}`)), "configuration: /parameters/config/jobs/0/windows/from: expected a time, and a variable in it has no value here; give it by --var name=value"},
		"too many":                   {"windows", p(job(`{"from":"2024-01-01","to":"2025-01-01","step":"1 day"}`)), "the configuration has 366 windows, and more than 100 jobs are not started by default: set their number with --split windows=N (at /parameters/config/jobs/0/windows)"},
		"too many for any run":       {"windows=2", p(job(`{"from":"2000-01-01","to":"2025-01-01","step":"1 sec"}`)), "windows: there are more than 100000 windows between 2000-01-01T00:00:00+00:00 and 2025-01-01T00:00:00+00:00: make 'step' longer (at /parameters/config/jobs/0/windows/step)"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.responses(stored, configuration(tc.document))
			w.responses(createJob, fine(101))
			exit, err := w.Run(context.Background(), Run{Configuration: "12", Split: tc.split})
			if err == nil || exit != 0 || w.Fail(err) != 1 {
				t.Fatalf("exit code %d, %v", exit, err)
			}
			w.wrote("", tc.want+"\n")
			if jobs := w.created(); len(jobs) > 0 {
				t.Errorf("jobs were started: %q", jobs)
			}
		})
	}
}

// TestPartsOfWindowsTile: any number of parts meet without a gap and without an
// overlap, from the first window to the last one.
func TestPartsOfWindowsTile(t *testing.T) {
	now := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	for _, windows := range []string{
		`{"from":"2024-01-31","to":"2026-01-01","step":"1 month","timezone":"America/New_York"}`,
		`{"from":"2024-01-01","to":"2024-02-01 12:00","step":"1 day","format":"Y-m-d","end":"inclusive"}`,
		`{"from":"2024-01-01","to":"2024-01-01 00:00:07","step":"1 sec"}`,
	} {
		jobs, err := windowedJobs(testvalue.Parse(t, windowed(windows)), now)
		if err != nil {
			t.Fatal(err)
		}
		for parts := 1; parts <= jobs[0].all.Count; parts++ {
			first, _ := jobs[0].all.First()
			at := first.StartBound()
			for _, b := range jobs[0].bounds(parts, now) {
				if !b.from.Equal(at) || !moment(t, b.from.Raw()).Before(moment(t, b.to.Raw())) {
					t.Errorf("%s in %d parts: one from %s to %s, after %s", windows, parts, b.from.Raw(), b.to.Raw(), at.Raw())
				}
				at = b.to
			}
			for w := range jobs[0].all.All() {
				if w.Number == jobs[0].all.Count && !at.Equal(w.EndBound()) {
					t.Errorf("%s in %d parts: the last one ends at %s", windows, parts, at.Raw())
				}
			}
		}
	}
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, ok := php.StrToTime(text, time.Unix(0, 0))
	if !ok {
		t.Fatalf("%q is no time", text)
	}
	return at
}
