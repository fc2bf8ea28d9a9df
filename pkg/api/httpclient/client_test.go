package httpclient

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/config"
)

func TestStatusErrors(t *testing.T) {
	long := strings.Repeat("0123456789", 30) // 300 characters
	tests := []struct {
		name   string
		status int
		body   string
		want   string // after the address
	}{
		{"client error", 404, `{"error":"no such shop"}`, ` returned 404 Not Found: {"error":"no such shop"}`},
		{"server error", 501, "", ` returned 501 Not Implemented`},
		{"lines become one", 400, "<h1>\r\n\tBad\n</h1>\n", ` returned 400 Bad Request: <h1> Bad </h1>`},
		{"exactly 300 characters", 400, long, ` returned 400 Bad Request: ` + long},
		{"301 characters", 400, long + "x", ` returned 400 Bad Request: ` + long + " …"},
		{"characters of two bytes", 400, long[:299] + "čx", ` returned 400 Bad Request: ` + long[:299] + "č …"},
		{"the message in a long body", 400, `{"request":{"query":"` + long + `"},"error":{"code":"E7","message":"The value s3cret of 'limit' must be \u003c 1000, less than the requested 5000"}}`,
			` returned 400 Bad Request: code: E7, message: The value [hidden] of 'limit' must be < 1000, less than the requested 5000`},
		{"a long message", 400, `{"a":"` + long + `","message":"` + long + `"}`, ` returned 400 Bad Request: message: ` + long[:291] + " …"},
		{"a long body without a message", 400, `{"a":"` + long + `"}`, ` returned 400 Bad Request: {"a":"` + long[:294] + " …"},
		{"login page", 403, `<html><title>Sign in</title>` + long, ` returned 403 Forbidden: <html><title>Sign in</title>` + long[:92] + ` …; it looks like a login page, with the title "Sign in": check the credentials, and that the address is that of the API`},
		{"login page that cannot be shown", 403, "<html><title>Sign in</title>\x01", ` returned 403 Forbidden: it looks like a login page, with the title "Sign in": check the credentials, and that the address is that of the API`},
		{"a secret with a control character", 400, `{"a":"` + long + `","message":"no b\u0001inary-key"}`, ` returned 400 Bad Request: message: no [hidden]`},
		{"not text", 400, "PK\x03\x04", ` returned 400 Bad Request`},
		{"not UTF-8", 400, "caf\xe9", ` returned 400 Bad Request`},
		{"a secret", 400, `{"sent":"s3cret"}`, ` returned 400 Bad Request: {"sent":"[hidden]"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, say(tt.status, tt.body))
			f := newFixture(t, strings.Replace(s.URL, "//", "//ann:pass@", 1), `{}`, nil)
			f.secrets.Add("s3cret")
			f.secrets.Add("b\x01inary-key")
			side := "Client"
			if tt.status >= 500 {
				side = "Server"
			}
			want := "[" + strings.Fields(tt.want)[1] + "] " + side + " error: POST " + s.URL + "/x?q=1" + tt.want
			_, err := f.do(t, config.RequestSpec{Endpoint: "x?q=1", Method: "POST"})
			wantUserError(t, err)
			if err.Error() != want {
				t.Errorf("got  %q\nwant %q", err, want)
			}
		})
	}
}

// Retries that are used up: how often, for how long, and which setting allows more.
func TestStatusErrorAfterRetries(t *testing.T) {
	for _, tt := range []struct {
		name, api string
		status, n int
		want      string
	}{
		{"429", `{"retryConfig":{"maxRetries":2}}`, 429, 3, "429 Too Many Requests: slow down; it was tried 3 times in 0 seconds, and 'api.retryConfig.maxRetries' allows no more: raise it, or send fewer requests with 'api.http.rateLimit'"},
		{"no retries", `{"retryConfig":{"maxRetries":0}}`, 429, 1, "slow down; it was tried once in 0 seconds, and 'api.retryConfig.maxRetries' allows no more: raise it"},
		{"503", `{"retryConfig":{"maxRetries":1}}`, 503, 2, "slow down; it was tried 2 times in 0 seconds, and 'api.retryConfig.maxRetries' allows no more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newFixture(t, serve(t, times(tt.n, say(tt.status, "slow down"))...).URL, tt.api, nil).get(t, "x")
			wantUserError(t, err, tt.want)
		})
	}
	t.Run("not retried", func(t *testing.T) {
		_, err := newFixture(t, serve(t, say(429, "slow down")).URL, `{"retryConfig":{"http":{"codes":[503]}}}`, nil).get(t, "x")
		if wantUserError(t, err, "slow down"); strings.Contains(err.Error(), "tried") {
			t.Error(err)
		}
	})
	t.Run("a login", func(t *testing.T) {
		_, err := newFixture(t, serve(t, times(2, say(429, `{"error":"slow"}`))...).URL, `{"retryConfig":{"maxRetries":1}}`, nil).Login(t.Context(), config.RequestSpec{Endpoint: "login"})
		wantUserError(t, err, "error: slow; it was tried 2 times in 0 seconds")
	})
}

func TestStatusErrorNamesTheAddressThatResponded(t *testing.T) {
	s := serve(t, to(302, "/b"), say(404, ""))
	f := newFixture(t, s.URL, `{}`, nil)
	_, err := f.do(t, config.RequestSpec{Endpoint: "a", Method: "POST"})
	wantUserError(t, err, "GET "+s.URL+"/b returned 404")
}

func TestStatusErrorWithoutReasonPhrase(t *testing.T) {
	address, _ := misbehave(t, responding("HTTP/1.1 499\r\nContent-Length: 4\r\n\r\ngone"))
	_, err := newFixture(t, "http://"+address, `{}`, nil).get(t, "x")
	wantUserError(t, err, "/x returned 499: gone")
}

// levels are the settings of a client whose headers come from several places.
const levels = `{"http":{"headers":{"X-A":"client","X-B":"client","x-c":"client","X-D":"client","accept":"text/csv"},
	"defaultOptions":{"headers":{"X-B":"default","X-C":"default","X-D":"default"},"params":{"p":"default","q":"default"}}}}`

func TestHeaderLevels(t *testing.T) {
	s := serve(t, ok(""))
	f := newFixture(t, s.URL, levels, authenticated(func(r *auth.Attempt) error {
		r.Header.Set("X-D", "auth")
		return nil
	}))
	r := config.RequestSpec{Endpoint: "x", Params: parse(t, `{"p":"job"}`), Headers: parse(t, `{"X-C":"job","X-D":"job","X-E":["job",1]}`)}
	if _, err := f.do(t, r); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"X-A": "client", "X-B": "default", "X-C": "job", "X-D": "auth", "X-E": "job|1", "Accept": "text/csv", "User-Agent": "agent/1", "Accept-Encoding": "gzip"}
	for name, v := range want {
		if got := strings.Join(s.seen[0].header.Values(name), "|"); got != v {
			t.Errorf("%s: got %q, want %q", name, got, v)
		}
	}
	if s.seen[0].line != "GET /x?p=job&q=default" {
		t.Errorf("got %s", s.seen[0].line)
	}
}

func TestRequestThatCannotBeBuilt(t *testing.T) {
	f := newFixture(t, "http://a.test", `{}`, nil)
	_, err := f.do(t, config.RequestSpec{Endpoint: "x", Method: "BREW"})
	wantUserError(t, err, "BREW")
	_, err = f.Login(t.Context(), config.RequestSpec{Endpoint: "http:"})
	wantUserError(t, err, "not a valid address")
}
