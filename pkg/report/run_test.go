package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/report"
)

// shop is an API with a login, pages of users, the orders of each, and moods.
func shop(c *clock.Clock) http.Handler {
	var tried atomic.Bool
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.Advance(time.Duration(40+len(r.URL.Path)*9) * time.Millisecond)
		switch {
		case r.URL.Path == "/login":
			fmt.Fprint(w, `{"token":"t0p-s3cret"}`)
		case r.URL.Path == "/users" && r.URL.Query().Get("offset") == "2" && tried.CompareAndSwap(false, true):
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.URL.Path == "/users" && r.URL.Query().Get("offset") == "0":
			c.Advance(120 * time.Millisecond)
			fmt.Fprint(w, `[{"id":1,"name":"Ada Quill","born":"1985-12-10","score":1.5},{"id":2,"name":"Bo","born":"1986-01-02","score":2}]`)
		case r.URL.Path == "/users":
			fmt.Fprint(w, `[{"id":3,"name":"</script><script>alert(1)</script>","born":null,"score":3}]`)
		case r.URL.Path == "/users/2/orders", strings.HasSuffix(r.URL.Path, "/orders") && r.URL.Query().Get("offset") != "0":
			fmt.Fprint(w, `[]`)
		case strings.HasSuffix(r.URL.Path, "/orders"):
			fmt.Fprint(w, `[{"order":"A-17","at":"2026-01-02T03:04:05Z"},{"order":"A-18","at":"2026-01-03T03:04:05Z"}]`)
		case r.URL.Path == "/broken":
			w.WriteHeader(http.StatusTeapot)
		default:
			http.NotFound(w, r)
		}
	})
}

// config is that of a shop; %s are its address and more jobs.
const config = `{"parameters": {
  "api": {
    "baseUrl": "%s",
    "pagination": {"method": "offset", "limit": "2"},
    "authentication": {"type": "login",
      "loginRequest": {"endpoint": "login", "method": "POST", "params": {"password": {"attr": "#password"}}},
      "apiRequest": {"query": {"key": "token"}}}
  },
  "config": {
    "#password": "hunter2-hunter2",
    "outputBucket": "shop",
    "jobs": [
      {"endpoint": "users", "dataType": "users", "params": {"offset": 3}, "dataFeild": "x", "children": [
        {"endpoint": "users/{user}/orders", "dataType": "orders", "placeholders": {"user": "id"}}
      ]}%s
    ]
  }
}}`

// run runs the component on a shop and returns the two files of the report.
func run(t *testing.T, jobs string) (exit int, r report.Report, text, page string) {
	t.Helper()
	return runConfig(t, fmt.Sprintf(config, "http://shop.test/", jobs))
}

func runConfig(t *testing.T, config string) (exit int, r report.Report, text, page string) {
	t.Helper()
	c := clock.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	api := httptest.NewServer(shop(c))
	defer api.Close()
	dir := filepath.Join(t.TempDir(), "shop")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "config.json"), config)
	var stdout, stderr bytes.Buffer
	out := filepath.Join(dir, "new", "report")
	exit = app.Run(t.Context(), app.Options{
		DataDir: dir, Report: out, Version: "1.2.3", Stdout: &stdout, Stderr: &stderr,
		Run: env.Run{
			Getenv: func(string) string { return "" },
			Now:    c.Now,
			Sleep:  c.Sleep,
			Dial:   dialer(api),
		},
	})
	text, page = read(t, filepath.Join(out, "report.json")), read(t, filepath.Join(out, "report.html"))
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(stdout.String(), "request.answered") {
		t.Error("events that only the report wants are reported")
	}
	entries, err := os.ReadDir(out)
	if err != nil || len(entries) != 2 {
		t.Errorf("left in the directory: %v, %v", entries, err)
	}
	return exit, r, text, page
}

