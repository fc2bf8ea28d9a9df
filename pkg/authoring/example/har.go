package example

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// EachInHAR hands over the exchanges of an HTTP archive that have a successful
// answer which looks like JSON, in their order; only one of them is in memory at
// a time. A file that is no archive is a user error.
func EachInHAR(r io.Reader, visit func(Exchange) error) error {
	var stopped error
	err := har.Entries(r, func(e *har.Entry) error {
		x, ok := ofEntry(e)
		if !ok {
			return nil
		}
		stopped = visit(x)
		return stopped
	})
	if err != nil && stopped == nil {
		return failure.Userf("cannot read the HTTP archive: %w", err)
	}
	return stopped
}

// ofEntry is an entry as an exchange; false when nothing can be learnt of it.
func ofEntry(e *har.Entry) (Exchange, bool) {
	if e.Response.Status/100 != 2 || e.Response.Content.Capped {
		return Exchange{}, false
	}
	if _, err := parseAddress(e.Request.URL); err != nil {
		return Exchange{}, false
	}
	answer := []byte(e.Response.Content.Text)
	if e.Response.Content.Encoding == "base64" {
		decoded, err := base64.StdEncoding.DecodeString(e.Response.Content.Text)
		if err != nil {
			return Exchange{}, false
		}
		answer = decoded
	}
	if start := strings.TrimLeft(string(answer[:min(len(answer), 64)]), "\ufeff \t\r\n"); start == "" || start[0] != '{' && start[0] != '[' {
		return Exchange{}, false
	}
	return Exchange{
		Request: Request{
			Method: strings.ToUpper(e.Request.Method), URL: e.Request.URL,
			Header: headerOf(e.Request.Headers), Body: []byte(bodyOf(e.Request.Post)),
		},
		Status: e.Response.Status, AnswerHeader: headerOf(e.Response.Headers), Answer: answer,
	}, true
}

// headerOf leaves out what stands in archives beside the headers: the names of
// HTTP/2 that begin with a colon.
func headerOf(pairs []har.Pair) http.Header {
	h := http.Header{}
	for _, p := range pairs {
		if p.Name != "" && !strings.HasPrefix(p.Name, ":") {
			h.Add(p.Name, p.Value)
		}
	}
	return h
}

// bodyOf is the body of a request; some browsers keep a form only as its
// parameters.
func bodyOf(post *har.PostData) string {
	switch {
	case post == nil:
		return ""
	case post.Text != "":
		return post.Text
	}
	var pairs []string
	for _, p := range post.Params {
		pairs = append(pairs, fmt.Sprintf("%s=%s", url.QueryEscape(p.Name), url.QueryEscape(p.Value)))
	}
	return strings.Join(pairs, "&")
}
