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

// requestSources knows the sources of an iteration's requests.
type requestSources struct {
	it       iteration
	doc      *config.Document
	features Features
	secrets  *secret.Registry
}

// sources are those of the parts of a request: a job's own request (base), what paging
// made of it (first), the same with the default options (full), and what authentication
// and signature added to the request that was sent.
func (o requestSources) sources(j *job, base, first, full config.RequestSpec, sent *httpclient.Outgoing) []request.Source {
	all := o.base(first.Endpoint, request.Source{Part: "address", From: "endpoint", Pointer: j.at(config.JobEndpoint.Name), Evaluated: true})
	all = append(all, o.method(j)...)
	all = append(all, o.params(j, base, first, full, sent)...)
	return append(all, o.headers(j, first, sent)...)
}

// login are the sources of the request of a login.
func (o requestSources) login(sent *httpclient.Outgoing) []request.Source {
	login := auth.LoginRequest.In(o.doc.API.Authentication)
	all := o.base(auth.LoginEndpoint.Of(login), request.Source{Part: "address", From: "login request", Pointer: auth.LoginEndpoint.In(login).Pointer})
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
			s = o.addedHeader(line.Name, sent)
		}
		all = append(all, s)
	}
	return all
}

// at is the place of a key of the job.
func (j *job) at(keys ...string) string {
	pointer := j.Pointer
	for _, key := range keys {
		pointer = failure.PointerJoin(pointer, key)
	}
	return pointer
}

// defaults is a place in the default options.
func (o requestSources) defaults(keys ...string) string {
	pointer := o.doc.API.Pointer
	for _, key := range append([]string{config.HTTPSection.Name, config.DefaultOptionsSetting.Name}, keys...) {
		pointer = failure.PointerJoin(pointer, key)
	}
	return pointer
}

// base is the source of an endpoint, after that of the base address where this
// is part of it.
func (o requestSources) base(endpoint string, own request.Source) []request.Source {
	// An endpoint that is an address leads to the same place from anywhere.
	here, err := httpclient.Resolve(o.it.BaseURL, endpoint)
	elsewhere, err2 := httpclient.Resolve(&url.URL{Scheme: "x", Host: "x"}, endpoint)
	if err == nil && err2 == nil && here.String() == elsewhere.String() {
		return []request.Source{own}
	}
	return []request.Source{{Part: "address", From: config.BaseURL.Name, Pointer: failure.PointerJoin(o.doc.API.Pointer, config.BaseURL.Name), Evaluated: true}, own}
}

// method is given where it is a default; a job's own is seen in the request.
func (o requestSources) method(j *job) []request.Source {
	if j.Method == "" && o.doc.API.DefaultOptions.Field(config.DefaultMethod.Name).Text() != "" {
		return []request.Source{{Part: "method", From: "default options", Pointer: o.defaults(config.DefaultMethod.Name)}}
	}
	return nil
}