// TestRun: the report of a run has what it did, but no secret and no value of the data.
func TestRun(t *testing.T) {
	exit, r, text, page := run(t, `, {"endpoint": "broken"}`)
	if exit != 1 || r.Status != report.Failed || !strings.Contains(r.Error.Message, "418") || r.Error.Pointer != "/parameters/config/jobs/1" || len(r.Tables) != 0 {
		t.Errorf("exit %d: %s", exit, text)
	}
	if last := r.Jobs[len(r.Jobs)-1]; last.Job != "broken" || last.Ended != nil || last.Statuses["418"] != 1 {
		t.Errorf("the job that failed: %+v", last)
	}
	hidden(t, text, page)

	exit, r, text, page = run(t, "")
	hidden(t, text, page)
	if !strings.HasSuffix(r.Configuration, "shop/config.json") || !slices.Equal(r.APIs, []string{"http://shop.test/"}) {
		t.Errorf("a report of %q, %q", r.Configuration, r.APIs)
	}
	if exit != 0 || r.Status != report.Success || r.Error != nil || r.Version != 1 || r.Extractor != "1.2.3" || r.Seconds != 2.371 {
		t.Errorf("exit %d: %s", exit, text)
	}
	got := []string{}
	for _, j := range r.Jobs {
		got = append(got, line(j.Job, j.Pointer, j.Requests, j.Logins, j.Failures, j.Retries, j.Waited, j.Bytes, j.Statuses, *j.Ended))
	}
	for _, q := range r.Waterfall.Requests {
		got = append(got, line(r.Jobs[*q.Job].Job, q.Login, q.Method, q.URL, q.Attempt, q.Status, q.Start, q.Seconds))
	}
	for _, w := range r.Warnings {
		got = append(got, line(w.Source, w.Code, w.Pointer, w.Count))
	}
	for _, table := range r.Tables {
		got = append(got, line(table.Table, table.Rows, table.Sampled, table.Columns))
	}
	want := `users /parameters/config/jobs/0 4 1 1 1 1 210 map[200:3 503:1] {0 2 3 0 false the page has fewer rows (1) than the page size (2) /parameters/api/pagination/limit false 0 0}
users/{user}/orders /parameters/config/jobs/0/children/0 5 0 0 0 0 188 map[200:5] {3 5 4 0 false the page is empty /parameters/api/pagination/limit false 0 0}
users true POST http://shop.test/login 1 200 0 0.094
users false GET http://shop.test/users?offset=0&limit=2&key=[hidden] 1 200 0.094 0.214
users/{user}/orders false GET http://shop.test/users/1/orders?limit=2&offset=0&key=[hidden] 1 200 0.308 0.175
users/{user}/orders false GET http://shop.test/users/1/orders?limit=2&offset=2&key=[hidden] 1 200 0.483 0.175
users/{user}/orders false GET http://shop.test/users/2/orders?limit=2&offset=0&key=[hidden] 1 200 0.658 0.175
users false GET http://shop.test/users?offset=2&limit=2&key=[hidden] 1 503 0.833 0.094
users false GET http://shop.test/users?offset=2&limit=2&key=[hidden] 2 200 1.927 0.094
users/{user}/orders false GET http://shop.test/users/3/orders?limit=2&offset=0&key=[hidden] 1 200 2.021 0.175
users/{user}/orders false GET http://shop.test/users/3/orders?limit=2&offset=2&key=[hidden] 1 200 2.196 0.175
config.warning  /parameters/config/jobs/0/dataFeild 1
check overwritten-parameter /parameters/config/jobs/0/params/offset 1
check plain-address /parameters/api/baseUrl 1
data.empty  /parameters/config/jobs/0/children/0 3
shop.users 3 3 [{id  0 [{integer 3 1 1}]} {name  0 [{text 3 2 34}]} {born  1 [{date 2 10 10}]} {score  0 [{integer 2 1 1} {number 1 3 3}]}]
shop.orders 4 4 [{order  0 [{text 4 4 4}]} {at  0 [{time 4 20 20}]} {parent_id  0 [{integer 4 1 1}]}]`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

// TestStoredByAFailedRun: the report has what jobs had stored, although no table has it.
func TestStoredByAFailedRun(t *testing.T) {
	jobs := `, {"endpoint": "users", "id": "other", "children": [
	  {"endpoint": "users/{user}/orders", "id": "nearly", "placeholders": {"user": "id"}, "children": [
	    {"endpoint": "broken/{order}", "placeholders": {"order": "order"}}]}]}, {"endpoint": "never"}`
	text := fmt.Sprintf(config, "http://shop.test/", jobs)
	for _, text := range []string{text, strings.Replace(text, `"api": {`, `"api": {"http": {"concurrency": 4},`, 1)} {
		exit, r, _, _ := runConfig(t, text)
		var got []string
		for _, j := range r.Jobs {
			got = append(got, fmt.Sprintln(j.Job, j.Ended != nil, j.Stored))
		}
		want := `users true <nil>
users/{user}/orders true <nil>
users false &{1 2}
users/{user}/orders false &{1 2}
broken/{order} false <nil>
`
		if strings.Join(got, "") != want || exit != 1 || len(r.Tables) != 0 {
			t.Errorf("exit %d, tables %v, jobs\n%swant\n%s", exit, r.Tables, strings.Join(got, ""), want)
		}
	}
}

// line is values with blanks between them.
func line(values ...any) string { return strings.TrimSuffix(fmt.Sprintln(values...), "\n") }

// hidden checks that the texts of a report have neither secrets nor data.
func hidden(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		for _, never := range []string{"hunter2", "t0p-s3cret", "Ada", "Quill", "1985", "A-17", "alert("} {
			if strings.Contains(text, never) {
				t.Errorf("the report shows %q", never)
			}
		}
	}
}
