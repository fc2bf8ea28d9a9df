package platform_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/jarcoal/httpmock"
	"github.com/keboola/go-client/pkg/client"

	"github.com/keboola/configurable-extractor/pkg/platform"
)

func TestTokenStaysOnItsHost(t *testing.T) {
	for name, tc := range map[string]struct {
		hops []string // where each redirect leads: "home" or "away"
		want string   // token that the last one sees
	}{
		"no redirect":       {nil, token},
		"on the same host":  {[]string{"home"}, token},
		"to another port":   {[]string{"away"}, ""},
		"twice, then away":  {[]string{"home", "home", "away"}, ""},
		"away, then on":     {[]string{"away", "away"}, ""},
		"away, then home":   {[]string{"away", "home"}, ""},
		"home, away, again": {[]string{"home", "away", "away"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			addresses := map[string]string{}
			hops, seen := tc.hops, []string{}
			handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				seen = append(seen, r.Header.Get("X-StorageApi-Token"))
				if len(hops) > 0 {
					to := addresses[hops[0]]
					hops = hops[1:]
					http.Redirect(w, r, to+r.URL.Path, http.StatusTemporaryRedirect)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{"id":"1","configuration":{}}`))
			})
			home, away := httptest.NewServer(handler), httptest.NewServer(handler)
			defer home.Close()
			defer away.Close()
			addresses["home"], addresses["away"] = home.URL, away.URL

			c, err := platform.New(platform.Options{URL: home.URL, Token: token, Retry: &client.RetryConfig{}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Configuration(context.Background(), "c", "1"); err != nil {
				t.Fatal(err)
			}
			if len(seen) != len(tc.hops)+1 || seen[len(seen)-1] != tc.want {
				t.Errorf("tokens seen: %q, want %q at the end", seen, tc.want)
			}
		})
	}
}

func TestTokenStaysOnItsScheme(t *testing.T) {
	for name, origin := range map[string]func(*http.Request) *http.Request{
		"redirect from https to http":               func(r *http.Request) *http.Request { return r },
		"transport does not say who was redirected": func(*http.Request) *http.Request { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			c, transport := mocked(t, nil)
			transport.RegisterResponder("GET", configURL, func(r *http.Request) (*http.Response, error) {
				response := httpmock.NewStringResponse(http.StatusFound, "")
				response.Request = origin(r)
				response.Header.Set("Location", "http://connection.example.com/plain")
				return response, nil
			})
			transport.RegisterResponder("GET", "http://connection.example.com/plain", func(r *http.Request) (*http.Response, error) {
				if got := r.Header.Get("X-StorageApi-Token"); got != "" {
					t.Errorf("token %q was sent in plain text", got)
				}
				return httpmock.NewJsonResponse(http.StatusOK, map[string]string{"id": "12"})
			})
			if _, err := c.Configuration(context.Background(), "keboola.variables", "12"); err != nil {
				t.Error(err)
			}
		})
	}
}
