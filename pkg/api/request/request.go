// Package request holds one HTTP request to the API before net/http gets it, and
// which parts of it are secrets. Package exchange builds and sends requests,
// package auth adds credentials to them, package har records them.
package request

import (
	"net/http"
	"net/url"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

// Request is one HTTP request.
type Request struct {
	Method string
	URL    *url.URL
	// Host is the header of that name.
	Host   string
	Header http.Header
	// Body is nil for a request without one; an empty body is something else.
	Body []byte
	// Sensitive tells which parts are secrets because of what they were made of.
	Sensitive secret.Sensitive
}

// Clone is a copy whose address and headers can be changed; the body is shared.
func (r *Request) Clone() *Request {
	clone, address := *r, *r.URL
	clone.URL, clone.Header = &address, r.Header.Clone()
	return &clone
}

// Address is the address for an error message: without user name, password and
// parameters that are secrets. Secrets that are known by their text are not masked.
func (r *Request) Address() string { return r.Sensitive.Address(r.URL) }
