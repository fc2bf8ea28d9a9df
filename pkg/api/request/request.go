// Package request holds one HTTP request to the API before net/http gets it, and
// which parts of it are secrets. Package exchange builds and sends requests,
// package auth adds credentials to them, package har records them.
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
	// Body is nil for a request without one; an empty body is something else.
	Body []byte
	// Sensitive lists the parts that are secrets because of what they were made of.
	Sensitive secret.Sensitive
}

// Clone is a copy whose address and headers can be changed; the body is shared.
func (r *Request) Clone() *Request {
	clone, address := *r, *r.URL
	clone.URL, clone.Header = &address, r.Header.Clone()
	return &clone
}

// SetHeaders puts headers in the place of those of the same names, whatever their
// letter case. Names are sent as they are written, but for those that net/http must
// recognise.
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
			r.Header[name] = slices.Clip(lines) // who changes a request changes a clone
		}
	}
}

// Address is the address for an error message: without user name, password and
// parameters that are secrets. Secrets that are known by their text are not masked.
func (r *Request) Address() string { return r.Sensitive.Address(r.URL) }