// params are the parameters, wherever the method sends them, then those in the
// query that the endpoint or the authentication brought.
func (o requestSources) params(j *job, base, first, full config.RequestSpec, sent *httpclient.Outgoing) []request.Source {
	where := "body "
	if sent.Method == http.MethodGet {
		where = "query "
	}
	added := addedToQuery(sent)
	var all []request.Source
	given := map[string]bool{}
	add := func(s request.Source, name string) {
		if s.Part == "query "+name && slices.Contains(added, name) || given[s.Part] {
			return // the authentication replaced it, or it was given already
		}
		given[s.Part] = true
		all = append(all, s)
	}
	computedDefaults := o.doc.Vocabulary.IsCall(o.doc.API.DefaultOptions.Field(config.DefaultParams.Name))
	for _, name := range full.ParamNames() {
		if _, own := first.Param(name); !own {
			at := o.defaults(config.DefaultParams.Name, name)
			if computedDefaults {
				at = o.defaults(config.DefaultParams.Name)
			}
			add(request.Source{Part: where + name, From: "default options", Pointer: at, Evaluated: true}, name)
		}
	}
	for _, name := range first.ParamNames() {
		s := request.Source{Part: where + name, From: "job", Pointer: j.at(config.JobParams.Name, name), Evaluated: true}
		if j.Params.IsCall() {
			s.Pointer = j.at(config.JobParams.Name)
		}
		now, _ := first.Param(name)
		if own, ok := base.Param(name); !ok || !own.Equal(now) {
			s = request.Source{Part: where + name, From: "paging", Pointer: o.features.Paging.NamedAt(j.paged, name)}
			if own.Len() > 0 && !own.IsScalar() { // paging set a part of it
				s.From = "job and paging"
			}
		}
		add(s, name)
	}
	for _, name := range (config.RequestSpec{Params: first.Query}).ParamNames() {
		add(request.Source{Part: "query " + name, From: "paging", Pointer: o.features.Paging.NamedAt(j.paged, name)}, name)
	}
	if sent.Built != nil {
		// A secret may hold what parts parameters: no piece of it is the name of one.
		whole, query := sent.Built.URL.String(), sent.Built.URL.RawQuery
		query = o.secrets.MaskPart(whole, secret.Span{From: len(whole) - len(query), To: len(whole)})
		for _, name := range namesOf(query) {
			// What is in the query and no parameter was in the endpoint.
			if top, _, _ := strings.Cut(name, "["); !given["query "+top] {
				add(request.Source{Part: "query " + name, From: "endpoint", Pointer: j.at(config.JobEndpoint.Name)}, name)
			}
		}
	}
	for _, name := range added {
		given["query "+name] = true
		all = append(all, o.authentication("query", name))
	}
	return all
}

// addedToQuery are the names in the query that authentication added or changed.
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

// namesOf are the names in a query, decoded, each once.
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

// headers are the headers in the order in which they are sent.
func (o requestSources) headers(j *job, first config.RequestSpec, sent *httpclient.Outgoing) []request.Source {
	var all []request.Source
	for i, line := range sent.Headers {
		if i > 0 && sent.Headers[i-1].Name == line.Name {
			continue
		}
		all = append(all, o.header(j, first, line.Name, sent))
	}
	return all
}

func (o requestSources) header(j *job, first config.RequestSpec, name string, sent *httpclient.Outgoing) request.Source {
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
		return o.addedHeader(name, sent)
	}
	if name == "Content-Type" && len(sent.Body) > 0 && (texts[0] == config.BodyType("FORM") || texts[0] == config.BodyType("POST")) {
		s.From = "method"
		return s
	}
	own, defaults := first.Headers, o.doc.API.DefaultOptions.Field(config.DefaultHeaders.Name)
	if _, exactly := defaults.Get(name); exactly && own.Field(name).IsNull() {
		own = value.Value{} // both are sent when they differ in their letter case
	}
	if at, ok := memberLike(own, name); ok {
		return request.Source{Part: s.Part, From: "job", Pointer: j.at(config.JobHeaders.Name, at), Evaluated: true}
	}
	if at, ok := memberLike(defaults, name); ok {
		return request.Source{Part: s.Part, From: "default options", Pointer: o.defaults(config.DefaultHeaders.Name, at), Evaluated: true}
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

// addedHeader is a header that was not there when the request was built.
func (o requestSources) addedHeader(name string, sent *httpclient.Outgoing) request.Source {
	signature := httpclient.Signed(o.doc)
	signed := signature.Present() && (name == "Authorization" || name == "X-Amz-Date")
	s := o.authentication("headers", name)
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

// authentication is the source of a header or a parameter of the query that the
// authentication added; the pointer leads as near to it as it can.
func (o requestSources) authentication(kind, name string) request.Source {
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

// memberLike is the last member of that name, regardless of its letter case.
func memberLike(v value.Value, name string) (string, bool) {
	for _, m := range slices.Backward(v.Members()) {
		if strings.EqualFold(m.Name, name) {
			return m.Name, true
		}
	}
	return "", false
}

// placeholderSources are the placeholders of a child.
func placeholderSources(child *job, above []*job) []request.Source {
	var all []request.Source
	for _, p := range child.placeholders {
		all = append(all, request.Source{Part: "placeholder {" + p.token + "}", From: p.origin(above), Pointer: p.pointer})
	}
	return all
}
