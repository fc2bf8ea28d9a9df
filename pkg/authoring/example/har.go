package example

import (
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// EachInHAR calls visit, in order, for exchanges of an HTTP archive: successful responses
// that look like data, and responses with an error status. Exchanges with an error status
// have no response body. Only one exchange is in memory at a time. EachInHAR returns the
// error of visit, or a user error if r is not an archive.
func EachInHAR(r io.Reader, visit func(Exchange) error) error {
	var stopped error
	err := har.Entries(r, func(e *har.Entry) error {
		x, ok := exchangeOf(e)
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

// exchangeOf converts an entry to an exchange. It returns false if the entry cannot be an
// example.
func exchangeOf(e *har.Entry) (Exchange, bool) {
	if _, err := parseAddress(e.Request.URL); err != nil || e.Response.Content.Capped {
		return Exchange{}, false
	}
	request := Request{
		Method: strings.ToUpper(e.Request.Method), URL: e.Request.URL,
		Header: headerOf(e.Request.Headers), Body: []byte(bodyOf(e.Request.Post)),
	}
	if e.Response.Status/100 != 2 {
		return Exchange{Request: request, Status: e.Response.Status}, e.Response.Status >= 400
	}
	response := []byte(e.Response.Content.Text)
	if e.Response.Content.Encoding == "base64" {
		decoded, err := base64.StdEncoding.DecodeString(e.Response.Content.Text)
		if err != nil {
			return Exchange{}, false
		}
		response = decoded
	}
	header := headerOf(e.Response.Headers)
	start := strings.TrimLeft(string(response[:min(len(response), 64)]), "\ufeff \t\r\n")
	if start == "" {
		return Exchange{}, false
	}
	if start[0] != '{' && start[0] != '[' {
		if !isData(e.Response.Content.MimeType) {
			return Exchange{}, false
		}
		header.Set("Content-Type", e.Response.Content.MimeType)
		if e.Response.Content.Encoding == "" {
			// The archive has the text in UTF-8, regardless of the charset that the
			// server sent. A byte order mark overrides the charset and leaves the
			// Content-Type unchanged.
			response = append([]byte("\ufeff"), response...)
		}
	}
	return Exchange{Request: request, Status: e.Response.Status, ResponseHeader: header, Response: response}, true
}

// isData reports whether a media type is a data format other than JSON. A browser also
// loads documents, pictures, fonts and scripts.
func isData(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil || strings.HasPrefix(kind, "image/") || kind == "application/xhtml+xml" {
		return false
	}
	if strings.HasSuffix(kind, "+xml") {
		return true
	}
	switch _, sub, _ := strings.Cut(kind, "/"); strings.TrimPrefix(sub, "x-") {
	case "csv", "tab-separated-values", "xml", "ndjson", "jsonl", "jsonlines", "gzip", "zip", "zip-compressed", "zstd":
		return true
	default:
		return false
	}
}

// headerOf converts headers and drops the pseudo-headers of HTTP/2.
func headerOf(pairs []har.Pair) http.Header {
	h := http.Header{}
	for _, p := range pairs {
		if p.Name != "" && !strings.HasPrefix(p.Name, ":") {
			h.Add(p.Name, p.Value)
		}
	}
	return h
}

// bodyOf returns the body of a request. Some browsers save a form only as parameters.
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
