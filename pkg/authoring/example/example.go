// Package example gets one request and its answer from where a person has them:
// an address, a curl command, an HTTP archive that a browser saved.
//
// It promises that what it returns is what was sent and what came back, bodies
// decompressed and within a limit. It sends one request and never a credential
// to another host than the one it was given for. What the exchange means it does
// not know (package propose).
package example

import (
	"net/http"
	"net/url"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Request is one request as a person would send it.
type Request struct {
	// Method in capitals.
	Method string
	// URL is absolute, http or https, perhaps with user and password.
	URL string
	// Header has the credentials too, but for those in the URL.
	Header http.Header
	Body   []byte
	// Insecure is set when the server's certificate is not to be checked.
	Insecure bool
}

// Exchange is a request and its answer.
type Exchange struct {
	Request
	Status       int
	AnswerHeader http.Header
	Answer       []byte
}

// FromURL is a plain GET. An address that is none is a user error.
func FromURL(address string) (Request, error) {
	if _, err := parseAddress(address); err != nil {
		return Request{}, err
	}
	return Request{Method: http.MethodGet, URL: address, Header: http.Header{}}, nil
}

// parseAddress reads an absolute address. Errors do not show it: it may hold
// credentials.
func parseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, failure.Userf("expected an address like https://api.example.com/v1/orders, found something else; put it in quotes if it has a & or a ?")
	}
	return u, nil
}
