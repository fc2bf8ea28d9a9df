package httpclient

import (
	"cmp"
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// builtin returns the headers of a request without configured headers.
func builtin(userAgent, accept string) []config.Header {
	return []config.Header{
		{Name: "User-Agent", Values: []string{userAgent}},
		{Name: "Accept", Values: []string{cmp.Or(accept, "application/json")}},
		{Name: "Accept-Encoding", Values: []string{"gzip"}},
	}
}

// setLevel sets headers. They replace earlier headers with the same names.
func setLevel(req *request.Request, level []config.Header) {
	req.SetHeaders(func(yield func(string, []string) bool) {
		for _, h := range level {
			if !yield(h.Name, h.Values) {
				return
			}
		}
	})
}

// headersOf reads the headers of a request from an object. Its values are scalars or
// lists of scalars.
func headersOf(v value.Value) ([]config.Header, error) {
	if k := v.Kind(); k != value.Object && !v.Empty() {
		return nil, failure.Userf("headers must be an object, found %s", k.WithArticle())
	}
	var headers []config.Header
	for _, m := range v.Members() {
		h := config.Header{Name: m.Name, Secret: m.Value.Secret()}
		if !httpguts.ValidHeaderFieldName(m.Name) {
			return nil, failure.Userf("'%s' is not a valid header name", m.Name)
		}
		items := []value.Value{m.Value}
		if m.Value.Len() > 0 {
			items = items[:0]
			for _, item := range m.Value.Entries() {
				items = append(items, item)
			}
		}
		for _, item := range items {
			if k := item.Kind(); k == value.Object || k == value.Array {
				return nil, failure.Userf("the value of the header '%s' must be a text, found %s", m.Name, k.WithArticle())
			}
			text := strings.Trim(item.Text(), " \t")
			if !httpguts.ValidHeaderFieldValue(text) {
				return nil, failure.Userf("the value of the header '%s' contains a character that is not allowed in a header", m.Name)
			}
			h.Values = append(h.Values, text)
		}
		headers = append(headers, h)
	}
	return headers, nil
}

// headerLines returns all lines of a header, ignoring the case of its name.
func headerLines(h http.Header, name string) []string {
	var all []string
	for spelt, texts := range h {
		if strings.EqualFold(spelt, name) {
			all = append(all, texts...)
		}
	}
	return all
}
