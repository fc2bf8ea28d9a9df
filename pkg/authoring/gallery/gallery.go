// Package gallery has complete configurations for well-known APIs. Each is in a directory
// of its own below apis: config.json is the configuration that `extractor init --api`
// writes, api.json describes the API. The pages are in docs/apis. The tests in tests/apis
// run each configuration against an imitation of its API.
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

// API describes one API of the gallery.
type API struct {
	// Name is the name of the directory, the page and the argument of --api.
	Name string `json:"-"`
	// Title is the name that its vendor uses.
	Title string `json:"title"`
	// Summary is what the configuration extracts, in one line.
	Summary string `json:"summary"`
	// Documentation is the address of the vendor's documentation.
	Documentation string `json:"documentation"`
	// Version is the version of the API that the configuration requests, as the vendor
	// writes it; "" if the API has no versions.
	Version string `json:"version,omitempty"`
	// VersionEnds is the day, such as 2027-01-15, when the vendor stops to answer for
	// this version or for the credential that it needs; "" if it did not announce one.
	VersionEnds string `json:"versionEnds,omitempty"`
	// Hosts are patterns of the host names that response for the API, as path.Match reads
	// them: "api.stripe.com", "*.myshopify.com".
	Hosts []string `json:"hosts"`
	// Credentials maps attributes of the configuration to the places where an example
	// request may have them: "bearer", "basic.username", "basic.password",
	// "header NAME" or "query NAME".
	Credentials map[string][]string `json:"credentials,omitempty"`
}

// All returns all APIs in the order of their names.
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

// Config returns the configuration for an API as JSON text. Errors are those of Named.
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

// Named returns the API with a name. An unknown name is a user error with a suggestion.
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

// ByHost returns the APIs that a host name belongs to.
func ByHost(host string) ([]API, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(a API) bool { return !a.Has(host) }), nil
}

// Has reports whether a host name is one of the API's. A name with other characters than
// those of host names is not: it would be written into a configuration.
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

// String is the line of a list.
func (a API) String() string { return fmt.Sprintf("%-22s  %s: %s", a.Name, a.Title, a.Summary) }
