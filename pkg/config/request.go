package config

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// RequestSpec is the request of a job, a login or a scroller, before the base URL and the
// default options are added. Parameters and headers that are marked as secrets
// (value.Value.Secret) are credentials, regardless of their values.
type RequestSpec struct {
	// Endpoint is relative to the base URL, or an absolute URL.
	Endpoint string
	// Method is GET, POST, FORM, PUT, PATCH or DELETE. If it is "", the default options
	// decide, and GET is the last default.
	Method string
	// Params is an object or a list, evaluated.
	Params value.Value
	// Query is an object of parameters that are sent in the query with every method.
	Query value.Value
	// Headers is an object.
	Headers value.Value
	// Body is the body if the configuration has a text for it, otherwise nil. Params then
	// belong to the query.
	Body *RequestBody
	// Paging is an object with the paging values of the page that the request of the job
	// can refer to. It is not sent.
	Paging value.Value
	// ForcedType is true if the method decides the header Content-Type, regardless of the
	// configuration.
	ForcedType bool
	// Own contains the parameters of the job's own request, evaluated with Paging, before
	// pagination adds others. It is null for the first page, and if the job refers to no
	// paging values.
	Own value.Value
}

// HasBody reports whether the method puts the parameters into a body.
func (r RequestSpec) HasBody() bool {
	return r.Body == nil && r.Method != "" && !strings.EqualFold(r.Method, http.MethodGet)
}

// Param returns the named parameter.
func (r RequestSpec) Param(name string) (value.Value, bool) {
	return r.Params.AsObject().Get(name)
}

// ParamNames returns the names of the parameters in their order.
func (r RequestSpec) ParamNames() []string {
	var names []string
	for _, m := range r.Params.AsObject().Members() {
		names = append(names, m.Name)
	}
	return names
}

// WithParam returns the request with a parameter. The parameter replaces the value of an
// existing parameter, or is added at the end.
func (r RequestSpec) WithParam(name string, v value.Value) RequestSpec {
	r.Params = r.Params.AsObject().With(name, v)
	return r
}

// Over overlays another request with r. Parameters, query and headers are merged by name.
// The result has the body of r. If r has none, it has the body of the other request, unless
// the method of r allows no body. The result lacks Paging, ForcedType and Own.
func (r RequestSpec) Over(under RequestSpec) RequestSpec {
	body := r.Body
	if body == nil && (r.Method == "" || mayHaveBody(r.Method)) {
		body = under.Body
	}
	return RequestSpec{
		Body:     body,
		Endpoint: cmp.Or(r.Endpoint, under.Endpoint),
		Method:   cmp.Or(r.Method, under.Method),
		Params:   overlay(under.Params, r.Params),
		Query:    overlay(under.Query, r.Query),
		Headers:  overlay(under.Headers, r.Headers),
	}
}

// QueryParams returns the parameters that belong to the query of a request with a body of
// its own.
func (r RequestSpec) QueryParams() value.Value { return overlay(r.Params, r.Query) }

// overlay merges two objects by name. The values of over win. New names are added at the
// end.
func overlay(under, over value.Value) value.Value {
	switch {
	case over.Empty():
		return under
	case under.Empty():
		return over
	}
	return value.OfMembers(slices.Concat(under.AsObject().Members(), over.AsObject().Members())...)
}
