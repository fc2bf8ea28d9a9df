package engine

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// trace finds the sources of the parts of one request of a job, or of a login for the job.
type trace struct {
	*job
	it       iteration
	doc      *config.Document
	features Features
	secrets  *secret.Registry
	// own is the request of the job, paged the request that pagination made of it, full
	// the same request with the default options, and sent the request with the parts that
	// authentication and signature added.
	own, paged, full config.RequestSpec
	sent             httpclient.Outgoing
	replaced         []string // parts that authentication replaced
	sources          []request.Source
}

// sourceFinder returns a function that finds the sources of a request's parts. paged is
// the request that pagination made, full the same request with the parts that all jobs
// send.
func (s *stream) sourceFinder(paged, full config.RequestSpec) func(httpclient.Outgoing) []request.Source {
	own := s.base.RequestSpec
	if !paged.Own.IsNull() {
		own.Params = paged.Own
	}
	return func(sent httpclient.Outgoing) []request.Source {
		t := trace{job: s.job, it: s.it, doc: s.doc, features: s.features, secrets: s.secrets,
			own: own, paged: paged, full: full, sent: sent}
		if sent.Login {
			t.addLogin()
		} else {
			t.addRequest()
		}
		return t.sources
	}
}

// add adds the source of a part, unless the part has a source. An address may have two
// sources.
func (t *trace) add(part, from, pointer string) {
	if part == "address" || !t.knows(part) && !slices.Contains(t.replaced, part) {
		t.sources = append(t.sources, request.Source{Part: part, From: from, Pointer: pointer})
	}
}

func (t *trace) knows(part string) bool {
	return slices.ContainsFunc(t.sources, func(s request.Source) bool { return s.Part == part })
}

// addEvaluated adds a source and describes the expression at its pointer, if there is one.
func (t *trace) addEvaluated(part, from, pointer string) {
	v := t.doc.Root.Value.Lookup(failure.PointerSplit(pointer))
	if text := describeExpression(t.doc.Vocabulary.All().References, v); text != "" {
		from += ", " + text
	}
	t.add(part, from, pointer)
}

func (t *trace) addRequest() {
	t.addEndpoint(t.paged.Endpoint, "endpoint", t.pointer(config.JobEndpoint.Name))
	// The method of the job itself is visible in the request.
	if t.Method == "" && t.doc.API.DefaultOptions.Field(config.DefaultMethod.Name).Text() != "" {
		t.add("method", "default options", t.defaultsPointer(config.DefaultMethod.Name))
	}
	t.addParams()
	if body := t.full.Body; body != nil && body.Pointer == t.pointer(config.JobBody.Name) {
		t.addBody("job")
	} else {
		t.addBody("paging")
	}
	headers := t.doc.API.DefaultOptions.Field(config.DefaultHeaders.Name)
	t.addHeaders(func(name string) (from, pointer string) {
		// Names with different letter case are sent as two headers.
		_, isDefault := headers.Get(name)
		own := memberPointer(t.paged.Headers, t.pointer(config.JobHeaders.Name), name)
		if own != "" && (!isDefault || !t.paged.Headers.Field(name).IsNull()) {
			return "job", own
		}
		if pointer := memberPointer(headers, t.defaultsPointer(config.DefaultHeaders.Name), name); pointer != "" {
			return "default options", pointer
		}
		all := slices.Clone(t.it.Headers)
		for _, h := range t.it.ComputedHeaders {
			all = append(all, h.Header)
		}
		for _, h := range slices.Backward(all) {
			if strings.EqualFold(h.Name, name) {
				return "headers", h.Pointer
			}
		}
		if name == "Accept" {
			return "format of the response", t.format.Pointer
		}
		return "", ""
	})
	for _, p := range t.placeholders {
		t.add("placeholder {"+p.token+"}", p.describeSource(t.job), p.pointer)
	}
}

func (t *trace) addLogin() {
	const from = "login request"
	login := auth.LoginRequest.In(t.doc.API.Authentication)
	t.addEndpoint(auth.LoginEndpoint.Of(login), from, auth.LoginEndpoint.In(login).Pointer)
	params, headers := auth.LoginParams.In(login), auth.LoginHeaders.In(login)
	if t.doc.Vocabulary.IsCall(params.Value) {
		t.addEvaluated(t.paramsPart(), from, params.Pointer)
	} else {
		for _, name := range (config.RequestSpec{Params: params.Value}).ParamNames() {
			t.addEvaluated(t.paramsPart()+" "+name, from, params.Get(name).Pointer)
		}
	}
	t.addBody(from)
	t.addHeaders(func(name string) (_, pointer string) {
		return from, memberPointer(headers.Value, headers.Pointer, name)
	})
}

