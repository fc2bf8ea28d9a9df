package engine

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// requestSources finds the sources of the requests of an iteration.
type requestSources struct {
	it       iteration
	doc      *config.Document
	features Features
	secrets  *secret.Registry
}

// sources returns the sources of the parts of a request. base is the job's own request,
// first the request that pagination made of it, full the same request with the default
// options, and sent the request with the parts that authentication and signature added.
func (o requestSources) sources(j *job, base, first, full config.RequestSpec, sent *httpclient.Outgoing) []request.Source {
	all := o.endpointSources(first.Endpoint, request.Source{Part: "address", From: "endpoint", Pointer: j.keyPointer(config.JobEndpoint.Name), Evaluated: true})
	all = append(all, o.methodSources(j)...)
	all = append(all, o.paramSources(j, base, first, full, sent)...)
	return append(all, o.headerSources(j, first, sent)...)
}

// loginSources returns the sources of a login request.
func (o requestSources) loginSources(sent *httpclient.Outgoing) []request.Source {
	login := auth.LoginRequest.In(o.doc.API.Authentication)
	all := o.endpointSources(auth.LoginEndpoint.Of(login), request.Source{Part: "address", From: "login request", Pointer: auth.LoginEndpoint.In(login).Pointer})
	where := "body "
	if sent.Method == http.MethodGet {
		where = "query "
	}
	params, headers := auth.LoginParams.In(login), auth.LoginHeaders.In(login)
	if o.doc.Vocabulary.IsCall(params.Value) {
		all = append(all, request.Source{Part: strings.TrimSpace(where), From: "login request", Pointer: params.Pointer, Evaluated: true})
	} else {
		for _, name := range (config.RequestSpec{Params: params.Value}).ParamNames() {
			all = append(all, request.Source{Part: where + name, From: "login request", Pointer: params.Get(name).Pointer, Evaluated: true})
		}
	}
	for _, line := range sent.Headers {
		s := request.Source{Part: "header " + line.Name, From: "built in"}
		_, built := sent.Built.Header[line.Name]
		own, mine := memberLike(headers.Value, line.Name)
		switch {
		case line.Name == "Content-Type" && len(sent.Body) > 0:
			s.From = "method"
		case mine:
			s.From, s.Pointer, s.Evaluated = "login request", headers.Get(own).Pointer, true
		case line.Name == "Host":
			s.From = "address"
		case !built && line.Name != "Content-Length":
			s = o.addedHeaderSource(line.Name, sent)
		}
		all = append(all, s)
	}
	return all
}

// keyPointer returns the JSON pointer of a key of the job.
func (j *job) keyPointer(keys ...string) string {
	pointer := j.Pointer
	for _, key := range keys {
		pointer = failure.PointerJoin(pointer, key)
	}
	return pointer
}

// defaultsPointer returns the JSON pointer of a key of the default options.
func (o requestSources) defaultsPointer(keys ...string) string {
	pointer := o.doc.API.Pointer
	for _, key := range append([]string{config.HTTPSection.Name, config.DefaultOptionsSetting.Name}, keys...) {
		pointer = failure.PointerJoin(pointer, key)
	}
	return pointer
}

// endpointSources returns the source of an endpoint, after the source of the base URL if
// the request uses the base URL.
func (o requestSources) endpointSources(endpoint string, own request.Source) []request.Source {
	// A complete URL as endpoint resolves to the same URL from any base.
	here, err := httpclient.Resolve(o.it.BaseURL, endpoint)
	elsewhere, err2 := httpclient.Resolve(&url.URL{Scheme: "x", Host: "x"}, endpoint)
	if err == nil && err2 == nil && here.String() == elsewhere.String() {
		return []request.Source{own}
	}
	return []request.Source{{Part: "address", From: config.BaseURL.Name, Pointer: failure.PointerJoin(o.doc.API.Pointer, config.BaseURL.Name), Evaluated: true}, own}
}

// methodSources returns the source of a default method. The method of the job itself is
// visible in the request.
func (o requestSources) methodSources(j *job) []request.Source {
	if j.Method == "" && o.doc.API.DefaultOptions.Field(config.DefaultMethod.Name).Text() != "" {
		return []request.Source{{Part: "method", From: "default options", Pointer: o.defaultsPointer(config.DefaultMethod.Name)}}
	}
	return nil
}

