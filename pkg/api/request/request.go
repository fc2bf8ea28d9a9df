// Package request defines an HTTP request to the API, with its secret parts. Package
// httpclient builds and sends requests, package auth adds credentials, and package har
// records them.
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
	// Host is the header Host.
	Host   string
	Header http.Header
	// Body is nil if there is no body, which differs from an empty body.
	Body []byte
	// Anonymous is set if the request must not get the credentials of the API, because of
	// a setting of its job.
	Anonymous bool
	// Sensitive lists the parts that contain secrets.
	Sensitive secret.Sensitive
}

// Clone returns a copy with its own URL and headers. The copy shares the body.
func (r *Request) Clone() *Request {
	clone, address := *r, *r.URL
	clone.URL, clone.Header = &address, r.Header.Clone()
	return &clone
}

// SetHeaders replaces headers by name, ignoring case. It keeps the spelling of names,
// except for the names that net/http must recognise.
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
			r.Header[name] = slices.Clip(lines) // so that append copies the slice
		}
	}
}

// Address returns the URL for an error message, without user name, password and secret
// parameters. It does not mask known secrets elsewhere in the URL.
func (r *Request) Address() string { return r.Sensitive.Address(r.URL) }

// Source is the source of one part of a request. Its JSON form is part of a recording.
type Source struct {
	// Part is "address", "method", "query NAME", "body", "body NAME", "header NAME" or
	// "placeholder NAME".
	Part string `json:"part"`
	// From names the source in words: "job, function concat of attr #token".
	From string `json:"from"`
	// Pointer is the JSON pointer of the source in the configuration, or "".
	Pointer string `json:"pointer"`
}
