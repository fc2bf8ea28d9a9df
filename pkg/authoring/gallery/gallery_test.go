package gallery

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// TestAll: every directory is complete, and each API is found by its hosts.
func TestAll(t *testing.T) {
	all, err := All()
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	for _, api := range all {
		if api.Title == "" || api.Summary == "" || !strings.HasPrefix(api.Documentation, "https://") || len(api.Hosts) == 0 {
			t.Errorf("%s is not described: %+v", api.Name, api)
		}
		text, err := Config(api.Name)
		if err != nil {
			t.Fatal(err)
		}
		for name, places := range api.Credentials {
			if !strings.Contains(string(text), `"`+name+`": "`) {
				t.Errorf("%s: the configuration has no text %s", api.Name, name)
			}
			for _, place := range places {
				if !regexp.MustCompile(`^(bearer|basic\.username|basic\.password|(header|query) \S+)$`).MatchString(place) {
					t.Errorf("%s: %s is at %q", api.Name, name, place)
				}
			}
		}
		for _, host := range api.Hosts {
			if _, err := filepath.Match(host, "x"); err != nil {
				t.Errorf("%s: the host %q: %v", api.Name, host, err)
			}
			found, err := ByHost(strings.ReplaceAll(host, "*", "acme"))
			if err != nil || !slices.ContainsFunc(found, func(a API) bool { return a.Name == api.Name }) {
				t.Errorf("%s is not found by %s: %v", api.Name, host, err)
			}
		}
	}
	entries, err := os.ReadDir("apis")
	if err != nil || len(entries) != len(all) {
		t.Errorf("%d of %d directories are in the gallery (%v)", len(all), len(entries), err)
	}
}

func TestNamed(t *testing.T) {
	for name, want := range map[string]string{"strpie": `did you mean "stripe"?`, "nothing-like-it": "expected one of "} {
		if _, err := Config(name); failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFill: credentials are found at every place, and the host replaces the placeholder.
func TestFill(t *testing.T) {
	const config = `{"baseUrl": "https://your-shop.example.com/v1", "other": "https://docs.example.org", "#key": "your-\"key", "x": "#key"}`
	tests := []struct {
		place, address string
		header         http.Header
		want           string
	}{
		{"bearer", "https://acme.example.com/a", http.Header{"Authorization": {"bearer t0k"}}, "t0k"},
		{"bearer", "https://acme.example.com/a", http.Header{"Authorization": {"Basic t0k"}}, ""},
		{"basic.username", "https://me:pw@acme.example.com/a", nil, "me"},
		{"basic.password", "https://me:pw@acme.example.com/a", nil, "pw"},
		{"basic.password", "https://acme.example.com/a", http.Header{"Authorization": {"Basic bWU6cHc6eA=="}}, "pw:x"},
		{"header X-Key", "https://acme.example.com/a", http.Header{"X-Key": {`a"b\c`}}, `a\"b\\c`},
		{"query key", "https://acme.example.com/a?key=a%26b", nil, `a\u0026b`},
		{"query key", "https://acme.example.com/a", nil, ""},
	}
	for _, tt := range tests {
		api := API{Hosts: []string{"*.example.com"}, Credentials: map[string][]string{"#key": {tt.place}}}
		key := tt.want
		if key == "" {
			key = `your-\"key`
		}
		want := `{"baseUrl": "https://acme.example.com/v1", "other": "https://docs.example.org", "#key": "` + key + `", "x": "#key"}`
		text, filled, err := api.Fill([]byte(config), tt.address, tt.header)
		if err != nil || string(text) != want || (len(filled) == 1) != (tt.want != "") {
			t.Errorf("%s of %s: %s, %q, %v", tt.place, tt.address, text, filled, err)
		}
	}
}

// TestHosts: only host names of the API are found, in any case and with a final dot.
func TestHosts(t *testing.T) {
	for host, want := range map[string]bool{
		"api.stripe.com": true, "API.Stripe.COM.": true,
		"api.stripe.com.evil.example": false, "evil.example": false, "": false,
	} {
		found, err := ByHost(host)
		if err != nil || (len(found) == 1) != want {
			t.Errorf("%q: %v, %v", host, found, err)
		}
	}
	if api := (API{Hosts: []string{"*.example.com"}}); api.has(`a","b":".example.com`) || api.has("a b.example.com") || !api.has("a-1.example.com") {
		t.Error("a host that is not a name of one")
	}
}

// TestFillForeignHost: an example of another host leaves the placeholder.
func TestFillForeignHost(t *testing.T) {
	const config = `{"baseUrl": "https://your-shop.example.com/v1"}`
	text, _, err := API{Hosts: []string{"*.example.com"}}.Fill([]byte(config), "https://example.org", nil)
	if err != nil || string(text) != config {
		t.Errorf("%s, %v", text, err)
	}
}

// TestPlaceholders: what an example has not filled in is left to you.
func TestPlaceholders(t *testing.T) {
	const config = `{"parameters": {"api": {"baseUrl": "https://your-shop.example.com/v1"}, "config": {"#key": "your-key", "account": "your-account", "outputBucket": "shop", "jobs": []}}}`
	api := API{Name: "stripe", Hosts: []string{"*.example.com"}, Credentials: map[string][]string{"#key": {"bearer"}}}
	got, err := api.Placeholders([]byte(config))
	if want := []string{"#key", "account", "the host your-shop.example.com"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	text, _, err := api.Fill([]byte(config), "https://acme.example.com", http.Header{"Authorization": {"Bearer t0k"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := api.Placeholders(text); err != nil || !slices.Equal(got, []string{"account"}) {
		t.Errorf("after an example: %q, %v", got, err)
	}
	if _, err := api.Placeholders([]byte("{")); err == nil {
		t.Error("no error for a text that is not JSON")
	}
	text, err = Config("facebook-ads")
	if err != nil {
		t.Fatal(err)
	}
	ads := API{Name: "facebook-ads", Credentials: map[string][]string{"accountId": {}}}
	if got, err := ads.Placeholders(text); err != nil || !slices.Equal(got, []string{"#accessToken", "accountId"}) {
		t.Errorf("with a number of the gallery: %q, %v", got, err)
	}
}