// paramSources returns the sources of the parameters, in the query or in the body,
// followed by the parameters that the endpoint or the authentication added to the query.
func (o requestSources) paramSources(j *job, base, first, full config.RequestSpec, sent *httpclient.Outgoing) []request.Source {
	where := "body "
	if sent.Method == http.MethodGet {
		where = "query "
	}
	added := addedToQuery(sent)
	var all []request.Source
	given := map[string]bool{}
	add := func(s request.Source, name string) {
		if s.Part == "query "+name && slices.Contains(added, name) || given[s.Part] {
			return // authentication replaced it, or it has a source already
		}
		given[s.Part] = true
		all = append(all, s)
	}
	computedDefaults := o.doc.Vocabulary.IsCall(o.doc.API.DefaultOptions.Field(config.DefaultParams.Name))
	for _, name := range full.ParamNames() {
		if _, own := first.Param(name); !own {
			at := o.defaultsPointer(config.DefaultParams.Name, name)
			if computedDefaults {
				at = o.defaultsPointer(config.DefaultParams.Name)
			}
			add(request.Source{Part: where + name, From: "default options", Pointer: at, Evaluated: true}, name)
		}
	}
	for _, name := range first.ParamNames() {
		s := request.Source{Part: where + name, From: "job", Pointer: j.keyPointer(config.JobParams.Name, name), Evaluated: true}
		if j.Params.IsCall() {
			s.Pointer = j.keyPointer(config.JobParams.Name)
		}
		now, _ := first.Param(name)
		if own, ok := base.Param(name); !ok || !own.Equal(now) {
			s = request.Source{Part: where + name, From: "paging", Pointer: o.features.Paging.NamedAt(j.paged, name)}
			if own.Len() > 0 && !own.IsScalar() { // pagination set a part of the value
				s.From = "job and paging"
			}
		}
		add(s, name)
	}
	for _, name := range (config.RequestSpec{Params: first.Query}).ParamNames() {
		add(request.Source{Part: "query " + name, From: "paging", Pointer: o.features.Paging.NamedAt(j.paged, name)}, name)
	}
	if sent.Built != nil {
		// A secret may contain separators of parameters. No part of a secret is the name
		// of a parameter.
		whole, query := sent.Built.URL.String(), sent.Built.URL.RawQuery
		query = o.secrets.MaskPart(whole, secret.Span{From: len(whole) - len(query), To: len(whole)})
		for _, name := range namesOf(query) {
			// A parameter in the query that is not a known parameter was in the endpoint.
			if top, _, _ := strings.Cut(name, "["); !given["query "+top] {
				add(request.Source{Part: "query " + name, From: "endpoint", Pointer: j.keyPointer(config.JobEndpoint.Name)}, name)
			}
		}
	}
	for _, name := range added {
		given["query "+name] = true
		all = append(all, o.authenticationSource("query", name))
	}
	return all
}

// addedToQuery returns the names in the query that authentication added or changed.
func addedToQuery(sent *httpclient.Outgoing) []string {
	u, err := url.Parse(sent.URL)
	if err != nil || sent.Built == nil {
		return nil
	}
	before, after := sent.Built.URL.Query(), u.Query()
	var names []string
	for _, name := range namesOf(u.RawQuery) {
		if !slices.Equal(before[name], after[name]) {
			names = append(names, name)
		}
	}
	return names
}

