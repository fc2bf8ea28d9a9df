package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/api/har"
)

// recorded are the exchanges of a recording and what was found in them, as lines in the
// order of the tree.
func recorded(t *testing.T, path string) []string {
	t.Helper()
	file, err := os.Open(path)
	must(t, err)
	defer file.Close()
	var lines []string
	must(t, har.Summaries(file, func(s har.Summary) error {
		o := s.Origin
		_, address, _ := strings.Cut(s.Request.URL, "//")
		_, address, _ = strings.Cut(address, "/")
		line := fmt.Sprintf("%v %s %s", o.At, o.Pointer, address)
		if o.Login {
			line += " login"
		}
		if o.Redirected {
			line += " redirected"
		}
		if s.Error != "" {
			line += " " + s.Error[:4]
		}
		for _, one := range o.Sources {
			if one.Part != "address" && !strings.HasPrefix(one.Part, "header ") {
				line += "; " + one.Part + ": " + one.From
			}
		}
		lines = append(lines, line)
		return nil
	}, func(r har.PageFindings) error {
		lines = append(lines, fmt.Sprintf("%v found %d %q next %q%q stop %q", r.At, r.Rows, r.Data, r.Next, r.NextHeader, r.Stop))
		return nil
	}))
	slices.Sort(lines)
	return lines
}

const recordedTree = `[1 1 1 1 1 1] /parameters/config/jobs/0/children/0 a/1; query all: default options; placeholder {id}: id of "a"
[1 1 1 1 1 1] found 1 [] next [["next"]]"" stop "the response has no value at 'next'"
[1 1 1 1 2 1] /parameters/config/jobs/0/children/0 a/2; query all: default options; placeholder {id}: id of "a"
[1 1 1 1 2 1] found 1 [] next [["next"]]"" stop "the response has no value at 'next'"
[1 1 1 1] /parameters/config/jobs/0 a; query all: default options; query when: job, attr since
[1 1 1 1] /parameters/config/jobs/0 moved redirected
[1 1 1 1] found 2 ["rows"] next [["next"]]"" stop ""
[1 1 1 2 1 1] /parameters/config/jobs/0/children/0 a/3; query all: default options; placeholder {id}: id of "a"
[1 1 1 2 1 1] found 1 [] next [["next"]]"" stop "the response has no value at 'next'"
[1 1 1 2] /parameters/config/jobs/0 a; query all: default options; query p: paging
[1 1 1 2] found 1 ["rows"] next [["next"]]"" stop "the response has no value at 'next'"
[1 2 1 1] /parameters/config/jobs/1 b; query all: default options
[1 2 1 1] found 1 [] next [["next"]]"" stop "the response has no value at 'next'"`

// TestRecordingTells: a recording says for which page of which job a request was, where
// its parts come from and what was found, one after another and in parallel; so does that
// of a replay.
func TestRecordingTells(t *testing.T) {
	t.Parallel()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/a" && r.URL.Query().Get("p") == "":
			http.Redirect(w, r, "/moved", http.StatusFound)
		case r.URL.Path == "/moved":
			fmt.Fprint(w, `{"next": 2, "rows": [{"id": 1}, {"id": 2}]}`)
		case r.URL.Path == "/a":
			fmt.Fprint(w, `{"rows": [{"id": 3}]}`)
		default:
			fmt.Fprint(w, `[{"x": 1}]`)
		}
	}))
	defer api.Close()
	dir := t.TempDir()
	for name, limits := range map[string]func(*Options){
		"one after another": func(o *Options) { o.Limits.Requests = 100 },
		"in parallel":       func(*Options) {},
	} {
		change := func(o *Options) {
			o.Dial = nil
			limits(o)
		}
		first, again := filepath.Join(dir, name+".har"), filepath.Join(dir, name+" again.har")
		config := `{"parameters": {"api": {"baseUrl": "` + api.URL + `/", "http": {"concurrency": 4, "defaultOptions": {"params": {"all": 1}}},
			"pagination": {"method": "response.param", "responseParam": "next", "queryParam": "p"}},
			"config": {"since": "2026", "outputBucket": "b", "jobs": [{"endpoint": "a", "dataField": "rows", "params": {"when": {"attr": "since"}}, "children": [{"endpoint": "a/{id}", "placeholders": {"id": "id"}}]}, {"endpoint": "b"}]}}}`
		exit, _, stderr, _ := trial(t, config, func(o *Options) { change(o); o.Record = first })
		if exit != 0 {
			t.Fatalf("%s: %d %s", name, exit, stderr)
		}
		strip := func(path string) string {
			var lines []string
			for _, line := range recorded(t, path) {
				before, query, found := strings.Cut(line, "?")
				if found {
					_, rest, more := strings.Cut(query, ";")
					if line = before; more {
						line += ";" + rest
					}
				}
				lines = append(lines, line)
			}
			return strings.Join(lines, "\n")
		}
		if got := strip(first); got != recordedTree {
			t.Errorf("%s:\n%s", name, got)
		}
		exit, _, stderr, _ = trial(t, config, func(o *Options) { change(o); o.Replay, o.Record = first, again })
		if exit != 0 {
			t.Fatalf("%s, replayed: %d %s", name, exit, stderr)
		}
		if got := strip(again); got != recordedTree {
			t.Errorf("%s, replayed:\n%s", name, got)
		}
		// Another configuration: a request that was not recorded is in the recording too, and
		// answers that are left are no error.
		exit, _, stderr, _ = trial(t, strings.ReplaceAll(config, `{"endpoint": "b"}`, `{"endpoint": "c"}`), func(o *Options) { change(o); o.Replay, o.Record = first, again })
		if exit != 1 || !strings.Contains(stderr, "was not recorded") {
			t.Errorf("%s, changed: %d %s", name, exit, stderr)
		}
		if got := strip(again); !strings.Contains(got, "[1 2 1 1] /parameters/config/jobs/1 c") {
			t.Errorf("%s, changed:\n%s", name, got)
		}
	}
}
