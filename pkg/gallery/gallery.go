// Package gallery provides complete configurations to start from: recipes for common kinds
// of APIs, and configurations for well-known APIs. Each API has a directory below apis:
// `extractor init --api` writes config.json, and api.json describes the API. Each recipe has
// a directory below recipes with a mock API and the resulting tables.
//
// docs/apis and docs/recipes explain the configurations. tests/apis runs each API against a
// mock server; tests/functional runs each recipe.
package gallery

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

//go:embed apis/*/api.json apis/*/config.json recipes/*/config.json
var files embed.FS

// API describes an API of the gallery.
type API struct {
	// Name is the name of the directory, of the documentation page, and for --api.
	Name string `json:"-"`
	// Config is the configuration as JSON text. It must not be changed.
	Config []byte `json:"-"`
	// Title is the vendor's name for the API.
	Title string `json:"title"`
	// Summary describes the extracted data in one line.
	Summary string `json:"summary"`
	// Documentation is the URL of the vendor's documentation.
	Documentation string `json:"documentation"`
	// Version is the version of the API that the configuration requests, as the vendor
	// writes it. It is "" if the API has no versions.
	Version string `json:"version,omitempty"`
	// VersionEnds is the day, such as 2027-01-15, when the vendor stops support for this
	// version or for the credential that it needs. It is "" if the vendor has not
	// announced a day.
	VersionEnds string `json:"versionEnds,omitempty"`
	// Hosts are path.Match patterns of the host names of the API: "api.stripe.com",
	// "*.myshopify.com".
	Hosts []string `json:"hosts"`
	// Credentials maps attributes of the configuration to the parts of an example request
	// that may hold them: "bearer", "basic.username", "basic.password", "header NAME" or
	// "query NAME".
	Credentials map[string][]string `json:"credentials,omitempty"`
}

// All returns all APIs, sorted by name.
//
// To add an API, add a directory to pkg/gallery/apis with config.json and api.json. Write a
// mock server in a file of its own in tests/apis and list it in mockServers in
// tests/apis/pages_test.go. It must refuse what the API refuses, and change its data between
// two runs. Write a page in docs/apis with the sections of the other pages. `go test
// ./tests/apis -update` writes the configuration and the tables into the page.
func All() []API { return slices.Clone(apis()) }

// apis reads the embedded files. They are part of the program, so that an error is a panic in
// every test.
var apis = sync.OnceValue(func() []API {
	entries, err := files.ReadDir("apis")
	if err != nil {
		panic(err)
	}
	all := make([]API, len(entries))
	for i, entry := range entries {
		all[i].Name, all[i].Config = entry.Name(), read("apis", entry.Name(), "config.json")
		decoder := json.NewDecoder(bytes.NewReader(read("apis", entry.Name(), "api.json")))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&all[i]); err != nil {
			panic(fmt.Errorf("api.json of %s: %w", entry.Name(), err))
		}
	}
	return all
})

func read(names ...string) []byte {
	text, err := files.ReadFile(path.Join(names...))
	if err != nil {
		panic(err)
	}
	return text
}

// Named returns the API with this name. An unknown name is a user error with suggestions.
func Named(name string) (API, error) {
	i := slices.IndexFunc(apis(), func(a API) bool { return a.Name == name })
	if i < 0 {
		return API{}, failure.Userf("there is no API %q in the gallery, %s", name, suggestion(name, apis(), func(a API) string { return a.Name }))
	}
	return apis()[i], nil
}

// ByHost returns the APIs that have this host name.
func ByHost(host string) []API {
	return slices.DeleteFunc(All(), func(a API) bool { return !a.Has(host) })
}

// Has reports whether the API has this host name. Other characters than letters, digits,
// dots and hyphens are rejected, because the name is written into a configuration.
func (a API) Has(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
		return false
	}
	return slices.ContainsFunc(a.Hosts, func(pattern string) bool {
		matches, err := path.Match(pattern, host)
		return err == nil && matches
	})
}

// String returns the line of the API in a list.
func (a API) String() string { return fmt.Sprintf("%-22s  %s: %s", a.Name, a.Title, a.Summary) }
