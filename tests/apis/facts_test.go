package apis

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/gallery"
	"github.com/keboola/configurable-extractor/tests/apis/facts"
)

// TestFacts: the facts of each page, which have sources, name everything in the configuration
// that depends on the vendor.
func TestFacts(t *testing.T) {
	for _, api := range gallery.All() {
		t.Run(api.Name, func(t *testing.T) {
			page, err := os.ReadFile(filepath.Join(pages, api.Name+".md"))
			if err != nil {
				t.Fatal(err)
			}
			listed, err := facts.Read(string(page))
			if err != nil {
				t.Fatal(err)
			}
			for _, missing := range notAmong(listed, needed(t, api, api.Config)) {
				t.Error(missing)
			}
		})
	}
}

// dependency is a text in a configuration that only the vendor defines, such as a version.
type dependency struct {
	// fact is the name of the fact that must contain the text; "" means any fact.
	fact string
	text string
}

// notAmong returns an error text for each dependency that no fact names.
func notAmong(listed []facts.Fact, all []dependency) []string {
	var missing []string
	for _, d := range all {
		whole := regexp.MustCompile(`(^|[^\w.])` + regexp.QuoteMeta(d.text) + `($|[^\w.]|\.($|\W))`)
		if !slices.ContainsFunc(listed, func(f facts.Fact) bool {
			return (d.fact == "" || f.Name == d.fact) && whole.MatchString(strings.ReplaceAll(f.Value, ",000", "000"))
		}) {
			missing = append(missing, fmt.Sprintf("no fact %q names %s", d.fact, d.text))
		}
	}
	return missing
}

var (
	hosts = regexp.MustCompile(`https://([^/"?]+)`)
	// sizes are the names of parameters and settings that limit a page.
	sizes = regexp.MustCompile(`(?i)^((\$|sysparm_)?limit|count|top|\$top|first|take|size|.*(row.?limit|page.?size|per.?page|max.?results|max.?records|page\[size\]|page\[limit\]))$`)
	// sizeInQuery is a page size in GraphQL.
	sizeInQuery = regexp.MustCompile(`\b(?:first|limit): ?(\d+)`)
	// numberInAddress is a parameter in an endpoint with its number.
	numberInAddress = regexp.MustCompile(`[?&]([^=&?]+)=(\d+)`)
)

// needed returns the dependencies of a configuration: hosts, the version, page sizes,
// constant headers, scopes and the rate limit.
func needed(t *testing.T, api gallery.API, config []byte) []dependency {
	t.Helper()
	var doc any
	if err := json.Unmarshal(config, &doc); err != nil {
		t.Fatal(err)
	}
	set := map[dependency]bool{}
	for _, m := range hosts.FindAllSubmatch(config, -1) {
		if host := string(m[1]); !strings.ContainsAny(host, "{}") {
			set[dependency{"address", host}] = true
		}
	}
	if api.Version != "" {
		set[dependency{"version", api.Version}] = true
	}
	parameters := member(doc, "parameters")
	walkSettings("", parameters, func(name string, v any) {
		switch v := v.(type) {
		case float64:
			if sizes.MatchString(name) && v > 1 {
				set[dependency{"page size", strconv.FormatFloat(v, 'f', -1, 64)}] = true
			}
		case string:
			if _, err := strconv.Atoi(v); err == nil && sizes.MatchString(name) && v != "1" {
				set[dependency{"page size", v}] = true
			}
			for _, m := range sizeInQuery.FindAllStringSubmatch(v, -1) {
				set[dependency{"page size", m[1]}] = true
			}
			for _, m := range numberInAddress.FindAllStringSubmatch(v, -1) {
				if sizes.MatchString(m[1]) && m[2] != "1" {
					set[dependency{"page size", m[2]}] = true
				}
			}
			if name == "scope" {
				for _, scope := range strings.Fields(v) {
					set[dependency{"credential", scope}] = true
				}
			}
		case object:
			for header, value := range v {
				if text, ok := value.(string); ok && name == "headers" {
					set[dependency{"", header}], set[dependency{"", text}] = true, true
				}
			}
			if requests, ok := v["requests"].(float64); ok && name == "rateLimit" {
				set[dependency{"rate limit", strconv.FormatFloat(requests, 'f', -1, 64)}] = true
			}
		}
	})
	return slices.SortedFunc(maps.Keys(set), func(a, b dependency) int {
		return strings.Compare(a.fact+" "+a.text, b.fact+" "+b.text)
	})
}

// walkSettings calls f with each value below v and its key. Items of a list have the key
// of the list. Mappings are about the response, not about what is requested.
func walkSettings(name string, v any, f func(name string, v any)) {
	f(name, v)
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			walkSettings(name, item, f)
		}
	case object:
		for key, member := range v {
			if key != "mappings" {
				walkSettings(key, member, f)
			}
		}
	}
}

// TestFactsAreRead: TestFacts finds each kind of dependency.
func TestFactsAreRead(t *testing.T) {
	config := `{"parameters": {
		"api": {
			"baseUrl": "https://api.example.com/v1",
			"http": {"headers": {"Accept-Version": "2026-01"}, "rateLimit": {"requests": 7, "perSeconds": 60}},
			"authentication": {"type": "login", "loginRequest": {"endpoint": "https://login.example.com/token", "params": {"scope": "read write"}}},
			"pagination": {"method": "offset", "limit": 250}
		},
		"config": {"jobs": [{"endpoint": "a?sysparm_limit=40&page=3", "headers": {"Prefer": "transient"}, "params": {"per_page": "50", "query": "{items(first: 20){id}}"}}]},
		"mappings": {"a": {"count": 3}}
	}}`
	want := []dependency{
		{"", "2026-01"}, {"", "Accept-Version"}, {"", "Prefer"}, {"", "transient"},
		{"address", "api.example.com"}, {"address", "login.example.com"},
		{"credential", "read"}, {"credential", "write"},
		{"page size", "20"}, {"page size", "250"}, {"page size", "40"}, {"page size", "50"},
		{"rate limit", "7"}, {"version", "v1"},
	}
	got := needed(t, gallery.API{Version: "v1"}, []byte(config))
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	listed := []facts.Fact{{Name: "page size", Value: "2,500 at most, 50 here"}, {Name: "credential", Value: "scope `items.read`"}}
	if missing := notAmong(listed, []dependency{{"page size", "50"}, {"page size", "250"}, {"rate limit", "50"}, {"credential", "items.read"}, {"credential", "items"}}); len(missing) != 3 {
		t.Errorf("missing %q", missing)
	}
}
