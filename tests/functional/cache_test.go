package functional

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

func TestCache(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	w := newWorld(t, http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		write(out, `[{"id":1}]`)
	}))
	const document = `{"parameters":{"cache":{"ttl":60},"api":{"baseUrl":"http://api.test/"},"config":{"debug":true,"outputBucket":"b","jobs":[{"endpoint":"t"}]}}}`
	if err := os.WriteFile(filepath.Join(w.dir, "config.json"), []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	var tables map[string]string
	for _, run := range []struct {
		name string
		wait time.Duration
		sent int32
	}{{"first", 0, 1}, {"within the time to live", 60 * time.Second, 0}, {"after it", time.Second, 1}} {
		w.clock.Advance(run.wait)
		requests.Store(0)
		got := w.run(t.Context())
		if got.exit != 0 || requests.Load() != run.sent || strings.Count(got.stdout, `"event":"request.sent"`) != int(run.sent) {
			t.Errorf("%s run: exit code %d, %d requests, want %d\n%s", run.name, got.exit, requests.Load(), run.sent, got.stdout)
		}
		written := readTree(t, filepath.Join(w.dir, "out", "tables"))
		if tables == nil {
			tables = written
		}
		if !maps.Equal(written, tables) {
			t.Errorf("%s run: wrote %v, the first one %v", run.name, written, tables)
		}
	}
}

// TestCacheKeepsAccountsApart: a response that was kept for one account is never
// given to another one, and always to the same.
func TestCacheKeepsAccountsApart(t *testing.T) {
	slowtest.Skip(t, "keys of a cache are made slowly, on purpose")
	t.Parallel()
	const (
		login  = `"authentication":{"type":"login","loginRequest":{"endpoint":"login","method":"POST","params":{"pw":{"attr":"#pw"}}},"apiRequest":{"headers":{"X-Token":{"response":"token"}}}}`
		digest = `{"function":"md5","args":[{"attr":"#pw"}]}`
	)
	tests := map[string]string{ // the section api, and more of it
		"basic":                         `"authentication":{"type":"basic"}`,
		"query":                         `"authentication":{"type":"query","query":{"key":{"attr":"#pw"}}}`,
		"query, computed":               `"authentication":{"type":"query","query":{"key":` + digest + `}}`,
		"login":                         login,
		"oauth20":                       `"authentication":{"type":"oauth20","headers":{"X-Token":{"authorization":"data"}},"query":{"user":{"function":"concat","args":[{"authorization":"clientId"}]}}},"http":{"headers":{"X-User":{"attr":"who"}}}`,
		"a header":                      `"http":{"headers":{"X-User":{"attr":"#pw"}}}`,
		"a header that is not a secret": `"http":{"headers":{"X-User":{"attr":"who"}}}`,
		"a computed header":             `"http":{"headers":{"X-User":` + digest + `}}`,
		"Host":                          `"http":{"headers":{"Host":{"attr":"who"}}}`,
	}
	documents := map[string]string{}
	for name, api := range tests {
		documents[name] = `"api":{"baseUrl":"http://api.test/",` + api + `},"config":{"outputBucket":"b","jobs":[{"endpoint":"t"}]}`
	}
	documents["the address"] = `"api":{"baseUrl":{"function":"concat","args":["http://u:",{"attr":"#pw"},"@api.test/"]}},"config":{"outputBucket":"b","jobs":[{"endpoint":"t"}]}`
	documents["a parameter"] = `"api":{"baseUrl":"http://api.test/"},"config":{"outputBucket":"b","jobs":[{"endpoint":"t","params":{"k":{"attr":"#pw"}}}]}`
	for name, document := range documents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			w := newWorld(t, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/login" {
					write(out, `{"token":"the same for everyone"}`)
					return
				}
				requests.Add(1)
				write(out, `[{"id":1}]`)
			}))
			accounts := []string{`{"who":"ann","username":"ann","#pw":"first-password","#password":"first-password"}`, `{"who":"bob","username":"bob","#pw":"other-password","#password":"other-password"}`}
			runWith := func(want int32, iterations ...string) {
				t.Helper()
				requests.Store(0)
				// What an account is not made of changes nothing.
				text := `{"parameters":{"cache":true,` + document + `,"iterations":[` + strings.Join(iterations, ",") + `]},
					"authorization":{"oauth_api":{"credentials":{"#data":"token","appKey":"app","#appSecret":"s"}}}}`
				if got := w.runs(t, text); got.exit != 0 || requests.Load() != want {
					t.Errorf("exit code %d, %d requests of jobs, want %d: %s", got.exit, requests.Load(), want, got.stderr)
				}
			}
			runWith(2, accounts...)
			runWith(0, accounts[1], accounts[0], strings.Replace(accounts[0], "{", `{"since":"2024","outputBucket":"c",`, 1))
			runWith(1, `{"who":"eve","username":"eve","#pw":"third-password","#password":"third-password"}`)
			for name, text := range readTree(t, filepath.Join(w.dir, "cache")) {
				for _, secret := range []string{"password", "the same for everyone"} {
					if strings.Contains(name+text, secret) {
						t.Errorf("%s holds %s: %s", name, secret, text)
					}
				}
			}
		})
	}
}
