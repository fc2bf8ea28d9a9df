// Package request has the type of an HTTP request to the API, with its secret parts.
// Package exchange builds and sends requests, package auth adds credentials, package
// har records them.
package request

import (
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

// Request is one HTTP request.
type Request struct {
	Method string
	URL    *url.URL
	// Host is the header of that name.
	Host   string
	Header http.Header
	// Body is nil without a body, which is different from an empty one.
	Body []byte
	// Anonymous requests get no credentials of the API, because their job wants none.
	Anonymous bool
	// Sensitive lists the parts that were made of secrets.
	Sensitive secret.Sensitive
}

// Clone returns a copy whose address and headers can be changed; the body is shared.
func (r *Request) Clone() *Request {
	clone, address := *r, *r.URL
	clone.URL, clone.Header = &address, r.Header.Clone()
	return &clone
}

// SetHeaders replaces headers by name, ignoring case. Names are sent as written, except
// those that net/http must recognise.
func (r *Request) SetHeaders(headers iter.Seq2[string, []string]) {
	for name := range headers {
		for spelt := range r.Header {
			if strings.EqualFold(spelt, name) {
				delete(r.Header, spelt)
			}
		}
	}
	for name, lines := range headers {
		switch canonical := http.CanonicalHeaderKey(name); canonical {
		case "Host":
			r.Host = strings.Join(lines, ",")
			continue
		case "User-Agent", "Content-Type", "Content-Length", "Transfer-Encoding", "Accept", "Accept-Encoding", "Authorization", "Cookie", "Trailer":
			name = canonical
		}
		if had := r.Header[name]; had != nil {
			r.Header[name] = append(had, lines...)
		} else {
			r.Header[name] = slices.Clip(lines) // so that append copies
		}
	}
}

// Address returns the address for an error message, without user name, password and
// secret parameters. It does not mask known secrets elsewhere.
func (r *Request) Address() string { return r.Sensitive.Address(r.URL) }
