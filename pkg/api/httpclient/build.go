package httpclient

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// build returns the HTTP request for a request of the configuration. accept is the header
// Accept if none is configured; if it is empty, JSON is requested. headers are the
// headers of the API. They override the built-in headers, and the headers of the request
// override them. A Content-Type that does not describe the body is replaced. Errors are
// user errors.
func build(base *url.URL, r config.RequestSpec, userAgent, accept string, headers []config.Header) (*request.Request, error) {
	u, err := Resolve(base, r.Endpoint)
	if err != nil {
		return nil, err
	}
	if k := r.Params.Kind(); k != value.Object && k != value.Array && !r.Params.Empty() {
		return nil, failure.Userf("the parameters of '%s' must be an object, found %s", r.Endpoint, k.WithArticle())
	}
	req := &request.Request{URL: u, Host: u.Host, Header: http.Header{}}
	bodyType := config.BodyType(r.Method)
	var secrets []secret.Span
	switch r.Method = strings.ToUpper(r.Method); r.Method {
	case "", http.MethodGet:
		req.Method = http.MethodGet
		req.Sensitive = setQuery(u, r.Params)
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		req.Method = r.Method
		if r.Body != nil {
			req.Body, secrets = r.Body.Text, r.Body.Secrets
			r.Query = r.QueryParams()
		} else {
			req.Body, secrets = encodeJSON(r.Params)
		}
	case "FORM":
		req.Method = http.MethodPost
		var form string
		form, secrets = encodeForm(r.Params)
		req.Body = []byte(form)
	default:
		return nil, failure.Userf("the method of '%s' must be one of GET, POST, FORM, PUT, PATCH, DELETE, found %s", r.Endpoint, r.Method)
	}
	if req.Method != http.MethodGet {
		req.Sensitive = setQuery(u, r.Query)
	}
	req.Sensitive = req.Sensitive.WithBody(secrets)
	if req.Method != http.MethodGet && r.Query.Empty() || req.Method == http.MethodGet && r.Params.Empty() {
		u.RawQuery = escape(u.RawQuery, queryCharacters)
	}
	setLevel(req, builtin(userAgent, accept))
	setLevel(req, headers)
	own, err := headersOf(r.Headers)
	if err != nil {
		return nil, err
	}
	setLevel(req, own)
	if bodyType != "" {
		setLevel(req, []config.Header{{Name: "Content-Type", Values: []string{cmp.Or(r.OwnType(headers), bodyType)}}})
	}
	for i, h := range slices.Concat(own, headers) {
		replaced := i >= len(own) && slices.ContainsFunc(own, func(o config.Header) bool { return strings.EqualFold(o.Name, h.Name) })
		if h.Secret && !replaced {
			req.Sensitive = req.Sensitive.WithHeader(h.Name)
		}
	}
	return req, nil
}

func setQuery(u *url.URL, params value.Value) (sensitive secret.Sensitive) {
	if params.Empty() {
		return sensitive
	}
	// The original extractor drops parameters with a name that is empty in PHP.
	query, secrets := encodeForm(mergeQuery(u.RawQuery, params).Without("", "0"))
	u.RawQuery = query
	for _, s := range secrets {
		name := query[strings.LastIndexByte(query[:s.From], '&')+1 : s.From-len("=")]
		sensitive = sensitive.WithParam(php.URLDecode(name))
	}
	return sensitive
}

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