// bodyOf returns the configured body of the request, which may be absent.
func (t *trace) bodyOf() config.Section {
	if t.sent.Login {
		return config.LoginBody.In(auth.LoginRequest.In(t.doc.API.Authentication))
	}
	if t.full.Body == nil {
		return config.Section{}
	}
	pointer := t.full.Body.Pointer
	return field.NewSection(t.doc.Root.Value.Lookup(failure.PointerSplit(pointer)), pointer, t.Problems())
}

// addBody adds the sources of a configured body and of its values.
func (t *trace) addBody(from string) {
	body := t.bodyOf()
	if !body.Present() {
		return
	}
	t.add("body", from, body.Pointer)
	for _, name := range config.BodyNames(body) {
		t.addEvaluated("body "+name, from, config.BodyValues.In(body).Get(name).Pointer)
	}
}

// paramsPart returns the part of the request that has the parameters.
func (t *trace) paramsPart() string {
	if t.sent.Method == http.MethodGet || t.bodyOf().Present() {
		return "query"
	}
	return "body"
}

// addEndpoint adds the source of an endpoint, after the source of the base URL if the
// request uses the base URL.
func (t *trace) addEndpoint(endpoint, from, pointer string) {
	// A complete URL as endpoint resolves to the same URL from any base.
	here, err := httpclient.Resolve(t.it.BaseURL, endpoint)
	elsewhere, err2 := httpclient.Resolve(&url.URL{Scheme: "x", Host: "x"}, endpoint)
	if err != nil || err2 != nil || here.String() != elsewhere.String() {
		t.addEvaluated("address", config.BaseURL.Name, failure.PointerJoin(t.doc.API.Pointer, config.BaseURL.Name))
	}
	t.addEvaluated("address", from, pointer)
}

