// Package example gets one request and its response from an address, a curl command or
// an HTTP archive that a browser saved.
//
// It returns what was sent and received; bodies are decompressed and limited. It sends
// one request, and its credentials only to the given host. Package propose interprets
// the exchange.
package example

import (
	"net/http"
	"net/url"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Request is one request.
type Request struct {
	// Method in capitals.
	Method string
	// URL is absolute, http or https, perhaps with user and password.
	URL string
	// Header has the credentials too, except those in the URL.
	Header http.Header
	Body   []byte
	// Insecure turns off the check of the server's certificate.
	Insecure bool
}

// Exchange is a request and its response.
type Exchange struct {
	Request
	Status         int
	ResponseHeader http.Header
	Response       []byte
}

// FromURL makes a plain GET. An invalid address is a user error.
func FromURL(address string) (Request, error) {
	if _, err := parseAddress(address); err != nil {
		return Request{}, err
	}
	return Request{Method: http.MethodGet, URL: address, Header: http.Header{}}, nil
}

// parseAddress reads an absolute address. Errors do not show it, because it may have
// credentials.
func parseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, failure.Userf("expected an address like https://api.example.com/v1/orders, found something else; put it in quotes if it has a & or a ?")
	}
	return u, nil
}
