package functional

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
)

// TestConformance runs the public cases of the original extractor, which are no
// part of this project: the folder CONFORMANCE_DIR, whose README explains their
// format, restricted to the numbers in CONFORMANCE_ONLY.
func TestConformance(t *testing.T) {
	var passed atomic.Int32
	cases := conformanceCases(t)
	t.Run("cases", func(t *testing.T) {
		for _, dir := range cases {
			t.Run(filepath.Base(dir), func(t *testing.T) {
				t.Parallel()
				w, m := conformanceWorld(t, dir)
				if got := w.run(t.Context()); got.exit != 0 {
					t.Fatalf("exit %d: %s(unknown requests: %q)", got.exit, got.stderr, m.unknown)
				}
				compareFiles(t, readTree(t, filepath.Join(w.dir, "out", "tables")), readTree(t, filepath.Join(dir, "_sample_out")))
				if !t.Failed() {
					passed.Add(1)
				}
			})
		}
	})
	fmt.Printf("conformance: %d of %d passed\n", passed.Load(), len(cases))
}

// conformanceWorld is a world with the files of a case, and with an API that has its
// responses.
func conformanceWorld(t *testing.T, dir string) (*world, *mock) {
	t.Helper()
	m := &mock{}
	var err error
	if m.responses, err = readMock(dir); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, m)
	w.clock = clock.At(time.Now())
	(&testCase{files: os.DirFS(dir)}).fill(t, w.dir)
	return w, m
}

// conformanceCases are the directories of the cases.
func conformanceCases(t *testing.T) []string {
	t.Helper()
	dir := os.Getenv("CONFORMANCE_DIR")
	if dir == "" {
		t.Skip("CONFORMANCE_DIR does not name the folder with the conformance cases")
	}
	if info, err := os.Stat(filepath.Join(dir, "cases")); err == nil && info.IsDir() {
		dir = filepath.Join(dir, "cases")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	only := os.Getenv("CONFORMANCE_ONLY")
	var cases []string
	for _, entry := range entries {
		number, _, _ := strings.Cut(entry.Name(), "-")
		if only == "" || slices.Contains(strings.Split(only, ","), number) {
			cases = append(cases, filepath.Join(dir, entry.Name()))
		}
	}
	if len(cases) == 0 {
		t.Fatalf("no case in %s", dir)
	}
	return cases
}

// mock responds to the requests of one conformance case, in any order and as often
// as they come.
type mock struct {
	responses []mockResponse
	mu        sync.Mutex
	unknown   []string
}

type mockResponse struct {
	request  string // METHOD PATH?QUERY
	body     string
	headers  []header // that the request must carry; "*" is any value
	status   int
	response []header
	text     []byte
}

// ServeHTTP implements http.Handler.
func (m *mock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	best := -1
	for i, a := range m.responses {
		if err == nil && a.matches(r, string(body)) && (best < 0 || len(a.headers) > len(m.responses[best].headers)) {
			best = i
		}
	}
	if best < 0 {
		m.mu.Lock()
		m.unknown = append(m.unknown, strings.TrimSpace(r.Method+" "+r.RequestURI+" "+string(body)))
		m.mu.Unlock()
		http.NotFound(w, r)
		return
	}
	a := m.responses[best]
	w.Header().Set("Content-Type", "application/json")
	for _, h := range a.response {
		w.Header().Set(h.name, h.value)
	}
	w.WriteHeader(a.status)
	if _, err := w.Write(a.text); err != nil {
		m.mu.Lock()
		m.unknown = append(m.unknown, err.Error())
		m.mu.Unlock()
	}
}

func (a mockResponse) matches(r *http.Request, body string) bool {
	if r.Method+" "+r.RequestURI != a.request || body != a.body {
		return false
	}
	return !slices.ContainsFunc(a.headers, func(h header) bool {
		values := headerValues(r, h.name)
		return len(values) == 0 || h.value != "*" && strings.Join(values, ", ") != h.value
	})
}

// readMock reads the requests of a case and what is beside each of them.
func readMock(dir string) ([]mockResponse, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.request"))
	if err != nil {
		return nil, err
	}
	var all []mockResponse
	for _, path := range paths {
		base := strings.TrimSuffix(path, ".request")
		a := mockResponse{status: http.StatusOK}
		texts := map[string]string{}
		for _, part := range []string{"request", "requestHeaders", "response", "responseHeaders", "responseCode"} {
			text, err := os.ReadFile(base + "." + part)
			if err != nil && (part == "request" || part == "response" || !errors.Is(err, fs.ErrNotExist)) {
				return nil, err
			}
			texts[part] = string(text)
		}
		// Lines end with CR LF here, with LF there.
		request, body, _ := strings.Cut(strings.ReplaceAll(texts["request"], "\r\n", "\n"), "\n\n")
		a.request, a.body = strings.TrimSpace(request), strings.TrimSuffix(body, "\n")
		a.headers, a.response = headerLines(texts["requestHeaders"]), headerLines(texts["responseHeaders"])
		a.text = []byte(texts["response"])
		if code := strings.TrimSpace(texts["responseCode"]); code != "" {
			if a.status, err = strconv.Atoi(code); err != nil {
				return nil, fmt.Errorf("%s.responseCode: %w", base, err)
			}
		}
		all = append(all, a)
	}
	return all, nil
}

func headerLines(text string) []header {
	var headers []header
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			headers = append(headers, header{strings.TrimSpace(name), strings.TrimSpace(value)})
		}
	}
	return headers
}
