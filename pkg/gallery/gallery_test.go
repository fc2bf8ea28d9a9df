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
	all := All()
	for _, api := range all {
		if api.Title == "" || api.Summary == "" || !strings.HasPrefix(api.Documentation, "https://") || len(api.Hosts) == 0 {
			t.Errorf("%s is not described: %+v", api.Name, api)
		}
		for name, sources := range api.Credentials {
			if !strings.Contains(string(api.Config), `"`+name+`": "`) {
				t.Errorf("%s: the configuration has no text %s", api.Name, name)
			}
			for _, source := range sources {
				if !regexp.MustCompile(`^(bearer|basic\.username|basic\.password|(header|query) \S+)$`).MatchString(source) {
					t.Errorf("%s: %s is at %q", api.Name, name, source)
				}
			}
		}
		for _, host := range api.Hosts {
			if _, err := filepath.Match(host, "x"); err != nil {
				t.Errorf("%s: the host %q: %v", api.Name, host, err)
			}
			if !slices.ContainsFunc(ByHost(strings.ReplaceAll(host, "*", "acme")), func(a API) bool { return a.Name == api.Name }) {
				t.Errorf("%s is not found by %s", api.Name, host)
			}
		}
	}
	entries, err := os.ReadDir("apis")
	if err != nil || len(all) == 0 || len(entries) != len(all) {
		t.Errorf("%d of %d directories are in the gallery (%v)", len(all), len(entries), err)
	}
}

func TestNamed(t *testing.T) {
	for name, want := range map[string]string{"strpie": `did you mean "stripe"?`, "nothing-like-it": "expected one of "} {
		if _, err := Named(name); failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFill: credentials are found at every place, and the host replaces the placeholder.
func TestFill(t *testing.T) {
	const config = `{"baseUrl": "https://your-shop.example.com/v1", "other": "https://docs.example.org", "#key": "your-\"key", "x": "#key"}`
	tests := []struct {
		source, address string
		header          http.Header
		want            string
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
		api := API{Hosts: []string{"*.example.com"}, Credentials: map[string][]string{"#key": {tt.source}}}
		key := tt.want
		if key == "" {
			key = `your-\"key`
		}
		want := `{"baseUrl": "https://acme.example.com/v1", "other": "https://docs.example.org", "#key": "` + key + `", "x": "#key"}`
		text, filled, err := api.Fill([]byte(config), tt.address, tt.header)
		if err != nil || string(text) != want || (len(filled) == 1) != (tt.want != "") {
			t.Errorf("%s of %s: %s, %q, %v", tt.source, tt.address, text, filled, err)
		}
	}
}

// TestHosts: only host names of the API are found, in any case and with a final dot.
func TestHosts(t *testing.T) {
	for host, want := range map[string]bool{
		"api.stripe.com": true, "API.Stripe.COM.": true,
		"api.stripe.com.evil.example": false, "evil.example": false, "": false,
	} {
		if found := ByHost(host); (len(found) == 1) != want {
			t.Errorf("%q: %v", host, found)
		}
	}
	if api := (API{Hosts: []string{"*.example.com"}}); api.Has(`a","b":".example.com`) || api.Has("a b.example.com") || !api.Has("a-1.example.com") {
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

// TestInputs: what an example has not filled in is left to you.
func TestInputs(t *testing.T) {
	const config = `{"parameters": {"api": {"baseUrl": "https://your-shop.example.com/v1", "authentication": {"url": "https://login.example.org/your-tenant-id/token?for=https://your-shop.example.com"}}, "config": {"#key": "your-key", "account": "urn:your-account", "name": "yours", "outputBucket": "shop", "jobs": []}}}`
	api := API{Name: "stripe", Hosts: []string{"*.example.com"}, Credentials: map[string][]string{"#key": {"bearer"}}}
	got := api.Inputs([]byte(config))
	want := []Input{{"", "your-shop.example.com"}, {"", "your-tenant-id"}, {"account", "urn:your-account"}, {"#key", "your-key"}}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if !got[3].IsSecret() || got[2].IsSecret() || !got[0].IsHost() || got[1].IsHost() || got[0].String() != "the host your-shop.example.com" {
		t.Errorf("%+v", got)
	}
	text, _, err := api.Fill([]byte(config), "https://acme.example.com", http.Header{"Authorization": {"Bearer t0k"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := api.Inputs(text); !slices.Equal(got, want[1:3]) {
		t.Errorf("after an example: %q", got)
	}
	filled := text
	filled = want[2].Replace(filled, `a"b\c`)
	filled = want[1].Replace(filled, `t"`)
	filled = Input{"#key", ""}.ReplaceByVariable(filled, "KEY")
	if want := `{"parameters": {"api": {"baseUrl": "https://acme.example.com/v1", "authentication": {"url": "https://login.example.org/t\"/token?for=https://acme.example.com"}}, "config": {"#key": "t0k", "account": "a\"b\\c", "name": "yours", "outputBucket": "shop", "jobs": []}}}`; strings.Replace(string(filled), `{"env": "KEY"}`, `"t0k"`, 1) != want {
		t.Errorf("%s\nwant\n%s", filled, want)
	}
	ads, err := Named("facebook-ads")
	if err != nil {
		t.Fatal(err)
	}
	ads.Credentials = map[string][]string{"accountId": {}}
	if got := ads.Inputs(ads.Config); len(got) != 2 || got[0].Attribute != "accountId" || got[1].Attribute != "#accessToken" {
		t.Errorf("with a number of the gallery: %q", got)
	}
}

// TestExampleValue: only the example values of the gallery are some.
func TestExampleValue(t *testing.T) {
	for text, want := range map[string]string{
		"https://your-company.zendesk.com/api/v2": "your-company.zendesk.com",
		"https://www.your-move.co.uk":             "",
		"your-client-id":                          "your-client-id",
		"yours":                                   "",
		"":                                        "",
	} {
		if got := ExampleValue(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if len(exampleValues()) < len(All())/2 {
		t.Errorf("%d example values of %d APIs", len(exampleValues()), len(All()))
	}
}
