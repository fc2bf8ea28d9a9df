package config

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// RequestSpec is a request in the words of the configuration: what a job, a login
// or a scroller requests, before the base address and the default options are
// added to it. Parameters and headers that are marked as secrets
// (value.Value.Secret) are credentials, regardless of their values.
type RequestSpec struct {
	// Endpoint is relative to the base URL, or an absolute address.
	Endpoint string
	// Method is GET, POST, FORM, PUT, PATCH or DELETE; "" leaves it to the
	// default options and then to GET.
	Method string
	// Params is an object or a list, evaluated.
	Params value.Value
	// Query is an object of parameters that go into the query with every method.
	Query value.Value
	// Headers is an object.
	Headers value.Value
	// Paging is an object with the values of paging that the job itself has in its
	// request. It is not sent.
	Paging value.Value
	// ForcedType is set if the method decides the header Content-Type, regardless of the
	// configuration.
	ForcedType bool
	// Own are the parameters of the job's own request with these values, before paging
	// adds others. Null for the first page, and where the job has no such values.
	Own value.Value
}

// HasBody reports whether the method puts the parameters into a body.
func (r RequestSpec) HasBody() bool {
	return r.Method != "" && !strings.EqualFold(r.Method, http.MethodGet)
}

// Param is the parameter of that name.
func (r RequestSpec) Param(name string) (value.Value, bool) {
	return r.Params.AsObject().Get(name)
}

// ParamNames are the names of the parameters, in their order.
func (r RequestSpec) ParamNames() []string {
	var names []string
	for _, m := range r.Params.AsObject().Members() {
		names = append(names, m.Name)
	}
	return names
}

// WithParam is the request with one parameter set, in the place of a
// parameter of that name or else at the end.
func (r RequestSpec) WithParam(name string, v value.Value) RequestSpec {
	r.Params = r.Params.AsObject().With(name, v)
	return r
}

// Over is the request with another one underneath: what the request says wins; of
// parameters and headers name by name.
func (r RequestSpec) Over(under RequestSpec) RequestSpec {
	return RequestSpec{
		Endpoint: cmp.Or(r.Endpoint, under.Endpoint),
		Method:   cmp.Or(r.Method, under.Method),
		Params:   overlay(under.Params, r.Params),
		Query:    overlay(under.Query, r.Query),
		Headers:  overlay(under.Headers, r.Headers),
	}
}

// overlay lays one group of parameters over another, name by name: in the place
// of a parameter of that name, else at the end.
func overlay(under, over value.Value) value.Value {
	switch {
	case over.Empty():
		return under
	case under.Empty():
		return over
	}
	return value.OfMembers(slices.Concat(under.AsObject().Members(), over.AsObject().Members())...)
}
