package shop

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// FuzzShop: no matter what comes, the response is JSON and no 5xx. Half of the requests
// are logged in.
func FuzzShop(f *testing.F) {
	for _, path := range []string{"/", "/products", "/login", "/users", "/orders", "/stock", "/tickets", "/nowhere", "//", "/users/", "/%00"} {
		for _, query := range []string{"", "?limit=-1", "?limit=99999999999999999999", "?offset=9223372036854775807&limit=100", "?after=%ff", "?after=9223372036854775807", "?warehouse=%00", "?since=-9223372036854775808&until=0", "?since=0000-01-01T00:00:00Z", "?%zz"} {
			f.Add("GET", path+query, "Authorization", "Bearer shop-token-0001", "")
			f.Add("POST", path+query, "Authorization", "Bearer", `{"user":"demo","password":"let-me-in"}`)
		}
	}
	for _, body := range []string{"", "{", "[]", "null", `{"user":1}`, "\xff", strings.Repeat("[", 5000), `{"user":"` + strings.Repeat("x", 5000) + `"}`} {
		f.Add("POST", "/login", "Content-Encoding", "gzip", body)
	}
	f.Fuzz(func(t *testing.T, method, path, header, text, body string) {
		target, err := url.ParseRequestURI(path)
		if err != nil || strings.ContainsAny(method, " \r\n") || method == "" {
			return // nothing that a client could send
		}
		shop := New(Options{Now: func() time.Time { return time.Unix(0, 0) }})
		login := httptest.NewRequest(http.MethodPost, "/login", strings.NewReader(`{"user":"`+User+`","password":"`+Password+`"}`))
		shop.ServeHTTP(httptest.NewRecorder(), login)
		r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(body))
		r.Method, r.URL = method, target
		r.Header.Set(header, text)
		response := httptest.NewRecorder()
		shop.ServeHTTP(response, r)
		if response.Code >= 500 || !json.Valid(response.Body.Bytes()) || response.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s %q: %d %s", method, path, response.Code, response.Body)
		}
	})
}
