package control

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

const stored = "GET " + storage + ours + "/12"

// configuration is the platform's record of a document.
func configuration(document string) string {
	return `{"id":"12","name":"n","isDisabled":false,"rows":[],"configuration":` + document + `}`
}

// jobRecord is the record of a job; more are further members.
func jobRecord(id int, status, more string) string {
	return fmt.Sprintf(`{"id":"%d","component":"acme.ex","config":null,"status":%q%s}`, id, status, more)
}

// fine is a job that has ended well.
func fine(id int) string {
	return jobRecord(id, "success", `,"isFinished":true,"startTime":"2026-05-04T10:00:00+02:00","endTime":"2026-05-04T10:00:07+02:00","result":{"message":"done"}`)
}

// created returns the bodies of the jobs that were requested.
func (w *world) created() []string {
	var bodies []string
	for _, line := range w.sent {
		if body, is := strings.CutPrefix(line, "POST /jobs "); is {
			bodies = append(bodies, body)
		}
	}
	return bodies
}

func TestSplitStartsJobs(t *testing.T) {
	const head = `{"component":"acme.ex","mode":"run","configData":`
	for name, tc := range map[string]struct {
		document, split string
		variables       []string
		want            []string
	}{
		"a job for each": {
			`{"parameters":{"api":{"baseUrl":"http://a/"},"config":{"outputBucket":"b","incrementalOutput":true},"iterations":[{"r":1},{"r":2}]}}`, "iterations", nil,
			[]string{
				head + `{"parameters":{"api":{"baseUrl":"http://a/"},"config":{"outputBucket":"b","incrementalOutput":true},"iterations":[{"r":1}]}}}`,
				head + `{"parameters":{"api":{"baseUrl":"http://a/"},"config":{"outputBucket":"b","incrementalOutput":true},"iterations":[{"r":2}]}}}`,
			},
		},
		"groups of nearly the same size": {
			`{"parameters":{"config":{"outputBucket":"b","incrementalOutput":true},"iterations":[1,2,3,4,5]}}`, "iterations=3", nil,
			[]string{
				head + `{"parameters":{"config":{"outputBucket":"b","incrementalOutput":true},"iterations":[1]}}}`,
				head + `{"parameters":{"config":{"outputBucket":"b","incrementalOutput":true},"iterations":[2,3]}}}`,
				head + `{"parameters":{"config":{"outputBucket":"b","incrementalOutput":true},"iterations":[4,5]}}}`,
			},
		},
		"not more groups than iterations": {
			`{"parameters":{"config":{"incrementalOutput":"1"},"iterations":[{"outputBucket":"x"},{"outputBucket":"x"}]}}`, "iterations=7", nil,
			[]string{
				head + `{"parameters":{"config":{"incrementalOutput":"1"},"iterations":[{"outputBucket":"x"}]}}}`,
				head + `{"parameters":{"config":{"incrementalOutput":"1"},"iterations":[{"outputBucket":"x"}]}}}`,
			},
		},
		"one group overwrites no other": {
			`{"parameters":{"config":{"outputBucket":"b"},"iterations":[{},[]]}}`, "iterations=1", nil,
			[]string{head + `{"parameters":{"config":{"outputBucket":"b"},"iterations":[{},[]]}}}`},
		},
		"a bucket for each, made of ids": {
			`{"parameters":{"api":{"name":"n"},"iterations":[{"id":1},{"id":"2"}]}}`, "iterations", nil,
			[]string{
				head + `{"parameters":{"api":{"name":"n"},"iterations":[{"id":1}]}}}`,
				head + `{"parameters":{"api":{"name":"n"},"iterations":[{"id":"2"}]}}}`,
			},
		},
		"without the wrapper": {
			`{"iterations":[{}],"parameters":[],"config":{"outputBucket":"b"},"api":{}}`, "iterations", nil,
			[]string{head + `{"iterations":[{}],"parameters":[],"config":{"outputBucket":"b"},"api":{}}}`},
		},
		"all else as it was, placeholders too": {
			`{"z":[],"parameters":{"iterations":[{"n":1.50,"outputBucket":"{{a}}"},{"n":12345678901234567890,"outputBucket":"{{b}}"}],"config":{"é":"<&>"}},"variables_id":"7","runtime":{"tag":"1"}}`,
			"iterations", []string{"a=007", "b=8", "#s=hush-hush"},
			[]string{
				head + `{"z":[],"parameters":{"iterations":[{"n":1.50,"outputBucket":"{{a}}"}],"config":{"é":"<&>"}},"variables_id":"7","runtime":{"tag":"1"}},"variableValuesData":{"values":[{"name":"a","value":"007"},{"name":"b","value":8},{"name":"#s","value":"hush-hush"}]}}`,
				head + `{"z":[],"parameters":{"iterations":[{"n":12345678901234567890,"outputBucket":"{{b}}"}],"config":{"é":"<&>"}},"variables_id":"7","runtime":{"tag":"1"}},"variableValuesData":{"values":[{"name":"a","value":"007"},{"name":"b","value":8},{"name":"#s","value":"hush-hush"}]}}`,
			},
		},
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
			if got := strings.Join(w.created(), "\n"); got != strings.Join(tc.want, "\n") {
				t.Errorf("sent:\n%s\nwant:\n%s", got, strings.Join(tc.want, "\n"))
			}
		})
	}
}

