package functional

import (
	"encoding/base64"
	"fmt"
	"net/http"
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
		got, said := w.showing(t, `{"parameters":{"api":{"baseUrl":"`+scheme+`://api.test/","retryConfig":{"maxRetries":1}},"config":{"debug":true,"outputBucket":"b","jobs":[{"endpoint":"t"}]}}}`)
		if got.exit != 1 || !strings.Contains(got.stderr, "who is [hidden] ([hidden])") {
			t.Errorf("%s: exit code %d: %s", scheme, got.exit, got.stderr)
		}
		hides(t, said, password, "pr0xy", encoded, strings.TrimRight(encoded, "=")[:16])
	}
}
