package httpclient

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
)

func TestBrokenCacheFileIsAMiss(t *testing.T) {
	const body = "more than sixteen bytes"
	change := func(old, replacement string) func(string) string {
		return func(text string) string { return strings.Replace(text, old, replacement, 1) }
	}
	tests := []struct {
		name  string
		spoil func(string) string
	}{
		{"empty", func(string) string { return "" }},
		{"garbage", func(string) string { return "\x00\x01\n\n\n" }},
		{"not even a line", func(text string) string { return strings.Replace(text, "\n", "", 1) }},
		{"a first line without end", func(text string) string { return strings.Repeat(" ", maxEntryHead) + text }},
		{"no headers, as earlier versions wrote it", change(`"headers":`, `"link":`)},
		{"no object", func(string) string { return "7\n" + body }},
		{"no time", change(`"created":`, `"x":`)},
		{"no status", change(`"status":200`, `"status":"ok"`)},
		{"the status of an error", change(`"status":200`, `"status":500`)},
		{"no hash", change(`"sha256":`, `"x":`)},
		{"another hash", change(`"sha256":"`, `"sha256":"0`)},
		{"cut off", func(text string) string { return text[:len(text)-1] }},
		{"cut off after the first line", func(text string) string { return strings.SplitAfter(text, "\n")[0] }},
		{"with something after", func(text string) string { return text + "\n" }},
		{"changed", change("sixteen", "Sixteen")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := serve(t, ok(body), ok("new"))
			dir := t.TempDir()
			f := newFixture(t, server.URL, `{}`, nil, caching(dir, today))
			if _, err := f.get(t, "x"); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, names(t, dir)[0])
			text, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, []byte(tt.spoil(string(text))), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if body, err := f.get(t, "x"); err != nil || body != "new" {
					t.Errorf("got %q, %v", body, err)
				}
			}
			noSpools(t, f)
		})
	}
}

// Readers see a complete response or none, even while one is written.
func TestCacheIsWrittenAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "answer")
	spooler := response.NewSpooler(t.TempDir(), 1<<20)
	bodies := map[string]bool{strings.Repeat("a", 1<<16): true, strings.Repeat("b", 1<<18): true}
	var wg sync.WaitGroup
	for body := range bodies {
		wg.Go(func() {
			for range 50 {
				spool := spooler.New()
				if _, err := spool.Write([]byte(body)); err != nil {
					t.Error(err)
				}
				e := entry{created: 1, status: 200, body: spool}
				if err := e.write(path); err != nil {
					t.Error(err)
				}
				got, ok := readEntry(path, spooler)
				if !ok {
					t.Error("a response is there and cannot be read")
					return
				}
				text, _, err := got.body.Text(response.Format{})
				if err != nil || !bodies[string(text)] {
					t.Errorf("read %d bytes that no one wrote, %v", len(text), err)
				}
				if err := got.body.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	equal(t, "files", names(t, dir), []string{"answer"})
}

func FuzzCacheFile(f *testing.F) {
	f.Add([]byte(`{"created":1,"status":200,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","headers":{"Link":["<a>"]}}` + "\n"))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, _, ok := readHead(bufio.NewReader(bytes.NewReader(text)))
		if ok && (e.status < 200 || e.status > 299) {
			t.Errorf("took the status %d", e.status)
		}
		path := filepath.Join(t.TempDir(), "answer")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		whole, ok := readEntry(path, response.NewSpooler(t.TempDir(), 16))
		if !ok {
			return
		}
		_, body, _ := bytes.Cut(text, []byte("\n"))
		if got := readSpool(t, whole.body); got != string(body) {
			t.Errorf("read %q, want %q", got, body)
		}
	})
}

// TestHeadersInTheCache: a response of the cache has the headers that say something
// about its data, however many there are.
func TestHeadersInTheCache(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Link"] = []string{"<a>; rel=next", "<b>; rel=prev"}
		w.Header().Set("X-Next-Page", "7")
		w.Header().Set("X-Long", long)
		w.Header().Set("Set-Cookie", "session=1")
		ok("body")(w, r)
	})
	f := newFixture(t, server.URL, `{}`, nil, caching(t.TempDir(), today))
	for _, from := range []string{"the network", "the cache"} {
		res, err := f.Do(t.Context(), config.RequestSpec{Endpoint: "x"}, JobInfo{})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "Link from "+from, res.Header.Values("Link"), []string{"<a>; rel=next", "<b>; rel=prev"})
		if got := res.Header.Get("X-Next-Page") + res.Header.Get("X-Long"); got != "7"+long {
			t.Errorf("from %s: got %d bytes of headers", from, len(got))
		}
		if from == "the cache" && (res.Header.Get("Set-Cookie") != "" || res.cacheFile == "") {
			t.Errorf("got %v from %q", res.Header, res.cacheFile)
		}
		if err := res.Body.Close(); err != nil {
			t.Error(err)
		}
	}
}
