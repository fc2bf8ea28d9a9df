package guard_test

import (
	"net/http/httptest"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/guard"
)

func TestEqual(t *testing.T) {
	for _, tt := range []struct {
		given, secret string
		want          bool
	}{
		{"token", "token", true},
		{"token", "Token", false},
		{"toke", "token", false},
		{"", "token", false},
		{"token", "", false},
		{"", "", false},
	} {
		if got := guard.Equal(tt.given, tt.secret); got != tt.want {
			t.Errorf("Equal(%q, %q) is %t", tt.given, tt.secret, got)
		}
	}
}

func TestCrossSite(t *testing.T) {
	for name, tt := range map[string]struct {
		method, header, text string
		want                 bool
	}{
		"no browser":           {"POST", "Accept", "*/*", false},
		"read by another site": {"GET", "Sec-Fetch-Site", "cross-site", true},
		"another port":         {"GET", "Sec-Fetch-Site", "same-site", true},
		"typed address":        {"GET", "Sec-Fetch-Site", "none", false},
		"own page":             {"POST", "Sec-Fetch-Site", "same-origin", false},
		"write from elsewhere": {"POST", "Origin", "http://localhost:3000", true},
		"own origin":           {"POST", "Origin", "http://example.com", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, "http://example.com/", nil)
			r.Header.Set(tt.header, tt.text)
			if got := guard.CrossSite(r); got != tt.want {
				t.Errorf("got %t", got)
			}
			if r.Method != tt.method {
				t.Errorf("the request has become %s", r.Method)
			}
		})
	}
}
