package functional

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
)

// TestConformance runs the public cases of the original extractor, which are no
// part of this project: the folder CONFORMANCE_DIR, whose README explains their
// format, restricted to the numbers in CONFORMANCE_ONLY.
func TestConformance(t *testing.T) {
	dir := os.Getenv("CONFORMANCE_DIR")
	if dir == "" {
		t.Skip("CONFORMANCE_DIR does not name the folder with the conformance cases")
	}
	if cases := filepath.Join(dir, "cases"); isDirectory(cases) {
		dir = cases
	}
	names := conformanceCases(t, dir)
	var mu sync.Mutex
	passed := 0
	t.Run("cases", func(t *testing.T) {
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if err := runConformance(t, filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
				mu.Lock()
				passed++
				mu.Unlock()
			})
		}
	})
	t.Logf("%d of %d", passed, len(names))
	fmt.Printf("conformance: %d of %d passed\n", passed, len(names))
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// number is what the name of a case begins with.
func number(name string) string {
	digits, _, _ := strings.Cut(name, "-")
	return digits
}

func conformanceCases(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	only := os.Getenv("CONFORMANCE_ONLY")
	var names []string
	for _, entry := range entries {
		if only == "" || slices.Contains(strings.Split(only, ","), number(entry.Name())) {
			names = append(names, entry.Name())
		}
	}
	if len(names) == 0 {
		t.Fatalf("no case in %s", dir)
	}
	return names
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

// runConformance runs one case and reports all that is wrong with it.
func runConformance(t *testing.T, dir string) error {
	m := &mock{}
	var err error
	if m.responses, err = readMock(dir); err != nil {
		return err
	}
	w := newWorld(t, m)
	for _, name := range []string{"config.json", filepath.Join("in", "state.json")} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		writeFile(t, filepath.Join(w.dir, name), string(text))
	}
	w.clock = clock.At(time.Now())
	got := w.run(context.Background())
	if got.exit != 0 {
		return fmt.Errorf("exit %d: %s(unknown requests: %q)", got.exit, got.stderr, m.unknown)
	}
	return sameTables(t, readTree(t, filepath.Join(w.dir, "out", "tables")), readTree(t, filepath.Join(dir, "_sample_out")))
}

// sameTables compares two directories of tables: manifests as JSON, everything
// else byte for byte.
func sameTables(t *testing.T, got, want map[string]string) error {
	t.Helper()
	var errs []error
	for name, text := range want {
		written, ok := got[name]
		switch {
		case !ok:
			errs = append(errs, fmt.Errorf("%s is missing", name))
		case written == text || isJSON(name) && equalJSON(t, written, text):
		default:
			errs = append(errs, fmt.Errorf("%s differs:\ngot:\n%s\nwant:\n%s", name, written, text))
		}
	}
	for name := range maps.Keys(got) {
		if _, ok := want[name]; !ok {
			errs = append(errs, fmt.Errorf("%s should not be there", name))
		}
	}
	return errors.Join(errs...)
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