// namesOf returns the distinct, decoded names in a query.
func namesOf(query string) []string {
	var names []string
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(name); err == nil {
			name = decoded
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// headerSources returns the sources of the headers in the order in which they are sent.
func (o requestSources) headerSources(j *job, first config.RequestSpec, sent *httpclient.Outgoing) []request.Source {
	var all []request.Source
	for i, line := range sent.Headers {
		if i > 0 && sent.Headers[i-1].Name == line.Name {
			continue
		}
		all = append(all, o.headerSource(j, first, line.Name, sent))
	}
	return all
}

func (o requestSources) headerSource(j *job, first config.RequestSpec, name string, sent *httpclient.Outgoing) request.Source {
	s := request.Source{Part: "header " + name, From: "built in"}
	built := sent.Built
	if built == nil {
		return s
	}
	var texts []string
	for _, line := range sent.Headers {
		if line.Name == name {
			texts = append(texts, line.Text)
		}
	}
	before, had := built.Header[name]
	switch {
	case name == "Content-Length":
		return s
	case name == "Host" && (len(texts) != 1 || built.Host != texts[0]):
		had = false
	case name == "Host" && built.Host == built.URL.Host:
		s.From = "address"
		return s
	case name == "Host":
		before, had = texts, true
	}
	if !had || !slices.Equal(before, texts) {
		return o.addedHeaderSource(name, sent)
	}
	if name == "Content-Type" && len(sent.Body) > 0 && (texts[0] == config.BodyType("FORM") || texts[0] == config.BodyType("POST")) {
		s.From = "method"
		return s
	}
	own, defaults := first.Headers, o.doc.API.DefaultOptions.Field(config.DefaultHeaders.Name)
	if _, exactly := defaults.Get(name); exactly && own.Field(name).IsNull() {
		own = value.Value{} // names with different letter case are sent as two headers
	}
	if at, ok := memberLike(own, name); ok {
		return request.Source{Part: s.Part, From: "job", Pointer: j.keyPointer(config.JobHeaders.Name, at), Evaluated: true}
	}
	if at, ok := memberLike(defaults, name); ok {
		return request.Source{Part: s.Part, From: "default options", Pointer: o.defaultsPointer(config.DefaultHeaders.Name, at), Evaluated: true}
	}
	headers := slices.Clone(o.it.Headers)
	for _, h := range o.it.ComputedHeaders {
		headers = append(headers, h.Header)
	}
	for _, h := range headers {
		if strings.EqualFold(h.Name, name) {
			s = request.Source{Part: s.Part, From: "headers", Pointer: h.Pointer, Evaluated: true}
		}
	}
	if s.Pointer == "" && name == "Accept" && j.format.Pointer != "" {
		s.From, s.Pointer = "format of the response", j.format.Pointer
	}
	return s
}

// addedHeaderSource returns the source of a header that was added after the request was
// built.
func (o requestSources) addedHeaderSource(name string, sent *httpclient.Outgoing) request.Source {
	signature := httpclient.Signed(o.doc)
	signed := signature.Present() && (name == "Authorization" || name == "X-Amz-Date")
	s := o.authenticationSource("headers", name)
	scheme, _ := o.features.Auth.Of(o.doc.API.Authentication)
	switch {
	case signed:
		return request.Source{Part: s.Part, From: "signature for AWS", Pointer: signature.Pointer}
	case name == "Authorization" && sent.Built.URL.User != nil && !s.Evaluated && !scheme.SetsAuthorization:
		return request.Source{Part: s.Part, From: "user name and password in the address"}
	default:
		return s
	}
}

// authenticationSource returns the source of a header or query parameter that the
// authentication added. Its pointer is as specific as possible.
func (o requestSources) authenticationSource(kind, name string) request.Source {
	section := o.doc.API.Authentication
	part := map[string]string{"headers": "header ", "query": "query "}[kind] + name
	s := request.Source{Part: part, From: "authentication " + auth.TypeSetting.Of(section), Pointer: section.Pointer}
	name, _, _ = strings.Cut(name, "[")
	for _, group := range []config.Section{auth.APIRequest.In(section).Get(kind), section.Get(kind)} {
		if at, ok := memberLike(group.Value, name); ok {
			s.Pointer, s.Evaluated = group.Get(at).Pointer, true
			return s
		}
	}
	return s
}

// memberLike returns the last member with a name, regardless of letter case.
func memberLike(v value.Value, name string) (string, bool) {
	for _, m := range slices.Backward(v.Members()) {
		if strings.EqualFold(m.Name, name) {
			return m.Name, true
		}
	}
	return "", false
}

// placeholderSources returns the sources of the placeholders of a child job.
func placeholderSources(child *job, above []*job) []request.Source {
	var all []request.Source
	for _, p := range child.placeholders {
		all = append(all, request.Source{Part: "placeholder {" + p.token + "}", From: p.describeSource(above), Pointer: p.pointer})
	}
	return all
}
