// Package example gets a request and its response from a URL, a curl command or an HTTP
// archive (HAR) that a browser saved.
//
// Bodies are decompressed and limited in size. Fetch sends a request once, and its
// credentials only to the given host. Package infer interprets the exchange.
package example

import (
	"net/http"
	"net/url"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Request is an HTTP request.
type Request struct {
	// Method is in upper case.
	Method string
	// URL is absolute, with the scheme http or https. It may have user and password.
	URL string
	// Header includes credentials, except user and password in the URL.
	Header http.Header
	Body   []byte
	// Insecure disables the verification of the server's certificate.
	Insecure bool
}

// Exchange is a request and its response.
type Exchange struct {
	Request
	Status         int
	ResponseHeader http.Header
	Response       []byte
}

// FromURL returns a GET request without headers. An invalid URL is a user error.
func FromURL(address string) (Request, error) {
	if _, err := parseAddress(address); err != nil {
		return Request{}, err
	}
	return Request{Method: http.MethodGet, URL: address, Header: http.Header{}}, nil
}

// parseAddress parses an absolute URL. Errors do not show the URL, because it may have
// credentials.
func parseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, failure.Userf("expected a URL like https://api.example.com/v1/orders, found something else; put it in quotes if it has a & or a ?")
	}
	return u, nil
}
