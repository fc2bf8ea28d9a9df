package functional

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestProxyRepeatsCredentials: what a proxy answers about the user and password
// that it got is masked everywhere.
func TestProxyRepeatsCredentials(t *testing.T) {
	t.Parallel()
	const user, password = "proxy-user", "pr0xy/p4ss word"
	encoded := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	proxy := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		received := strings.TrimPrefix(r.Header.Get("Proxy-Authorization"), "Basic ")
		connection, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer connection.Close()
		body := fmt.Sprintf(`{"error":"%s","password":"%s"}`, received, password)
		_, err = fmt.Fprintf(connection, "HTTP/1.1 407 who is %s (%s)\r\nX-Received: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", received, password, received, len(body), body)
		if err != nil {
			t.Error(err)
		}
	})
	for _, scheme := range []string{"http", "https"} {
		w := newWorld(t, proxy)
		w.env[scheme+"_proxy"] = "http://" + user + ":pr0xy%2Fp4ss%20word@proxy.test:3128"
		out := t.TempDir()
		w.options.Record, w.options.Report = filepath.Join(out, "run.har"), filepath.Join(out, "report")
		writeFile(t, filepath.Join(w.dir, "config.json"), `{"parameters":{"api":{"baseUrl":"`+scheme+`://api.test/","retryConfig":{"maxRetries":1}},"config":{"debug":true,"outputBucket":"b","jobs":[{"endpoint":"t"}]}}}`)
		got := w.run(t.Context())
		if got.exit != 1 || !strings.Contains(got.stderr, "who is [hidden] ([hidden])") {
			t.Errorf("%s: exit code %d: %s", scheme, got.exit, got.stderr)
		}
		texts := map[string]string{"stdout": got.stdout, "stderr": got.stderr}
		maps.Copy(texts, readTree(t, out))
		for _, name := range []string{"run.har", "report/report.json", "report/report.html"} {
			if texts[name] == "" {
				t.Errorf("%s: there is no %s", scheme, name)
			}
		}
		for name, text := range texts {
			for _, secret := range []string{password, "pr0xy", encoded, strings.TrimRight(encoded, "=")[:16]} {
				if strings.Contains(text, secret) {
					t.Errorf("%s: %s shows %s", scheme, name, secret)
				}
			}
		}
	}
}

// TestProxyThatCannotBeRead: the run ends before it sends anything around it.
func TestProxyThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"http_proxy", "HTTPS_PROXY"} {
		w := newWorld(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s was requested", r.URL) }))
		w.env[name] = "http://ann:s3cr%et@proxy.test:3128"
		writeFile(t, filepath.Join(w.dir, "config.json"), `{"parameters":{"api":{"baseUrl":"http://api.test/"},"config":{"outputBucket":"b","jobs":[{"endpoint":"t"}]}}}`)
		got := w.run(t.Context())
		if got.exit != 1 || !strings.Contains(got.stderr, "the environment variable "+name+" is not the address of a proxy") || strings.Contains(got.stdout+got.stderr, "s3cr") {
			t.Errorf("%s: exit code %d: %s", name, got.exit, got.stderr)
		}
	}
}
