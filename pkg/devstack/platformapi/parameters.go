package platformapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// endpoint is one method of a path: the function that carries out a request, and the
// parameters that a request may have. A request with any other parameter is refused, so
// that no parameter is ignored silently.
//
// A declared name that ends with [] is a list: name, name[], name[0] and name[0][key] all
// belong to it. Any other parameter is a single value.
type endpoint struct {
	run func(*http.Request) (response, error)
	// queryNames are the parameters of the query and bodyNames the members of the body.
	queryNames, bodyNames []string
	// idle maps the names of parameters that have no effect here to the reason.
	idle map[string]string
	// missing are the names of parameters that the platform supports and this server does
	// not.
	missing []string
	// unsupported is true if the platform has this endpoint and this server does not.
	unsupported bool
	// ownBody is true if the function reads a body that is not an object of members.
	ownBody bool
}

// newEndpoint returns an endpoint without parameters. The methods below return changed
// copies.
func newEndpoint(run func(*http.Request) (response, error)) endpoint { return endpoint{run: run} }

// with returns an endpoint for a thing that the path names. The function run is not
// called if find returns an error.
func with[T any](find func(*http.Request) (T, error), run func(*http.Request, T) (response, error)) endpoint {
	return newEndpoint(func(r *http.Request) (response, error) {
		thing, err := find(r)
		if err != nil {
			return response{}, err
		}
		return run(r, thing)
	})
}

// withForm is like with and also checks and passes the fields of the body.
func withForm[T any](find func(*http.Request) (T, error), run func(*http.Request, *fields, T) (response, error)) endpoint {
	return newEndpoint(func(r *http.Request) (response, error) {
		f := formFields(r)
		if f.err != nil {
			return response{}, f.err
		}
		return with(find, func(r *http.Request, thing T) (response, error) { return run(r, f, thing) }).run(r)
	})
}

func (e endpoint) query(names ...string) endpoint {
	e.queryNames = append(slices.Clip(e.queryNames), names...)
	return e
}

func (e endpoint) body(names ...string) endpoint {
	e.bodyNames = append(slices.Clip(e.bodyNames), names...)
	return e
}

// ignores adds parameters of the query or the body that clients send and that have no
// effect. The reason why is documentation only.
func (e endpoint) ignores(why string, names ...string) endpoint {
	idle := map[string]string{}
	for name, reason := range e.idle {
		idle[name] = reason
	}
	for _, name := range names {
		idle[name] = why
	}
	e.idle = idle
	return e
}

// lacks adds parameters of the query or the body that the platform documents and this
// server does not support. A request with such a parameter gets status 501.
func (e endpoint) lacks(names ...string) endpoint {
	e.missing = append(slices.Clip(e.missing), names...)
	return e
}

func (e endpoint) readsBody() endpoint {
	e.ownBody = true
	return e
}

type endpointKey struct{}

// withEndpoint returns a copy of a request with the endpoint in its context. The readers of
// the body check the members against it.
func (e endpoint) withEndpoint(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), endpointKey{}, e))
}

// check refuses a request with a query parameter that the endpoint does not declare. If the
// function reads no body, the body must have no members.
func (e endpoint) check(r *http.Request) error {
	if e.unsupported {
		return notImplemented(r)
	}
	given, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return invalid("The query is not valid")
	}
	for key, values := range given {
		name, isList := listName(key)
		switch {
		case isList && slices.Contains(e.queryNames, name):
			return invalid("The parameter %q is not a list, found %.100q", name, key)
		case len(values) > 1 && slices.Contains(e.queryNames, name):
			return invalid("The parameter %q is there %d times, expected once", name, len(values))
		}
		if err := e.permits(e.queryNames, "parameter", name); err != nil {
			return err
		}
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead || e.ownBody || len(e.bodyNames) > 0 {
		return nil
	}
	return formFields(r).err
}

// checkBody refuses members of a body that the endpoint of the request does not declare.
// Members that are null count as absent.
func checkBody(r *http.Request, members value.Value) error {
	e, _ := r.Context().Value(endpointKey{}).(endpoint)
	for _, m := range members.Members() {
		if m.Value.IsNull() {
			continue
		}
		if err := e.permits(e.bodyNames, "member", m.Name); err != nil {
			return err
		}
	}
	return nil
}

// listName returns the name in the key of a list: name[], name[0] or name[0][key]. Any
// other key is returned unchanged, with false.
func listName(key string) (name string, isList bool) {
	if i := strings.IndexByte(key, '['); i > 0 && strings.HasSuffix(key, "]") {
		return key[:i], true
	}
	return key, false
}

func (e endpoint) permits(known []string, kind, name string) error {
	switch _, idle := e.idle[name]; {
	case slices.Contains(known, name), slices.Contains(known, name+"[]"), idle:
		return nil
	case slices.Contains(e.missing, name):
		return &refusal{
			status: http.StatusNotImplemented, code: "notImplemented",
			message: "The " + kind + " " + quoted([]string{name}) + " is not supported by the local platform",
		}
	}
	return invalid("Unknown %s %.100q, expected %s", kind, name, expected(known))
}

func expected(known []string) string {
	if len(known) == 0 {
		return "none"
	}
	names := make([]string, 0, len(known))
	for _, name := range known {
		names = append(names, strings.TrimSuffix(name, "[]"))
	}
	return quoted(names)
}