// addParams adds the sources of the parameters, in the query or in the body, followed by
// the parameters that the endpoint or the authentication added to the query.
func (t *trace) addParams() {
	built := t.sent.Built.URL
	var added []string // names that authentication added or changed
	if u, err := url.Parse(t.sent.URL); err == nil {
		before, after := built.Query(), u.Query()
		added = slices.DeleteFunc(namesOf(u.RawQuery), func(name string) bool { return slices.Equal(before[name], after[name]) })
	}
	for _, name := range added {
		t.replaced = append(t.replaced, "query "+name)
	}
	part := t.paramsPart() + " "
	for _, name := range t.full.ParamNames() {
		if _, ok := t.paged.Param(name); ok {
			continue
		}
		pointer := t.defaultsPointer(config.DefaultParams.Name)
		if !t.doc.Vocabulary.IsCall(t.doc.API.DefaultOptions.Field(config.DefaultParams.Name)) {
			pointer = failure.PointerJoin(pointer, name)
		}
		t.addEvaluated(part+name, "default options", pointer)
	}
	for _, name := range t.paged.ParamNames() {
		before, ok := t.own.Param(name)
		now, _ := t.paged.Param(name)
		paging := t.features.Paging.NamedAt(t.job.paged, name)
		switch own := t.pointer(config.JobParams.Name); {
		case ok && before.Equal(now) && t.Params.IsCall():
			t.addEvaluated(part+name, "job", own)
		case ok && before.Equal(now):
			t.addEvaluated(part+name, "job", failure.PointerJoin(own, name))
		case before.Len() > 0 && !before.IsScalar(): // pagination set a part of the value
			t.add(part+name, "job and paging", paging)
		default:
			t.add(part+name, "paging", paging)
		}
	}
	for _, name := range (config.RequestSpec{Params: t.paged.Query}).ParamNames() {
		t.add("query "+name, "paging", t.features.Paging.NamedAt(t.job.paged, name))
	}
	// A secret may contain separators of parameters. No part of a secret is the name of a
	// parameter.
	for _, name := range namesOf(t.secrets.RedactAddress(built, secret.Sensitive{}).Query) {
		// A parameter in the query that is not a known parameter was in the endpoint.
		if top, _, _ := strings.Cut(name, "["); !t.knows("query " + top) {
			t.add("query "+name, "endpoint", t.pointer(config.JobEndpoint.Name))
		}
	}
	t.replaced = nil
	for _, name := range added {
		t.addCredential("query", name)
	}
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

// addHeaders adds the sources of the headers in the order in which they are sent. source
// returns the configured source of a header, or no pointer.
func (t *trace) addHeaders(source func(name string) (from, pointer string)) {
	built := t.sent.Built
	texts := map[string][]string{}
	for _, line := range t.sent.Headers {
		texts[line.Name] = append(texts[line.Name], line.Text)
	}
	for _, line := range t.sent.Headers {
		name, part, before := line.Name, "header "+line.Name, built.Header[line.Name]
		if name == "Host" {
			before = []string{built.Host}
		}
		bodyTypes := []string{config.BodyType("FORM"), config.BodyType("POST")}
		switch {
		case name == "Content-Length":
			t.add(part, "built in", "")
		case !slices.Equal(before, texts[name]):
			t.addCredential("header", name)
		case name == "Host" && built.Host == built.URL.Host:
			t.add(part, "address", "")
		case name == "Content-Type" && t.bodyOf().Present():
			body := t.bodyOf()
			t.add(part, "body", config.BodyMediaType.In(body).Pointer)
		case name == "Content-Type" && len(t.sent.Body) > 0 && slices.Contains(bodyTypes, line.Text):
			t.add(part, "method", "")
		default:
			if from, pointer := source(name); pointer != "" {
				t.addEvaluated(part, from, pointer)
			} else {
				t.add(part, "built in", "")
			}
		}
	}
}

// addCredential adds the source of a header or query parameter that was added after the
// request was built. Its pointer is as specific as possible.
func (t *trace) addCredential(kind, name string) {
	section, signature := t.doc.API.Authentication, httpclient.Signed(t.doc)
	part, from := kind+" "+name, "authentication "+auth.TypeSetting.Of(section)
	key := map[string]string{"header": "headers", "query": "query"}[kind]
	name, _, _ = strings.Cut(name, "[")
	login, own := auth.APIRequest.In(section).Get(key), section.Get(key)
	pointer := cmp.Or(memberPointer(login.Value, login.Pointer, name), memberPointer(own.Value, own.Pointer, name))
	scheme, _ := t.features.Auth.Of(section)
	switch {
	case signature.Present() && (part == "header Authorization" || part == "header X-Amz-Date"):
		t.add(part, "signature for AWS", signature.Pointer)
	case pointer != "":
		t.addEvaluated(part, from, pointer)
	case part == "header Authorization" && t.sent.Built.URL.User != nil && !scheme.SetsAuthorization:
		t.add(part, "user name and password in the address", "")
	default:
		t.add(part, from, section.Pointer)
	}
}

// memberPointer returns the pointer of the last member with a name, regardless of letter
// case, or "". at is the pointer of v.
func memberPointer(v value.Value, at, name string) string {
	for _, m := range slices.Backward(v.Members()) {
		if strings.EqualFold(m.Name, name) {
			return failure.PointerJoin(at, m.Name)
		}
	}
	return ""
}

// pointer returns the pointer of a key of the job.
func (t *trace) pointer(key string) string { return failure.PointerJoin(t.Pointer, key) }

func (t *trace) defaultsPointer(key string) string {
	pointer := t.doc.API.Pointer
	for _, key := range []string{config.HTTPSection.Name, config.DefaultOptionsSetting.Name, key} {
		pointer = failure.PointerJoin(pointer, key)
	}
	return pointer
}

// describeExpression describes an expression: "function concat of attr #token". It returns
// "" for a plain value.
func describeExpression(references expr.References, v value.Value) string {
	form, ok := references.Parse(v, false)
	text := ""
	switch {
	case form.Literal:
		return ""
	case !ok:
		return describeExpressions(references, v)
	case form.Call:
		text = "function " + form.Name.Raw()
		if args := describeExpressions(references, form.Args); args != "" {
			text += " of " + args
		}
	default:
		text = string(form.Reference.Key) + " " + form.Name.Raw()
	}
	if form.HasDefault {
		text += ", or " + cmp.Or(describeExpression(references, form.Default), "its default")
	}
	return text
}

// describeExpressions describes the distinct expressions in an object or a list.
func describeExpressions(references expr.References, v value.Value) string {
	var all []string
	for _, item := range v.Entries() {
		if text := describeExpression(references, item); text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, ", ")
}
