package config

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// WithoutCredentials returns the request without parameters and headers that are secrets,
// and without headers for credentials.
func (r RequestSpec) WithoutCredentials() RequestSpec {
	r.Params, r.Query = r.Params.WithoutSecrets(), r.Query.WithoutSecrets()
	var headers []value.Member
	for _, m := range r.Headers.Members() {
		if !m.Value.Secret() && !carriesCredentials(m.Name) {
			headers = append(headers, m)
		}
	}
	r.Headers = value.OfMembers(headers...)
	return r
}

// WithoutCredentials returns the headers that are neither secret nor for credentials.
func WithoutCredentials(headers []Header) []Header {
	return slices.DeleteFunc(slices.Clone(headers), func(h Header) bool { return h.Secret || carriesCredentials(h.Name) })
}

// carriesCredentials reports whether a header is for credentials, even if its value is
// not marked as a secret.
func carriesCredentials(name string) bool {
	return slices.ContainsFunc([]string{"Authorization", "Cookie", "Proxy-Authorization"}, func(known string) bool { return strings.EqualFold(name, known) })
}
