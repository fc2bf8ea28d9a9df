package app

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestOrderOfRequests runs the configuration of docs/understand/order-and-concurrency.md:
// its requests are those of the page, and with more of them at a time the tables are the
// same.
func TestOrderOfRequests(t *testing.T) {
	config, requests := documented(t, "../../docs/understand/order-and-concurrency.md")
	if sent, _ := shopRun(t, config); !slices.Equal(sent, requests) {
		t.Errorf("the page has the requests\n%s\nbut these were sent\n%s", strings.Join(requests, "\n"), strings.Join(sent, "\n"))
	}
	_, serial := shopRun(t, config)
	const setting = `"api": {`
	if strings.Count(config, setting) != 1 {
		t.Fatalf("where is %s in the configuration?", setting)
	}
	sent, tables := shopRun(t, strings.Replace(config, setting, setting+`"http": {"concurrency": 4},`, 1))
	slices.Sort(sent)
	slices.Sort(requests)
	if !slices.Equal(sent, requests) {
		t.Errorf("with concurrency other requests were sent: %q", sent)
	}
	if len(tables) != 8 || fmt.Sprint(tables) != fmt.Sprint(serial) {
		t.Errorf("one after another the tables are\n%v\nside by side\n%v", serial, tables)
	}
}

// documented is the configuration of a page and the lines of its first block of text.
func documented(t *testing.T, page string) (config string, lines []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	must(t, err)
	block := func(language string) string {
		_, rest, _ := strings.Cut(string(text), "\n```"+language+"\n")
		content, _, closed := strings.Cut(rest, "\n```\n")
		if !closed {
			t.Fatalf("%s has no block of %s", page, language)
		}
		return content
	}
	return block("json"), strings.Split(block("text"), "\n")
}

// shopRun returns the requests of a run, and its files by name. The API has three
// customers, with an order and a note each, and one product.
func shopRun(t *testing.T, config string) (requests []string, files map[string]string) {
	t.Helper()
	var mu sync.Mutex
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		requests = append(requests, r.Method+" "+r.URL.RequestURI())
		mu.Unlock()
		response := `[{"id":7}]`
		if r.URL.Path == "/customers" && r.URL.Query().Get("offset") == "0" {
			response = `[{"id":1},{"id":2}]`
		} else if r.URL.Path == "/customers" {
			response = `[{"id":3}]`
		}
		// A client that is gone has its own error.
		_, _ = io.WriteString(w, response)
	}))
	defer api.Close()
	config = strings.Replace(config, "https:", "http:", 1)
	exit, _, stderr, dir := trial(t, config, func(o *Options) {
		o.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, api.Listener.Addr().String())
		}
	})
	if exit != 0 {
		t.Fatalf("exit code %d: %s", exit, stderr)
	}
	mu.Lock()
	defer mu.Unlock()
	tables, err := filepath.Glob(filepath.Join(dir, "out", "tables", "*"))
	must(t, err)
	files = map[string]string{}
	for _, path := range tables {
		text, err := os.ReadFile(path)
		must(t, err)
		files[filepath.Base(path)] = string(text)
	}
	return requests, files
}
