package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/component"
	"github.com/keboola/configurable-extractor/pkg/report"
)

// clock is the time of a run: it goes on when the API answers and when the run
// sleeps, and nobody waits for it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// shop is an API with a login, pages of users, the orders of each, and moods.
func shop(c *clock) http.Handler {
	tried := false
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.pass(time.Duration(40+len(r.URL.Path)*9) * time.Millisecond)
		switch {
		case r.URL.Path == "/login":
			fmt.Fprint(w, `{"token":"t0p-s3cret"}`)
		case r.URL.Path == "/users" && r.URL.Query().Get("offset") == "2" && !tried:
			tried = true
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.URL.Path == "/users" && r.URL.Query().Get("offset") == "0":
			c.pass(120 * time.Millisecond)
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

// run runs the component on a shop and gives the two files of the report.
func run(t *testing.T, jobs string) (exit int, r report.Report, text, page string) {
	t.Helper()
	c := &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	api := httptest.NewServer(shop(c))
	defer api.Close()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "config.json"), fmt.Sprintf(config, "http://shop.test/", jobs))
	var stdout, stderr bytes.Buffer
	out := filepath.Join(dir, "new", "report")
	exit = component.Run(t.Context(), component.Options{
		DataDir: dir, Report: out, Version: "1.2.3", Stdout: &stdout, Stderr: &stderr,
		Getenv: func(string) string { return "" },
		Now:    c.Now,
		Sleep:  func(_ context.Context, d time.Duration) error { c.pass(d); return nil },
		Dial:   dialer(api),
	})
	text, page = read(t, filepath.Join(out, "report.json")), read(t, filepath.Join(out, "report.html"))
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(stdout.String(), "request.answered") {
		t.Error("events that only the report wants are told")
	}
	entries, err := os.ReadDir(out)
	if err != nil || len(entries) != 2 {
		t.Errorf("left in the directory: %v, %v", entries, err)
	}
	return exit, r, text, page
}

func TestRun(t *testing.T) {
	exit, r, text, page := run(t, "")
	_ = text
	if exit != 0 || len(page) == 0 {
		t.Fatal(exit, r)
	}
}
