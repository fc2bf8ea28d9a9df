// Package gallery provides complete configurations for well-known APIs. Each API has a
// directory below apis: `extractor init --api` writes config.json, and api.json describes
// the API. The documentation is in docs/apis. The tests in tests/apis run each
// configuration against a mock server of its API.
package gallery

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

//go:embed apis/*/api.json apis/*/config.json
var files embed.FS

// API describes an API of the gallery.
type API struct {
	// Name is the name of the directory, of the documentation page, and for --api.
	Name string `json:"-"`
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
// To add an API, add a directory to pkg/authoring/gallery/apis with config.json and api.json.
// Write a mock server in a file of its own in tests/apis and list it in imitations in
// tests/apis/pages_test.go. It must refuse what the API refuses, and change its data between
// two runs. Write a page in docs/apis with the sections of the other pages. `go test
// ./tests/apis -update` writes the configuration and the tables into the page.
func All() ([]API, error) {
	entries, err := files.ReadDir("apis")
	if err != nil {
		return nil, failure.Applicationf("cannot list the gallery: %w", err)
	}
	all := make([]API, len(entries))
	for i, entry := range entries {
		all[i].Name = entry.Name()
		text, err := files.ReadFile(path.Join("apis", entry.Name(), "api.json"))
		if err != nil {
			return nil, failure.Applicationf("cannot read the gallery: %w", err)
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&all[i]); err != nil {
			return nil, failure.Applicationf("cannot read api.json of %s: %w", entry.Name(), err)
		}
	}
	return all, nil
}

// Config returns the configuration of an API as JSON text. It returns the errors of
// Named.
func Config(name string) ([]byte, error) {
	api, err := Named(name)
	if err != nil {
		return nil, err
	}
	text, err := files.ReadFile(path.Join("apis", api.Name, "config.json"))
	if err != nil {
		return nil, failure.Applicationf("cannot read the configuration of %s: %w", name, err)
	}
	return text, nil
}

// Named returns the API with this name. An unknown name is a user error with a
// suggestion.
func Named(name string) (API, error) {
	all, err := All()
	if err != nil {
		return API{}, err
	}
	names := make([]string, len(all))
	for i, api := range all {
		if names[i] = api.Name; api.Name == name {
			return api, nil
		}
	}
	if nearest, ok := failure.Nearest(name, names); ok {
		return API{}, failure.Userf("there is no API %q in the gallery, did you mean %q?", name, nearest)
	}
	return API{}, failure.Userf("there is no API %q in the gallery, expected one of %s", name, strings.Join(names, ", "))
}

// ByHost returns the APIs that have this host name.
func ByHost(host string) ([]API, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(a API) bool { return !a.Has(host) }), nil
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