func TestSplitRefuses(t *testing.T) {
	const (
		overwritten = `it replaces the tables in bucket %q, which several jobs of the split write to: %s; set "incrementalOutput": true, with primary keys in mappings, or an "outputBucket" for each iteration`
		noBucket    = `without "outputBucket" the tables go to a bucket named after the configuration, which the jobs of a split do not have: each would fill a bucket of its own; set "outputBucket" in "config" or in each iteration`
		noState     = "previousStart comes from the state of the run before, and the jobs of a split have none: each would read everything again; run it without --split"
		cipher      = "the value is encrypted for its stored configuration alone, and the jobs of a split have none: the platform would not decrypt it; store it encrypted for the project"
		faultySplit = "--split expects iterations or windows, or iterations=N or windows=N with a number of groups from 1"
		noList      = "the configuration has no list of iterations to split: run it without --split"
	)
	both := "/parameters/iterations/0, /parameters/iterations/1"
	p := func(rest string) string { return configuration(`{"parameters":{` + rest + `}}`) }
	for name, tc := range map[string]struct {
		split, record string
		variables     []string
		want          string
	}{
		"rows":           {"iterations", `{"id":"12","rows":[{"id":"1"}],"configuration":{"parameters":{"iterations":[1]}}}`, nil, "configuration 12 has rows, and the jobs of a split would not run them: run it without --split, or move what the rows say to iterations"},
		"disabled":       {"iterations", `{"id":"12","isDisabled":true,"configuration":{"parameters":{"iterations":[1]}}}`, nil, "configuration 12 is disabled"},
		"no iterations":  {"iterations", p(`"config":{}`), nil, noList + " (at /parameters/iterations)"},
		"empty list":     {"iterations", configuration(`{"config":{},"iterations":[]}`), nil, noList + " (at /iterations)"},
		"not a list":     {"iterations", p(`"iterations":{"a":1}`), nil, noList + " (at /parameters/iterations)"},
		"beside wrapper": {"iterations", configuration(`{"iterations":[{}],"parameters":{"config":{}}}`), nil, noList + " (at /parameters/iterations)"},

		"split of what":     {"rows", p(""), nil, faultySplit},
		"no number":         {"iterations=", p(""), nil, faultySplit},
		"no groups":         {"iterations=0", p(""), nil, faultySplit},
		"fewer than none":   {"iterations=-1", p(""), nil, faultySplit},
		"number of nothing": {"=2", p(""), nil, faultySplit},
		"faulty variable":   {"iterations", p(""), []string{"a"}, "--var expects name=value"},

		"same bucket": {"iterations", p(`"config":{"outputBucket":"b"},"iterations":[{},{}]`), nil,
			"configuration: /parameters/iterations/0: " + fmt.Sprintf(overwritten, "b", both)},
		"one of two replaces": {"iterations", p(`"config":{"outputBucket":"b","incrementalOutput":true},"iterations":[{},{"incrementalOutput":false}]`), nil,
			"configuration: /parameters/iterations/1: " + fmt.Sprintf(overwritten, "b", both)},
		"unset in an iteration": {"iterations", p(`"config":{"outputBucket":"b","incrementalOutput":true},"iterations":[{"incrementalOutput":null},{}]`), nil,
			"configuration: /parameters/iterations/0: " + fmt.Sprintf(overwritten, "b", both)},
		"same after filling in": {"iterations", p(`"iterations":[{"outputBucket":"{{a}}-x"},{"outputBucket":"s-{{b}}"}]`), []string{"a=s", "b=x"},
			"configuration: /parameters/iterations/0: " + fmt.Sprintf(overwritten, "s-x", both)},
		"same placeholder without a value": {"iterations", p(`"iterations":[{"outputBucket":"{{a}}"},{"outputBucket":"{{a}}"}]`), []string{"b=x"},
			"configuration: /parameters/iterations/0: " + fmt.Sprintf(overwritten, "{{a}}", both)},
		"secret bucket": {"iterations", p(`"iterations":[{"outputBucket":"{{#a}}"},{"outputBucket":"hush-hush"},{"outputBucket":"hush-hush"}]`), []string{"#a=hush-hush"},
			"configuration: /parameters/iterations/1: " + fmt.Sprintf(overwritten, "[hidden]", "/parameters/iterations/1, /parameters/iterations/2")},
		"same id": {"iterations", p(`"config":{"id":"i"},"iterations":[{},{"outputBucket":"ex-api-generic-i"}]`), nil,
			"configuration: /parameters/iterations/0: " + fmt.Sprintf(overwritten, "ex-api-generic-i", both)},
		"groups": {"iterations=2", p(`"iterations":[{"outputBucket":"a"},{"outputBucket":"a"},{"outputBucket":"b"},{"outputBucket":"a"}]`), nil,
			"configuration: /parameters/iterations/0: " + fmt.Sprintf(overwritten, "a", both+", /parameters/iterations/3")},
		"two buckets": {"iterations", configuration(`{"config":{},"iterations":[{"outputBucket":"a"},{"outputBucket":"b"},{"outputBucket":"a"},{"outputBucket":"b"}]}`), nil,
			"configuration, 2 problems: /iterations/0: " + fmt.Sprintf(overwritten, "a", "/iterations/0, /iterations/2") +
				" | /iterations/1: " + fmt.Sprintf(overwritten, "b", "/iterations/1, /iterations/3")},
		"many": {"iterations", configuration(`{"config":{"outputBucket":"a"},"iterations":[1,1,1,1,1,1,1,1,1,1,1,1]}`), nil,
			"configuration: /iterations/0: " + fmt.Sprintf(overwritten, "a", "/iterations/0, /iterations/1, /iterations/2, /iterations/3, /iterations/4, /iterations/5, /iterations/6, /iterations/7, /iterations/8, /iterations/9 and 2 more")},

		"no bucket":           {"iterations", p(`"config":{"incrementalOutput":true},"iterations":[{},{}]`), nil, "configuration: /parameters/iterations/0: " + noBucket},
		"no bucket of one":    {"iterations=1", p(`"config":{"outputBucket":"b"},"iterations":[{},{"outputBucket":""}]`), nil, "configuration: /parameters/iterations/1: " + noBucket},
		"bucket is no text":   {"iterations", p(`"config":{"outputBucket":["b"],"id":"i","incrementalOutput":true},"iterations":[{},{}]`), nil, "configuration: /parameters/config/outputBucket: expected a string, found a list of 1"},
		"previous start":      {"iterations=1", p(`"config":{"outputBucket":"b","jobs":[{"params":{"s":{"function":"date","args":["Y",{"time":"previousStart"}]}}}]},"iterations":[{}]`), nil, "configuration: /parameters/config/jobs/0/params/s/args/1/time: " + noState},
		"start by a variable": {"iterations", p(`"iterations":[{"outputBucket":"b","since":{"time":"{{which}}"}}]`), []string{"which=previousStart"}, "configuration: /parameters/iterations/0/since/time: " + noState},
		"remembered":          {"iterations", p(`"config":{"outputBucket":"b","jobs":[{"params":{"s":{"remembered":"since","default":1}}}]},"iterations":[{}]`), nil, "configuration: /parameters/config/jobs/0/params/s: what is remembered comes from the state of the run before, and the jobs of a split have none: each would read everything again; run it without --split, or write what the jobs of the split are to fetch"},
		"cipher":              {"iterations", p(`"config":{"outputBucket":"b","#p":"KBC::ConfigSecureGKMS::eJx"},"iterations":[{}]`), nil, "configuration: /parameters/config/#p: " + cipher},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.responses(stored, tc.record)
			w.responses(createJob, fine(101))
			exit, err := w.Run(context.Background(), Run{Configuration: "12", Split: tc.split, Variables: tc.variables})
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

// TestSplitAllows: what looks like a conflict and is none.
func TestSplitAllows(t *testing.T) {
	for name, document := range map[string]string{
		"current start":      `{"config":{"outputBucket":"b","since":{"time":"currentStart"}},"iterations":[{}]}`,
		"a word of that":     `{"config":{"outputBucket":"b","time":{"a":"previousStart"},"b":"previousStart"},"iterations":[{}]}`,
		"cipher of projects": `{"config":{"outputBucket":"b","#p":"KBC::ProjectSecureKV::ConfigSecure"},"iterations":[{}]}`,
		"text of a cipher":   `{"config":{"outputBucket":"b","p":"KBC::ConfigSecure::x"},"iterations":[{}]}`,
		"same in one group":  `{"iterations":[{"outputBucket":"a"},{"outputBucket":"a"},{"outputBucket":"b"},{"outputBucket":"b"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.responses(stored, configuration(document))
			w.responses(createJob, fine(101), fine(102))
			w.responses(events, `[]`)
			exit, err := w.Run(context.Background(), Run{Configuration: "12", Split: "iterations=2"})
			if err != nil || exit != 0 || len(w.created()) == 0 {
				t.Errorf("exit code %d, %v", exit, err)
			}
		})
	}
}

func TestSplitOfNothing(t *testing.T) {
	w := newWorld(t)
	w.responses(stored, `404 {"error":"none"}`)
	if _, err := w.Run(context.Background(), Run{Configuration: "12", Split: "iterations"}); err == nil || w.Fail(err) != 1 {
		t.Errorf("got %v", err)
	}
	w.wrote("", stored+": 404 Not Found: none\n")
}

// TestSplitIntoVeryManyJobs: without a number no more than 100 are started.
func TestSplitIntoVeryManyJobs(t *testing.T) {
	for _, tc := range []struct {
		iterations int
		split      string
		jobs       int
	}{{100, "iterations", 100}, {101, "iterations", 0}, {101, "iterations=101", 101}, {101, "iterations=2", 2}} {
		w := newWorld(t)
		items := strings.TrimSuffix(strings.Repeat("{},", tc.iterations), ",")
		w.responses(stored, configuration(`{"parameters":{"config":{"outputBucket":"b","incrementalOutput":true},"iterations":[`+items+`]}}`))
		w.responses(createJob, fine(99))
		w.responses(job, fine(99))
		w.responses(events, `[]`)
		_, err := w.Run(context.Background(), Run{Configuration: "12", Split: tc.split})
		if (err != nil) != (tc.jobs == 0) || len(w.created()) != tc.jobs {
			t.Errorf("%d iterations, %s: %d jobs, %v", tc.iterations, tc.split, len(w.created()), err)
		}
		if err != nil && (ExitCode(err) != 1 || !strings.HasSuffix(err.Error(), "set their number with --split iterations=N (at /parameters/iterations)")) {
			t.Errorf("got %v", err)
		}
	}
}
